// The report page: well-formed, complete, self-contained, and safe whatever stands in a run.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "catch.h"
#include "report/html/json.h"
#include "report/html/report.h"
#include "report/html/text.h"
#include "report/svg_elements.h"

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* kHostile = "<script>alert(\"1\")</script>&'\xFF\n";

std::vector<svg::Element> page_elements(const std::string& page) {
  const std::string kind = "<!DOCTYPE html>\n";
  REQUIRE(page.rfind(kind, 0) == 0);
  return svg::parse_markup(page.substr(kind.size()));
}

int count_of(const std::vector<svg::Element>& elements, const std::string& name) {
  return static_cast<int>(
      std::count_if(elements.begin(), elements.end(),
                    [&](const svg::Element& element) { return element.name == name; }));
}

bool has_text(const std::vector<svg::Element>& elements, const std::string& name,
              const std::string& text) {
  return std::any_of(elements.begin(), elements.end(), [&](const svg::Element& element) {
    return element.name == name && element.text == text;
  });
}

lc::ReportedRun run_of(const std::string& name, int64_t layers) {
  lc::ReportedRun run;
  run.settings = {name, ordered_json::parse(R"({"run": {"name": "x"}, "model": {"type": "vanilla",
                        "layers": 2, "vanilla": {"attention_window": null},
                        "transformer_xl": {"memory_length": 7}}})")};
  run.settings.config["model"]["layers"] = layers;
  run.folder = "runs/" + name;
  run.curves = lc::read_learning_curves(
      name,
      "{\"step\":10,\"tokens\":100,\"seconds\":90,\"loss_nats_per_token\":4}\n"
      "{\"step\":20,\"tokens\":200,\"seconds\":180,\"loss_nats_per_token\":3.25}\n"
      "{\"step\":20,\"split\":\"valid\",\"nats_per_token\":3.5,\"bits_per_byte\":5}\n");
  const json test = {{"nats_per_token", 2.0},
                     {"bits_per_byte", 1.25},
                     {"tokens_scored", 12345},
                     {"word_perplexity", nullptr},
                     {"protocol",
                      {{"split", "test"},
                       {"command", "lceval --checkpoint runs/" + name},
                       {"intervals", {{"nats_low", 1.6}, {"nats_high", 2.4}}}}}};
  json sweep = test;
  for (const int context : {0, 8, 64}) {
    sweep["contexts"].push_back({{"context", context},
                                 {"nats_per_token", 3.0 - context / 100.0},
                                 {"nats_low", 1.0},
                                 {"nats_high", 4.0}});
  }
  run.results = {{"test", test, "", ""}, {"test_context_strict", sweep, "<svg>\n#1</svg>", ""}};
  return run;
}

}  // namespace

TEST_CASE("A report shows settings, curves, results, protocols and commands of all runs") {
  const std::string page = lc::html_report({run_of("one", 2), run_of("two", 3)}, "a program");
  const auto elements = page_elements(page);
  CHECK(has_text(elements, "h1", "Report of 2 runs"));
  for (const char* title :
       {"Overview", "Learning curves", "Results", "Settings", "How to reproduce"}) {
    CHECK(has_text(elements, "h2", title));
  }
  // Headline with its interval in the same unit: 1.25 * 1.6 / 2.
  CHECK(page.find("95% interval 1.000 to 1.500") != std::string::npos);
  CHECK(has_text(elements, "dd", "3 min"));
  // What differs is marked, and nothing else; blocks of other models are idle.
  const auto marked = svg::of_class(elements, "td", "differs");
  REQUIRE(marked.size() == 1);
  CHECK(marked[0].text == "model.layers");
  CHECK(page.find("memory_length") == std::string::npos);
  CHECK(page.find("attention_window") != std::string::npos);
  // Two plots of learning, one of both sweeps, one a run.
  CHECK(count_of(elements, "img") == 5);
  CHECK(page.find("lceval --checkpoint runs/two") != std::string::npos);
  CHECK(page.find("lctrain --config runs/one/config.json --set run.out_dir=runs/one_again") !=
        std::string::npos);
  CHECK(has_text(elements, "td", "12,345"));
  CHECK(page == lc::html_report({run_of("one", 2), run_of("two", 3)}, "a program"));
}

TEST_CASE("Only runs that scored the same targets stand in one plot over contexts") {
  std::vector<lc::ReportedRun> runs;
  for (const char* name : {"one", "two", "<three>", "four", "five", "six"}) {
    runs.push_back(run_of(name, 2));
    json& result = runs.back().results[1].json;
    result["tokens_total"] = 20000;
    result["protocol"]["tokenizer_hash"] = "aa";
    result["protocol"]["contexts"] = {
        {"mode", "strict"}, {"tokens_scored", 400}, {"predecessors", 64}};
  }
  const auto result_of = [&](size_t run) -> json& { return runs[run].results[1].json; };
  result_of(2)["protocol"]["tokenizer_hash"] = "bb";
  result_of(2)["tokens_total"] = 5000;
  for (const size_t run : {size_t{3}, size_t{4}}) {
    result_of(run)["protocol"]["contexts"]["tokens_scored"] = 300;
  }
  // A loss that is not finite.
  for (json& point : result_of(5)["contexts"]) point["nats_per_token"] = nullptr;
  const auto elements = page_elements(lc::html_report(runs, "a program"));
  // Two of learning, one of one, two and six, one of four and five, one a run.
  CHECK(count_of(elements, "img") == 2 + 2 + 6);
  CHECK(has_text(elements, "p",
                 "Not to be compared with one: <three> (other tokenizer, number of tokens); four "
                 "(other number of targets); five (other number of targets)."));
  CHECK(lc::html_report(runs, "a program").find("not finite: six; runs that scored the same") !=
        std::string::npos);

  // Alone, each stays with its own results.
  const auto apart = page_elements(lc::html_report({runs[0], runs[2]}, "a program"));
  CHECK(count_of(apart, "img") == 2 + 2);
  CHECK(has_text(apart, "p",
                 "Not to be compared with one: <three> (other tokenizer, number of tokens)."));
}

TEST_CASE("Of another text no run stands in the same plot over contexts, though as long") {
  std::vector<lc::ReportedRun> runs;
  for (const char* name : {"one", "two", "three"}) runs.push_back(run_of(name, 2));
  const auto protocol_of = [&](size_t run) -> json& {
    return runs[run].results[1].json["protocol"];
  };
  const auto plots_over_contexts = [&] {
    // Two of learning and one a run beside them.
    return count_of(page_elements(lc::html_report(runs, "a program")), "img") - 5;
  };
  CHECK(plots_over_contexts() == 1);
  // Of an older result it isn't known which text it is of.
  protocol_of(1)["text_hash"] = "aa";
  CHECK(plots_over_contexts() == 1);
  CHECK(lc::html_report(runs, "a program").find("Not to be compared") == std::string::npos);
  protocol_of(2)["text_hash"] = "bb";
  CHECK(plots_over_contexts() == 1);
  CHECK(has_text(page_elements(lc::html_report(runs, "a program")), "p",
                 "Not to be compared with one: three (other text)."));
}

TEST_CASE("Numbers side by side say which runs aren't to be compared") {
  std::vector<lc::ReportedRun> runs;
  for (const char* name : {"one", "two", "three", "four"}) runs.push_back(run_of(name, 2));
  const auto noted = [&](const std::string& note) {
    return has_text(page_elements(lc::html_report(runs, "p")), "p", note);
  };
  CHECK(lc::html_report(runs, "p").find("Not to be compared") == std::string::npos);
  runs[1].results[0].json["protocol"]["tokenizer_hash"] = "bb";
  runs[1].results[0].json["tokens_total"] = 5000;
  runs[3].results[0].json["tokens_scored"] = 100;
  CHECK(
      noted("Not to be compared with one: two (other tokenizer, number of tokens); four (other "
            "number of targets)."));
}

TEST_CASE("Of imported weights no training is shown") {
  lc::ReportedRun run = run_of("one", 2);
  run.trained = false;
  const std::string page = lc::html_report({run}, "p");
  CHECK(page.find("lctrain --config") == std::string::npos);
  CHECK(page.find("# Its weights were imported") != std::string::npos);
  CHECK(page.find("lceval --checkpoint runs/one") != std::string::npos);
}

TEST_CASE("A report needs no network and runs nothing") {
  const auto elements = page_elements(lc::html_report({run_of("one", 2), run_of("two", 2)}, "p"));
  for (const svg::Element& element : elements) {
    CHECK(element.name != "script");
    CHECK(element.name != "link");
    for (const auto& [key, value] : element.attributes) {
      CHECK(key.rfind("on", 0) != 0);
      if (key == "src") CHECK(value.rfind("data:image/svg+xml,", 0) == 0);
      if (key == "href") CHECK(value.rfind("#", 0) == 0);
    }
    if (element.name != "style") continue;
    CHECK(element.text.find("url(") == std::string::npos);
    CHECK(element.text.find("@import") == std::string::npos);
  }
  CHECK(has_text(elements, "p", "All settings are the same."));
}

TEST_CASE("A report follows the reader's theme and fits narrow screens") {
  const auto elements = page_elements(lc::html_report({run_of("one", 2)}, "p"));
  std::map<std::string, std::string> meta;
  std::string style;
  for (const svg::Element& element : elements) {
    if (element.name == "style") style += element.text;
    if (element.name != "meta" || !element.attributes.contains("name")) continue;
    meta[element.attributes.at("name")] = element.attributes.at("content");
  }
  CHECK(meta["viewport"] == "width=device-width, initial-scale=1");
  CHECK(meta["color-scheme"] == "light dark");
  const auto has_rule = [&](const std::string& rule) {
    return style.find(rule) != std::string::npos;
  };
  // Dark: the same names of colours with other values.
  CHECK(has_rule(":root{color-scheme:light dark;--ground:#"));
  CHECK(has_rule("@media (prefers-color-scheme:dark){:root{--ground:#"));
  // Narrow: plots below their numbers, smaller margins; tables and plots scroll in their frames.
  CHECK(has_rule("@media (max-width:1000px){.pair{grid-template-columns:minmax(0,1fr)}"));
  CHECK(has_rule("@media (max-width:520px){header,main,footer{padding-left:14px"));
  CHECK(has_rule(".scroll{overflow-x:auto}"));
  CHECK(has_rule("figure{margin:0;overflow-x:auto}"));
}

TEST_CASE("Whatever stands in a run is text on the page") {
  lc::ReportedRun run = run_of("one", 2);
  run.settings.name = kHostile;
  run.folder = kHostile;
  run.curves = lc::read_learning_curves(
      kHostile, json{{"step", 1}, {"split", "<b>"}, {"nats_per_token", 1}}.dump() + "\n" +
                    json{{"step", 1}, {std::string("aux/<i>/0"), 1}}.dump());
  run.settings.config["<u>"]["\">"] = kHostile;
  json hostile = {{"<p>", kHostile}, {"rows", {{{"\"><a>", kHostile}}}}, {"number", 1}};
  hostile["protocol"] = {{"<q>", kHostile}, {"command", kHostile}};
  run.results = {{"<em>_x", hostile, std::string("</svg>\"><script>") + kHostile, kHostile}};
  const std::string page = lc::html_report({run, run_of("two", 2)}, kHostile);
  CHECK(page.find("<script") == std::string::npos);
  for (const svg::Element& element : page_elements(page)) {
    for (const char* name : {"script", "b", "i", "u", "q", "em"}) CHECK(element.name != name);
  }
  CHECK(page.find('\xFF') == std::string::npos);
  // Runs without anything.
  CHECK_NOTHROW(page_elements(lc::html_report({lc::ReportedRun{}}, "")));
  lc::ReportedRun odd;
  odd.results = {{"a", json::array({1, 2}), "", ""}, {"b", json(3), "", ""}};
  odd.results.push_back(
      {"test",
       {{"contexts", {1}}, {"protocol", 5}, {"nats_per_token", 0}, {"tokens_scored", 0}},
       "",
       ""});
  CHECK_NOTHROW(page_elements(lc::html_report({odd, odd}, "")));
}

TEST_CASE("Any result becomes tables: pairs, rows of objects, objects in objects") {
  const json result = {{"loss", 0.123456},
                       {"tokens", 1234567},
                       {"rate", 2.5e-7},
                       {"cells",
                        {{{"name", "x"}, {"length", 64}, {"inner", {{"exact", 0.5}}}},
                         {{"name", "y"}, {"length", 128}, {"extra", nullptr}}}},
                       {"part", {{"deep", true}}},
                       {"protocol", {{"seed", 1}, {"units", {{"bytes", 7}}}}}};
  const auto elements = svg::parse_markup(lc::html_result(result));
  for (const char* cell :
       {"0.1235", "1,234,567", "2.50e-07", "x", "128", "0.5000", "yes", "part: deep"}) {
    CAPTURE(cell);
    CHECK(has_text(elements, "td", cell));
  }
  std::vector<std::string> heads;
  for (const svg::Element& element : elements) {
    if (element.name == "th") heads.push_back(element.text);
  }
  CHECK(heads == std::vector<std::string>{"name", "length", "extra", "inner: exact"});
  CHECK(!has_text(elements, "td", "7"));
  const auto protocol = svg::parse_markup(lc::html_protocol(result));
  CHECK(has_text(protocol, "td", "units: bytes"));
  CHECK(lc::html_protocol(json(3)).empty());

  json many = {{"rows", json::array()}};
  for (int i = 0; i < 450; ++i) many["rows"].push_back({{"i", i}});
  const auto cut = svg::parse_markup(lc::html_result(many));
  CHECK(count_of(cut, "td") == 400);
  CHECK(has_text(cut, "p", "The first 400 of 450 rows."));
}

TEST_CASE("Each object in a result has a table of its own, the outer before the inner") {
  const json result = {{"b", {{"y", 2}, {"x", 1}, {"deep", {{"z", 3}}}, {"rows", {{{"i", 7}}}}}},
                       {"a", {{"w", 0}}},
                       {"last", 9}};
  std::vector<std::string> shown;
  for (const svg::Element& element : svg::parse_markup(lc::html_result(result))) {
    const bool pairs = element.name == "div" && element.attributes.at("class") == "pairs";
    if (pairs) shown.push_back("table");
    if (element.name == "td" || element.name == "th") shown.push_back(element.text);
  }
  CHECK(shown == std::vector<std::string>{"table", "last", "9", "table", "a: w", "0", "table",
                                          "b: x", "1", "b: y", "2", "i", "7", "table", "b: deep: z",
                                          "3"});
}

TEST_CASE("An image holds the file byte for byte") {
  const std::string svg = "<svg a=\"b\">\n#%&'\t\xC3\xA9</svg>";
  const auto elements = svg::parse_markup(lc::html_image(svg, "it's \"x\""));
  const std::string uri = elements.at(1).attributes.at("src");
  std::string decoded;
  for (size_t i = uri.find(',') + 1; i < uri.size(); ++i) {
    if (uri[i] != '%') {
      decoded += uri[i];
      continue;
    }
    decoded += static_cast<char>(std::stoi(uri.substr(i + 1, 2), nullptr, 16));
    i += 2;
  }
  CHECK(decoded == svg);
}
