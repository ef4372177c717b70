// The strict reader: every fault found, each in a line with path, value and remedy.
#include "config/config.h"

#include "catch.h"
#include "config/help_text.h"
#include "config/json_text.h"
#include "core/error.h"

namespace {

using Json = nlohmann::json;
using lc::Config;
using lc::Option;
using lc::OptionType;

lc::OptionTable table() {
  lc::OptionTable made;
  made.add({Option::integer("model.layers", 4).at_least(1).architecture().says("Layers."),
            Option::number("model.dropout", 0.1).at_least(0).less_than(1).taken_on_resume(),
            Option::choice("model.norm", "post", {"post", "pre"}),
            Option::boolean("model.tie", true),
            Option::list("model.cutoffs", OptionType::kIntegerList, Json::array()).at_least(1),
            Option::integer("model.window", nullptr).at_least(1).or_null().in("tokens"),
            Option::list("data.train", OptionType::kTextList, nullptr).or_null(),
            Option::schedule("train.bptt", 1).at_least(1).taken_on_resume(),
            Option::number("optim.groups.gate.lr", 0.5).more_than(0),
            Option::number("optim.groups.gate.decay", nullptr).or_null()});
  return made;
}

Config read(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return Config::read(table(), text, "x.json", overrides);
}

std::string fault(const std::string& text, const std::vector<std::string>& overrides = {}) {
  try {
    read(text, overrides);
  } catch (const lc::Error& error) {
    CHECK(error.kind() == lc::ErrorKind::kUsage);
    return error.what();
  }
  return "no fault";
}

}  // namespace

TEST_CASE("defaults fill what isn't written, and what is written is known") {
  const Config config = read(R"({"model": {"layers": 6}})");
  CHECK(config.get<int64_t>("model.layers") == 6);
  CHECK(config.get<double>("model.dropout") == 0.1);
  CHECK(config.is_null("model.window"));
  CHECK(config.given("model.layers"));
  CHECK_FALSE(config.given("model.dropout"));
  CHECK(config.get<double>("optim.groups.gate.lr") == 0.5);
}

TEST_CASE("values are taken in the row's own type") {
  const Config config = read(R"({"$schema": "s", "_comment_1": 3,
      "model": {"layers": 1e1, "window": null, "cutoffs": [2, 4]}, "data": {"train": "a.txt"},
      "train": {"bptt": [[0, 1], [10, 4]]}})");
  CHECK(config.at("model.layers").is_number_integer());
  CHECK(config.get<int64_t>("model.layers") == 10);
  CHECK(config.get<std::vector<std::string>>("data.train") == std::vector<std::string>{"a.txt"});
  for (const auto& [step, value] :
       std::vector<std::pair<int64_t, int64_t>>{{0, 1}, {9, 1}, {10, 4}, {1000, 4}}) {
    CHECK(lc::scheduled_value(config.at("train.bptt"), step) == value);
  }
  CHECK(lc::scheduled_value(Json(7), 3) == 7);
}

TEST_CASE("every fault is told at once, a line each") {
  const std::string faults = fault(R"({"model": {"layers": 0, "dropuot": 1, "norm": "mid",
      "tie": 1, "dropout": 1, "cutoffs": [1, 0.5]}, "train": {"bptt": [[1, 2]]}, "mdel": {}})");
  const std::vector<std::string> lines{
      "x.json: model.layers: 0 is out of range; give an integer of at least 1",
      "x.json: model.dropuot: unknown key; did you mean model.dropout?",
      "x.json: model.norm: \"mid\" is no choice; give one of post, pre",
      "x.json: model.tie: 1 is neither true nor false; give true or false",
      "x.json: model.dropout: 1 is out of range; give a number of at least 0 and less than 1",
      "x.json: model.cutoffs: 0.5 is no integer; give a list of integers of at least 1",
      "x.json: mdel: unknown key"};
  for (const std::string& line : lines) {
    INFO(faults);
    CHECK(faults.find(line) != std::string::npos);
  }
  CHECK(faults.find("train.bptt: [[1,2]] doesn't ascend from 0") != std::string::npos);
  CHECK(std::count(faults.begin(), faults.end(), '\n') == 7);
}

TEST_CASE("an empty text is a fault, alone and in a list") {
  const std::string message =
      "x.json: data.train: \"\" is empty; give a text or a list of texts, or null";
  CHECK(fault(R"({"data": {"train": ""}})") == message);
  CHECK(fault(R"({"data": {"train": ["a.txt", ""]}})") == message);
  CHECK(fault("{}", {"data.train="}).find("--set data.train: \"\" is empty") != std::string::npos);
}

TEST_CASE("a key outside of its section finds the way home") {
  CHECK(fault(R"({"layers": 3})") == "x.json: layers: unknown key; did you mean model.layers?");
}

TEST_CASE("a section that isn't known is answered with the nearest one") {
  CHECK(fault(R"({"optim": {"groups": {"gat": {"lr": 1, "decay": 2}}}})") ==
        "x.json: optim.groups.gat: unknown key; did you mean optim.groups.gate?");
  CHECK(fault("{}", {"optim.groups.gtae.lr=1"}) ==
        "x.json: --set optim.groups.gtae: unknown key; did you mean optim.groups.gate?");
  CHECK(fault(R"({"optm": {"groups": {}}})") == "x.json: optm: unknown key; did you mean optim?");
}

TEST_CASE("JSON slips are told with line and column") {
  CHECK(fault("{\"model\": {\n  \"layers\": 3,\n}}").find("line 3, column 1") != std::string::npos);
  CHECK(fault("{\"model\": {\n  \"layers\": 3,\n}}").find("take away the comma") !=
        std::string::npos);
  CHECK(fault("{\"model\": {").find("close every {") != std::string::npos);
  CHECK(fault("// c\n{}").find("no comments") != std::string::npos);
  CHECK(fault("[1]").find("is no JSON object") != std::string::npos);
  CHECK(fault("").find("incomplete") != std::string::npos);
}

TEST_CASE("a key that stands twice is a fault") {
  CHECK(fault(R"({"model": {"layers": 3, "layers": 4}})")
            .find("model.layers: the key stands twice") != std::string::npos);
  CHECK(fault(R"({"model": {"layers": 3}, "model": {}})").find("model: the key stands twice") !=
        std::string::npos);
}

TEST_CASE("overrides are JSON or bare texts, keys or whole sections") {
  const Config config = read(R"({"model": {"layers": 2}})",
                             {"model.layers=5", "model.norm=pre", "data.train=[\"a\", \"b\"]",
                              "model.window=null", "optim.groups.gate={\"lr\": 2}"});
  CHECK(config.get<int64_t>("model.layers") == 5);
  CHECK(config.get<std::string>("model.norm") == "pre");
  CHECK(config.at("data.train").size() == 2);
  CHECK(config.get<double>("optim.groups.gate.lr") == 2);
  CHECK(config.is_null("optim.groups.gate.decay"));
  CHECK(fault("{}", {"model.layers"}).find("no key=value") != std::string::npos);
  CHECK(fault("{}", {"model.layers=x"}).find("\"x\" is no integer") != std::string::npos);
  CHECK(fault("{}", {"model.layer=2"}).find("--set model.layer: unknown key") != std::string::npos);
  CHECK(fault(R"({"model": {"layer": 2}})").find("--set") == std::string::npos);
  CHECK(fault("{}", {"model.=x"}).find("is no name") != std::string::npos);
  CHECK(fault("{}", {"model.layers=\xff"}).find("is no integer") != std::string::npos);
}

TEST_CASE("names that a path can't hold are refused") {
  CHECK(fault(R"({"optim": {"groups": {"0": {"lr": 1}}}})").find("is no name") !=
        std::string::npos);
  CHECK(fault(R"({"model.layers": 3})").find("nest sections") != std::string::npos);
  CHECK(fault(R"({"model": 3})").find("is no section") != std::string::npos);
  CHECK(fault(R"({"model": {"layers": 1e999}})") != "no fault");
  CHECK(fault(R"({"model": {"layers": 99999999999999999999}})") != "no fault");
}

TEST_CASE("a dump reads back to the same config, in the table's order") {
  const Config config =
      read(R"({"optim": {"groups": {"gate": {"lr": 2}}}, "model": {"layers": 7}})");
  const std::string dumped = config.dump();
  CHECK(Config::read(table(), dumped, "dump", {}).values() == config.values());
  CHECK(dumped.find("model") < dumped.find("data"));
  CHECK(dumped.find("layers") < dumped.find("dropout"));
  CHECK(dumped.find("train") < dumped.find("optim"));
}

TEST_CASE("one value set anew is checked, and the rest stays") {
  const Config config = read(R"({"model": {"layers": 7}})");
  CHECK(config.with(table(), "model.window", 5).get<int64_t>("model.window") == 5);
  CHECK(config.with(table(), "model.window", 5).get<int64_t>("model.layers") == 7);
  CHECK_THROWS_AS(config.with(table(), "model.window", 0), lc::Error);
  try {
    config.with(table(), "model.window", 0);
  } catch (const lc::Error& error) {
    CHECK(error.where() == "model.window");
    CHECK(std::string(error.what()).starts_with("model.window: 0 is out of range; give "));
  }
}

TEST_CASE("changes carry the rule of their row") {
  const Config before = read(R"({"model": {"layers": 2, "cutoffs": [1, 2]}})");
  const Config after = read(R"({"model": {"layers": 3, "cutoffs": [1, 3], "dropout": 0.2}})");
  const auto found = lc::changes(table(), before, after);
  REQUIRE(found.size() == 3);
  for (const lc::ConfigChange& change : found) {
    const bool taken = change.path == "model.dropout";
    CHECK(change.rule == (taken ? lc::OnResume::kTaken : lc::OnResume::kRefused));
  }
  CHECK(lc::changes(table(), before, before).empty());
}

TEST_CASE("the help text names each option with its default") {
  const std::string help = lc::help_text(table());
  CHECK(help.find("model.layers (integer; default 4)\n      Layers.") != std::string::npos);
  CHECK(help.find("model.window (integer, tokens; default null)") != std::string::npos);
}

TEST_CASE("a value typed on a command line is JSON, or else a text") {
  CHECK(lc::typed_value("3") == 3);
  CHECK(lc::typed_value("null").is_null());
  CHECK(lc::typed_value("fixed") == "fixed");
}
