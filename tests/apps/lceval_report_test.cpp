// lceval attention, --diagnose --plot and report on runs that lctrain has just trained.
#include <sstream>

#include "apps/lceval_process.h"
#include "catch.h"
#include "report/html_text.h"

namespace lceval {
namespace {

void train_short(const Workplace& place, const std::string& type) {
  Json config = place.config(type);
  config["model"]["type"] = type;
  config["model"]["compressive"] = {{"memory_length", 24}, {"compressed_length", 12}, {"rate", 4}};
  config["train"]["steps"] = 6;
  config["eval"]["every"] = 3;
  config["log"]["every"] = 2;
  train(place, type, config);
}

double sum_of(const Json& numbers) {
  double sum = 0;
  for (const Json& number : numbers) sum += number.get<double>();
  return sum;
}

}  // namespace

TEST_CASE("lceval attention tells how much goes where, for every model") {
  const Workplace place;
  for (const char* type : {"transformer_xl", "vanilla", "compressive", "infini"}) {
    train_short(place, type);
  }
  const Json json = json_of(place, {"attention", "--checkpoint", "runs", "--tokens", "500", "--csv",
                                    "mass.csv", "--plot", "mass.svg"});
  REQUIRE(json.at("runs").size() == 4);
  const std::vector<size_t> buckets = {18, 7, 12, 6};  // by name of the run
  for (size_t i = 0; i < 4; ++i) {
    const Json& run = json.at("runs")[i];
    CAPTURE(run.at("name"));
    CHECK(run.at("queries") == 500);
    CHECK(run.at("buckets").size() == buckets[i]);
    REQUIRE(run.at("layers").size() == 2);
    for (const Json& layer : run.at("layers")) {
      CHECK(sum_of(layer.at("mass")) == Approx(1).margin(1e-5));
    }
    CHECK(run.at("protocol").at("split") == "valid");
    CHECK(run.at("protocol").at("buckets") == 6);
  }
  CHECK(json.at("runs")[0].at("buckets")[0].at("kind") == "compressed");
  CHECK(json.at("runs")[1].at("buckets")[0].at("kind") == "associative");
  CHECK(fs::exists(place.run("compressive") / "eval" / "valid_attention.svg"));
  CHECK(fs::exists(place.path() / "mass.csv"));
  CHECK(lctrain::bytes(place.path() / "mass.svg").find("compressive: mean over layers") !=
        std::string::npos);

  const lctrain::Result table = run_lceval(
      place,
      {"attention", "--checkpoint", "runs/transformer_xl", "--buckets", "2", "--memory", "8"});
  INFO(table.err);
  CHECK(table.exit_code == 0);
  CHECK(table.out.find("memory        1  -8 to -5") != std::string::npos);
  CHECK(table.out.find("\nprotocol of transformer_xl: ") != std::string::npos);

  refusal(place, 2, {"attention"});
  refusal(place, 2, {"attention", "--checkpoint", "runs/vanilla", "--buckets", "0"});
  refusal(place, 2, {"attention", "--checkpoint", "runs/vanilla", "--context", "0,4"});
  refusal(place, 2, {"attention", "--checkpoint", "runs/compressive", "--segment", "18"});
  refusal(place, 3, {"attention", "--checkpoint", "runs/absent"});
}

TEST_CASE("lceval report makes one page of runs and what was found out about them") {
  const Workplace place;
  train_short(place, "compressive");
  train_short(place, "infini");
  const std::vector<std::string> both = {"--checkpoint", "runs/compressive", "--checkpoint",
                                         "runs/infini"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), both.begin(), both.end());
    const lctrain::Result result = run_lceval(place, more);
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    return result;
  };
  with({"--tokens", "300", "--diagnose", "--plot", "measured.svg", "--csv", "measured.csv"});
  with({"--context", "0,8,16", "--tokens", "200"});
  with({"attention", "--tokens", "200"});
  const fs::path eval = place.run("infini") / "eval";
  CHECK(fs::exists(eval / "valid_diagnosis.svg"));
  CHECK(lctrain::bytes(place.path() / "measured.csv").rfind("run,measured,layer,", 0) == 0);
  CHECK(lctrain::bytes(eval / "valid.csv").rfind("run,step,split,", 0) == 0);
  const std::string drawn = lctrain::bytes(place.path() / "measured.svg");
  CHECK(drawn.find("compressive: attention reconstruc") != std::string::npos);
  CHECK(drawn.find("infini: gate, layer 1") != std::string::npos);

  write(eval / "other.json", "{\"finding\": [{\"name\": \"<b>\", \"value\": 0.25}]}");
  write(eval / "broken.json", "{");
  write(eval / "broken.svg", "no image");
  write(eval / "deep.json", std::string(100000, '[') + std::string(100000, ']'));
  const lctrain::Result made = run_lceval(place, {"report", "runs", "--out", "pages/all.html"});
  INFO(made.err);
  CHECK(made.exit_code == 0);
  CHECK(made.out.empty());
  const std::string page = lctrain::bytes(place.path() / "pages" / "all.html");
  for (const char* text :
       {"Report of 2 runs", "valid context strict", "valid attention", "valid diagnosis",
        "model.type", "lceval --context 0,8,16 --tokens 200 --checkpoint runs/compressive",
        "<td>&lt;b&gt;</td>", "broken.json is no JSON that lceval wrote",
        "broken.svg is no SVG that lceval wrote", "deep.json is no JSON that lceval wrote",
        "Auxiliary losses"}) {
    CAPTURE(text);
    CHECK(page.find(text) != std::string::npos);
  }
  CHECK(page.find("<b>") == std::string::npos);

  const lctrain::Result one = run_lceval(place, {"report", "runs/infini"});
  CHECK(one.exit_code == 0);
  CHECK(lctrain::bytes(place.path() / "report.html").find("Report of infini") != std::string::npos);
  refusal(place, 2, {"report"});
  refusal(place, 2, {"report", "runs/infini", "--json"});
  refusal(place, 3, {"report", "runs/absent"});
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "{\"a\":";
  write(place.run("infini") / "config.json", deep + "1" + std::string(100000, '}'));
  CHECK(refusal(place, 3, {"report", "runs/infini"}).find("config.json") != std::string::npos);
  write(place.run("infini") / "config.json", "[");
  CHECK(refusal(place, 3, {"report", "runs/infini"}).find("config.json") != std::string::npos);
}

TEST_CASE("lceval report takes results of several runs together") {
  const Workplace place;
  train_short(place, "transformer_xl");
  train_short(place, "infini");
  const std::string a = "runs/transformer_xl";
  const std::string b = "runs/infini";
  const auto done = [&](const std::vector<std::string>& arguments) {
    const lctrain::Result result = run_lceval(place, arguments);
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
  };
  done({"compare", a, b, "--tokens", "200", "--out", "joint"});
  done({"recl", "--checkpoint", a, b, "--step", "4", "--longest", "8", "--tokens", "20", "--out",
        "joint"});
  done({"--checkpoint", a, b, "--tokens", "200", "--out", "plain"});
  done({"report", "runs", "--results", "joint", "--results", "plain/valid.json", "--out",
        "all.html"});
  const std::string page = lctrain::bytes(place.path() / "all.html");
  const Json compared = Json::parse(lctrain::bytes(place.path() / "joint" / "compare_valid.json"));
  const std::string difference =
      lc::html_value(compared.at("difference").at("nats_per_token")).text;
  for (const std::string& text :
       {std::string("<a href=\"#comparisons\">"), std::string("<h3>compare valid</h3>"),
        std::string("<h3>valid recl strict</h3>"), std::string("<h3>valid</h3>"),
        std::string("Difference: transformer_xl minus infini"),
        std::string("What a longer context gains"), "<td>" + difference + "</td>",
        std::string("groups: runs: lengths"), std::string("protocol of infini"),
        std::string("lceval compare runs/transformer_xl runs/infini --tokens 200 --out joint")}) {
    CAPTURE(text);
    CHECK(page.find(text) != std::string::npos);
  }

  done({"report", a, "--results", "joint/valid_recl_strict.svg", "--out", "plot.html"});
  const std::string plot = lctrain::bytes(place.path() / "plot.html");
  CHECK(plot.find("What a longer context gains") != std::string::npos);
  CHECK(plot.find("groups: runs: lengths") == std::string::npos);
  done({"report", a, "--out", "none.html"});
  CHECK(lctrain::bytes(place.path() / "none.html").find("omparisons") == std::string::npos);

  // Two of one name are told apart by their folders.
  fs::create_directory(place.path() / "other");
  fs::copy(place.path() / "plain" / "valid.json", place.path() / "other" / "valid.json");
  done({"report", a, "--results", "other", "--results", "plain", "--out", "two.html"});
  const std::string two = lctrain::bytes(place.path() / "two.html");
  CHECK(two.find("<h3>other/valid</h3>") < two.find("<h3>plain/valid</h3>"));
  CHECK(two.find("<h3>plain/valid</h3>") != std::string::npos);
}

TEST_CASE("lceval report refuses results that it can't show") {
  const Workplace place;
  train_short(place, "vanilla");
  const fs::path folder = place.path() / "joint";
  fs::create_directory(folder);
  const auto refused = [&](const std::string& path, const std::string& said) {
    CAPTURE(path);
    const std::string message =
        refusal(place, 3, {"report", "runs/vanilla", "--results", path, "--out", "page.html"});
    CHECK(message.find(said) != std::string::npos);
    CHECK(message.find("; ") != std::string::npos);  // what to do
    CHECK(!fs::exists(place.path() / "page.html"));
  };
  refused("absent", "--results absent: there is no such file");
  refused("joint", "--results joint: this folder has no .json and no .svg");
  write(folder / "table.csv", "a,b\n");
  refused("joint/table.csv", "--results joint/table.csv: this is neither a .json nor an .svg");
  write(folder / "a.json", "{\"a\": ]");
  refused("joint",
          "joint/a.json: is no JSON that lceval or lctrain wrote: it goes wrong at byte 7");
  write(folder / "a.json", std::string(100000, '[') + std::string(100000, ']'));
  refused("joint/a.json", "nested more than 100 deep");
  write(folder / "a.json", "{\"a\": 1e999}");
  refused("joint/a.json", "a number that is too large");
  write(folder / "a.json", "null");
  refused("joint/a.json", "neither an object nor a list");
  write(folder / "b.svg", "<html>\n<svg></svg></html>");
  refused("joint/b.svg", "joint/b.svg: is no SVG image: it begins with \"<html>\\n<svg></svg>");
  write(folder / "b.svg", "<?xml version=\"1.0\"?>\n<!-- a -->\n<svg width=\"1\">");
  refused("joint/b.svg", "joint/b.svg: is a part of an SVG image");
}

}  // namespace lceval
