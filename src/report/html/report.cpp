#include "report/html/report.h"

#include <set>
#include <utility>

#include "report/html/comparable.h"
#include "report/html/comparisons.h"
#include "report/html/contexts.h"
#include "report/html/json.h"
#include "report/html/overview.h"
#include "report/html/reproduce.h"
#include "report/html/style.h"
#include "report/html/text.h"
#include "report/shown_name.h"
#include "report/svg/plot_text.h"

namespace lc {
namespace {

std::string plot_card(const std::string& svg, const std::string& alt) {
  return html_element("div", "card plot", html_image(svg, alt));
}

std::string overview(const std::vector<ReportedRun>& runs) {
  std::string cards;
  for (const ReportedRun& run : runs) cards += html_card(run);
  return html_element("div", "cards", cards);
}

std::string learning(const std::vector<ReportedRun>& runs) {
  std::vector<LearningCurves> curves;
  bool trained = false;
  bool evaluated = false;
  for (const ReportedRun& run : runs) {
    curves.push_back(run.curves);
    trained = trained || !run.curves.training.empty();
    evaluated = evaluated || !run.curves.evaluations.empty();
  }
  std::string plots;
  if (trained) plots += plot_card(svg_plot(training_plot(curves)), "training loss by tokens");
  if (evaluated) plots += plot_card(svg_plot(evaluation_plot(curves)), "evaluation loss by tokens");
  std::string html = html_element("div", "plots", plots);
  if (plots.empty()) html = html_element("p", "note", "No run has a metrics.jsonl with lines.");
  const BarChart auxiliary = auxiliary_chart(curves);
  if (!auxiliary.panels.empty()) {
    html += html_element("h3", "", "Auxiliary losses") +
            html_element("div", "card wide", html_image(svg_bars(auxiliary), auxiliary.title));
  }
  return html;
}

const ReportedResult* result_named(const ReportedRun& run, const std::string& stem) {
  for (const ReportedResult& result : run.results) {
    if (result.stem == stem) return &result;
  }
  return nullptr;
}

// Plain evaluations ("test") before what begins like them ("test_context_strict").
std::vector<std::string> stems_of(const std::vector<ReportedRun>& runs) {
  std::set<std::pair<bool, std::string>> stems;
  for (const ReportedRun& run : runs) {
    for (const ReportedResult& result : run.results) {
      stems.emplace(result.stem.find('_') != std::string::npos, result.stem);
    }
  }
  std::vector<std::string> names;
  for (const auto& [derived, stem] : stems) names.push_back(stem);
  return names;
}

// Which of the results can't be compared with the first of them, and why; empty: all can.
std::string incomparable_note(const std::vector<ResultOfRun>& results) {
  std::vector<ResultTrait> traits = text_traits();
  traits.push_back({"number of targets", "/tokens_scored"});
  const std::vector<nlohmann::json> own = values_of(traits, results.front().json);
  std::string apart;
  for (const ResultOfRun& result : results) {
    const std::string names = differing_traits(traits, own, values_of(traits, result.json));
    if (!names.empty())
      apart += (apart.empty() ? "" : "; ") + result.name + " (other " + names + ")";
  }
  if (apart.empty()) return "";
  const std::string text = "Not to be compared with " + results.front().name + ": " + apart + ".";
  return html_element("p", "note", escape_xml(text));
}

// Numbers at the top of the object, a row each, a column a run.
std::string side_by_side(const std::vector<ReportedRun>& runs, const std::string& stem) {
  HtmlTable table;
  table.head.push_back({"", ""});
  std::vector<ResultOfRun> objects;
  std::set<std::string> keys;
  for (const ReportedRun& run : runs) {
    const ReportedResult* result = result_named(run, stem);
    if (result == nullptr || !result->json.is_object()) continue;
    table.head.push_back({run.settings.name, "number"});
    objects.push_back({run.settings.name, result->json});
    for (const auto& [key, value] : result->json.items()) {
      if (value.is_number()) keys.insert(key);
    }
  }
  if (objects.size() < 2 || keys.size() < 2) return "";
  for (const std::string& key : keys) {
    table.rows.push_back({{shown_name(key), "key"}});
    for (const ResultOfRun& object : objects) {
      table.rows.back().push_back(html_value(object.json.value(key, nlohmann::json())));
    }
  }
  return html_element(
      "div", "card",
      html_element("h4", "", "Side by side") + html_table(table) + incomparable_note(objects));
}

// Of all runs that have a result of that name.
std::string joint_contexts(const std::vector<ReportedRun>& runs, const std::string& stem) {
  std::vector<ResultOfRun> results;
  for (const ReportedRun& run : runs) {
    const ReportedResult* result = result_named(run, stem);
    if (result != nullptr) results.push_back({run.settings.name, result->json});
  }
  return html_contexts(results);
}

enum class Numbers { kShown, kToBeOpened };

// The plot, if there is one, with name, numbers and protocol beside it.
std::string result_card(const ReportedRun& run, const ReportedResult& result, Numbers shown) {
  std::string inner = html_element("h4", "name", escape_xml(run.settings.name));
  if (!result.fault.empty()) inner += html_element("p", "note", escape_xml(result.fault));
  if (!result.json.is_null()) {
    const std::string numbers = html_result(result.json);
    inner += shown == Numbers::kShown ? numbers : html_details("numbers", numbers);
    inner += html_protocol(result.json);
  }
  if (result.svg.empty()) return html_element("div", "card", inner);
  const std::string plot = html_image(result.svg, result.stem + " of " + run.settings.name);
  return html_element("div", "card pair wide", html_element("div", "", inner) + plot);
}

// Cards with plots below one another, those without side by side.
std::string result_cards(const std::vector<ReportedRun>& runs, const std::string& stem,
                         Numbers of_plain) {
  std::string plotted;
  std::string plain;
  for (const ReportedRun& run : runs) {
    const ReportedResult* result = result_named(run, stem);
    if (result == nullptr) continue;
    const bool has_plot = !result->svg.empty();
    (has_plot ? plotted : plain) +=
        result_card(run, *result, has_plot ? Numbers::kToBeOpened : of_plain);
  }
  return plotted + (plain.empty() ? "" : html_element("div", "cards", plain));
}

std::string results(const std::vector<ReportedRun>& runs) {
  std::string html;
  for (const std::string& stem : stems_of(runs)) {
    html += html_element("h3", "", escape_xml(shown_name(stem)));
    const std::string table = side_by_side(runs, stem);
    html += joint_contexts(runs, stem) + table;
    html += result_cards(runs, stem, table.empty() ? Numbers::kShown : Numbers::kToBeOpened);
  }
  if (!html.empty()) return html;
  return html_element("p", "note", "No results yet: lceval --checkpoint RUN writes them.");
}

std::string head(const std::string& title) {
  // Whatever stands in the page: nothing may run, nothing may be fetched.
  return "<head>\n<meta charset=\"utf-8\"/>\n<meta http-equiv=\"Content-Security-Policy\" "
         "content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\"/>\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
         "<meta name=\"color-scheme\" content=\"light dark\"/>\n<title>" +
         escape_xml(title) + "</title>\n<style>" + html_style() + "</style>\n</head>\n";
}

// A part of the page, with its entry in the navigation.
struct PagePart {
  std::string id;
  std::string title;
  std::string inner;  // HTML
};

std::string navigation(const std::vector<PagePart>& parts) {
  std::string links;
  for (const PagePart& part : parts) {
    links += "<a href=\"#" + part.id + "\">" + escape_xml(part.title) + "</a>\n";
  }
  return html_element("nav", "", html_element("div", "", links));
}

std::string sections(const std::vector<PagePart>& parts) {
  std::string html;
  for (const PagePart& part : parts) {
    html += "<section id=\"" + part.id + "\">\n" + html_element("h2", "", escape_xml(part.title)) +
            part.inner + "</section>\n";
  }
  return html;
}

}  // namespace

std::string html_report(const std::vector<ReportedRun>& runs, const std::string& made_by,
                        const std::vector<ReportedResult>& comparisons) {
  const std::string title = runs.size() == 1 ? "Report of " + runs.front().settings.name
                                             : "Report of " + std::to_string(runs.size()) + " runs";
  std::vector<RunSettings> settings;
  std::string names;
  for (const ReportedRun& run : runs) {
    settings.push_back(run.settings);
    names += (names.empty() ? "" : ", ") + run.settings.name;
  }
  std::vector<PagePart> parts = {{"overview", "Overview", overview(runs)},
                                 {"learning", "Learning curves", learning(runs)},
                                 {"results", "Results", results(runs)}};
  if (!comparisons.empty()) {
    parts.push_back({"comparisons", "Comparisons", html_comparisons(comparisons)});
  }
  parts.push_back({"settings", "Settings", html_element("div", "card", html_settings(settings))});
  parts.push_back({"reproduce", "How to reproduce", html_reproduce(runs, comparisons)});
  const std::string header =
      html_element("h1", "", escape_xml(title)) + html_element("p", "", escape_xml(names));
  return "<!DOCTYPE html>\n<html lang=\"en\">\n" + head(title) + "<body>\n" +
         html_element("header", "", header) + navigation(parts) +
         html_element("main", "", sections(parts)) +
         html_element("footer", "", escape_xml("Made by " + made_by)) + "</body>\n</html>\n";
}

}  // namespace lc
