// The report of one or more runs as one HTML page that needs nothing else: no network, no scripts,
// no fonts. Settings side by side, learning curves, every result and plot with its protocol, what
// was found of several runs together, and the commands that make them again.
//
// Nothing in it depends on the time, so that the same runs give the same page.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/html/settings.h"
#include "report/learning_curves.h"

namespace lc {

// The files of one name in a folder, such as test_context_strict.json and .svg in a run's eval.
struct ReportedResult {
  std::string stem;
  nlohmann::json json;  // null: there is none
  std::string svg;      // empty: there is none
  std::string fault;    // why one of its files is left out; empty: none is
};

struct ReportedRun {
  RunSettings settings;
  std::string folder;   // as commands name it
  bool trained = true;  // false: its weights were imported
  LearningCurves curves;
  std::vector<ReportedResult> results;
};

// made_by: version of the program. comparisons: results that stand in no run's folder.
std::string html_report(const std::vector<ReportedRun>& runs, const std::string& made_by,
                        const std::vector<ReportedResult>& comparisons = {});

}  // namespace lc
