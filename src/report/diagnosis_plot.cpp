#include "report/diagnosis_plot.h"

#include <cmath>
#include <limits>
#include <optional>

#include "eval/diagnosis.h"
#include "report/csv.h"

namespace lc {
namespace {

std::optional<double> number_at(const nlohmann::json& entry, const char* key) {
  if (!entry.at(key).is_number()) return {};
  const auto value = entry.at(key).get<double>();
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::string layer_of(const nlohmann::json& entry) {
  return std::to_string(entry.at("layer").get<int64_t>());
}

std::string spaced(std::string name) {
  for (char& c : name) c = c == '_' ? ' ' : c;
  return name;
}

// A histogram of one layer, in percent.
BarPanel share_panel(const std::string& name, const nlohmann::json& entry) {
  BarPanel panel{name + ", layer " + layer_of(entry), PanelSize::kThird, name, {}};
  const auto mean = number_at(entry, "mean");
  BarGroup tenths{"mean " + (mean ? bar_amount(*mean) : "not a number"), "0", "1", {}};
  for (const nlohmann::json& share : entry.at("histogram")) {
    tenths.values.push_back(100 * share.get<double>());
  }
  panel.groups.push_back(std::move(tenths));
  return panel;
}

BarPanel number_panel(const std::string& name, const nlohmann::json& layers) {
  BarPanel panel{name, size_for(layers.size()), "", {}};
  BarGroup means{"layer", layer_of(layers.front()), layer_of(layers.back()), {}};
  for (const nlohmann::json& entry : layers) {
    means.values.push_back(
        number_at(entry, "mean").value_or(std::numeric_limits<double>::quiet_NaN()));
  }
  panel.groups.push_back(std::move(means));
  return panel;
}

void add_panels(const RunResult& result, const std::string& prefix, BarChart& chart) {
  if (result.evaluation.measured.is_null()) return;
  for (const auto& [measured, layers] : result.evaluation.measured.items()) {
    const std::string name = prefix + spaced(measured);
    if (!layers.front().contains("histogram")) {
      chart.panels.push_back(number_panel(name, layers));
      continue;
    }
    for (const nlohmann::json& entry : layers) chart.panels.push_back(share_panel(name, entry));
  }
}

std::vector<std::string> csv_row(const std::string& run, const std::string& measured,
                                 const std::optional<double>& mean) {
  std::vector<std::string> row = {run, measured, "", "", csv_number(mean), ""};
  row.resize(row.size() + static_cast<size_t>(MeasureSummary::kBins));
  return row;
}

std::vector<std::string> csv_row(const std::string& run, const std::string& measured,
                                 const nlohmann::json& entry) {
  std::vector<std::string> row = csv_row(run, measured, number_at(entry, "mean"));
  row[2] = layer_of(entry);
  row[3] = csv_number(number_at(entry, "min"));
  row[5] = csv_number(number_at(entry, "max"));
  if (!entry.contains("histogram")) return row;
  size_t column = 6;
  for (const nlohmann::json& share : entry.at("histogram")) {
    row[column++] = csv_number(share.get<double>());
  }
  return row;
}

}  // namespace

BarChart diagnosis_chart(const std::vector<RunResult>& results) {
  BarChart chart;
  chart.title = "What the model measures of itself";
  if (results.size() == 1) chart.title += ": " + results.front().name;
  chart.subtitle =
      "over all segments: means by layer; shares as histograms over the tenths of 0 to 1, in %";
  for (const RunResult& result : results) {
    add_panels(result, results.size() == 1 ? "" : result.name + ": ", chart);
  }
  if (chart.panels.empty()) chart.subtitle = "nothing: this model has no measures of its own";
  return chart;
}

std::string diagnosis_csv(const std::vector<RunResult>& results) {
  std::vector<std::string> titles = {"run", "measured", "layer", "min", "mean", "max"};
  for (int64_t i = 0; i < MeasureSummary::kBins; ++i) {
    titles.push_back("tenth_" + std::to_string(i));
  }
  std::string text = csv_line(titles);
  for (const RunResult& result : results) {
    const Evaluation& evaluation = result.evaluation;
    text += csv_line(csv_row(result.name, "nats_per_token", evaluation.measures.nats_per_token));
    if (evaluation.without_memory) {
      text += csv_line(csv_row(result.name, "nats_per_token_without_memory",
                               evaluation.without_memory->nats_per_token));
    }
    if (evaluation.measured.is_null()) continue;
    for (const auto& [measured, layers] : evaluation.measured.items()) {
      for (const nlohmann::json& entry : layers) {
        text += csv_line(csv_row(result.name, measured, entry));
      }
    }
  }
  return text;
}

}  // namespace lc
