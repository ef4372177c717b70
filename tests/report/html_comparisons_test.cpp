// Results of several runs together on the report page, and lists in lists as tables.
#include <algorithm>
#include <string>
#include <vector>

#include "catch.h"
#include "report/html/comparisons.h"
#include "report/html/json.h"
#include "report/svg_elements.h"

namespace {

using nlohmann::json;
using Texts = std::vector<std::string>;

lc::ReportedRun plain_run() {
  lc::ReportedRun run;
  run.settings = {"xl", nlohmann::ordered_json::parse(R"({"model": {"type": "vanilla"}})")};
  run.folder = "runs/xl";
  return run;
}

// As `lceval compare` writes it, shortened.
json difference_of_two() {
  return json::parse(R"({
    "a": {"name": "xl", "nats_per_token": 1.25,
          "protocol": {"split": "test", "command": "lceval compare runs/xl runs/vanilla"}},
    "b": {"name": "vanilla", "nats_per_token": 1.5,
          "protocol": {"split": "test", "command": "lceval compare runs/xl runs/vanilla"}},
    "difference": {"nats_per_token": -0.25, "tokens": 12345},
    "gains": {"words": {"a": [{"text": "the", "count": 3, "nats_mean": -0.5}]}}})");
}

// As `lceval recl` writes it, shortened.
json effective_contexts() {
  return json::parse(R"({
    "groups": [{"name": "all", "runs": [
      {"name": "xl", "parameters": 9216, "lengths": [
        {"share": 0.1, "effective_context": 400, "at_least": true, "targets": 6, "gains": [
          {"context": 100, "longer": 200, "gain": 0.5},
          {"context": 200, "longer": 300, "gain": 0.25}]}]},
      {"name": "vanilla", "parameters": 8672, "lengths": [
        {"share": 0.1, "effective_context": 100, "at_least": false, "targets": 6, "gains": [
          {"context": 100, "longer": 200, "gain": 0.125}]}]}]}],
    "protocol": {"mode": "strict", "runs": {"xl": {"command": "lceval recl"}}}})");
}

std::string section_of(const std::string& page, const std::string& id) {
  const size_t begin = page.find("<section id=\"" + id + "\">");
  if (begin == std::string::npos) return "";
  const std::string end = "</section>";
  return page.substr(begin, page.find(end, begin) + end.size() - begin);
}

// Of all elements of that name, in order.
Texts texts_of(const std::vector<svg::Element>& elements, const std::string& name) {
  Texts texts;
  for (const svg::Element& element : elements) {
    if (element.name == name) texts.push_back(element.text);
  }
  return texts;
}

bool has(const Texts& texts, const std::string& text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

}  // namespace

TEST_CASE("Results of several runs together have a section with numbers, plots and commands") {
  const std::vector<lc::ReportedResult> comparisons = {
      {"compare_test", difference_of_two(), "<svg>difference</svg>", ""},
      {"test_recl_strict", effective_contexts(), "", ""},
      {"drawn", json(), "<svg>alone</svg>", ""}};
  const std::string page = lc::html_report({plain_run()}, "a program", comparisons);
  const auto elements = svg::parse_markup(section_of(page, "comparisons"));
  CHECK(page.find("<a href=\"#comparisons\">Comparisons</a>") != std::string::npos);
  CHECK(texts_of(elements, "h2") == Texts{"Comparisons"});
  CHECK(texts_of(elements, "h3") == Texts{"compare test", "test recl strict", "drawn"});
  for (const char* cell : {"-0.2500", "12,345", "1.2500", "1.5000", "the", "400", "0.1250"}) {
    CAPTURE(cell);
    CHECK(has(texts_of(elements, "td"), cell));
  }
  CHECK(has(texts_of(elements, "td"), "difference: nats per token"));
  CHECK(texts_of(elements, "summary") ==
        Texts{"protocol of xl", "protocol of vanilla", "protocol"});
  Texts plots;
  for (const svg::Element& element : elements) {
    if (element.name == "img") plots.push_back(element.attributes.at("src"));
  }
  CHECK(plots == Texts{"data:image/svg+xml,%3Csvg%3Edifference%3C/svg%3E",
                       "data:image/svg+xml,%3Csvg%3Ealone%3C/svg%3E"});
  // Each command once.
  const auto commands = texts_of(svg::parse_markup(section_of(page, "reproduce")), "pre");
  REQUIRE(commands.size() == 2);
  CHECK(commands[1] == "lceval compare runs/xl runs/vanilla\nlceval recl\n");
}

TEST_CASE("The folder before the name of a result is shown as it is") {
  const auto elements = svg::parse_markup(
      "<p>" + lc::html_comparisons({{"my_runs/a_b/test_recl", json(), "<svg/>", ""}}) + "</p>");
  CHECK(texts_of(elements, "h3") == Texts{"my_runs/a_b/test recl"});
  for (const svg::Element& element : elements) {
    if (element.name == "img") CHECK(element.attributes.at("alt") == "my_runs/a_b/test recl");
  }
}

TEST_CASE("A report without such results has no section of them") {
  const std::string page = lc::html_report({plain_run()}, "a program");
  CHECK(page.find("omparisons") == std::string::npos);
  CHECK(texts_of(svg::parse_markup(section_of(page, "reproduce")), "pre").size() == 1);
  CHECK(lc::html_comparisons({}).empty());
}

TEST_CASE("Whatever stands in the results of several runs is text on the page") {
  const std::string hostile = "</section><script>alert(\"1\")</script>&'\xFF\n";
  json result = {{"runs", {{{"name", hostile}, {"<p>", 1}, {"protocol", {{"<q>", hostile}}}}}}};
  result["runs"][0]["rows"] = {{{hostile, hostile}}};
  result["protocol"]["command"] = hostile;
  const std::string page = lc::html_report(
      {plain_run()}, "a program", {{hostile, result, "</svg>\"><script>" + hostile, hostile}});
  CHECK(page.find("<script") == std::string::npos);
  const std::string kind = "<!DOCTYPE html>\n";
  for (const svg::Element& element : svg::parse_markup(page.substr(kind.size()))) {
    for (const char* name : {"script", "q"}) CHECK(element.name != name);
  }
  CHECK(page.find('\xFF') == std::string::npos);
}

TEST_CASE("Lists in lists become tables whose rows say what they belong to") {
  const auto elements = svg::parse_markup(lc::html_result(effective_contexts()));
  // Of the group there is only its name, which the runs begin with.
  CHECK(texts_of(elements, "h5") ==
        Texts{"groups: runs", "groups: runs: lengths", "groups: runs: lengths: gains"});
  CHECK(texts_of(elements, "th") ==
        Texts{"groups: name", "name", "parameters",
              // texts name a run; a length has none, so all of it stands before its gains
              "groups: name", "runs: name", "effective context", "targets", "at least", "share",
              "groups: name", "runs: name", "lengths: at least", "lengths: effective context",
              "lengths: share", "lengths: targets", "context", "longer", "gain"});
  CHECK(texts_of(elements, "td") ==
        Texts{"all", "xl",      "9216",                                                     //
              "all", "vanilla", "8672",                                                     //
              "all", "xl",      "400",  "6",   "yes",    "0.1000",                          //
              "all", "vanilla", "100",  "6",   "no",     "0.1000",                          //
              "all", "xl",      "yes",  "400", "0.1000", "6",      "100", "200", "0.5000",  //
              "all", "xl",      "yes",  "400", "0.1000", "6",      "200", "300", "0.2500",  //
              "all", "vanilla", "no",   "100", "0.1000", "6",      "100", "200", "0.1250"});
}

TEST_CASE("Runs of one result show their numbers in one table and each its protocol") {
  const json result = json::parse(R"({"runs": [
    {"name": "xl", "loss": 1.5, "whole": {"tokens": 7},
     "slices": [{"slice": "rare", "tokens": 3}, {"slice": "common", "tokens": 4}],
     "protocol": {"split": "test", "units": {"bytes": 7}}},
    {"name": "vanilla", "loss": 2.5, "whole": {"tokens": 7}, "slices": [],
     "protocol": {"split": "valid", "command": "lceval slices"}}]})");
  const auto elements = svg::parse_markup(lc::html_result(result));
  CHECK(texts_of(elements, "h5") == Texts{"runs", "runs: slices"});
  CHECK(texts_of(elements, "th") == Texts{"name", "whole: tokens", "loss", "slices",  //
                                          "runs: name", "slice", "tokens"});
  CHECK(texts_of(elements, "td") == Texts{"xl", "7", "1.5000", "-",          //
                                          "vanilla", "7", "2.5000", "none",  //
                                          "xl", "rare", "3", "xl", "common", "4"});
  const auto protocols = svg::parse_markup(lc::html_protocol(result));
  CHECK(texts_of(protocols, "summary") == Texts{"protocol of xl", "protocol of vanilla"});
  CHECK(texts_of(protocols, "td") == Texts{"split", "test", "units: bytes", "7", "split", "valid"});
}
