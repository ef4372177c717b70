#include "report/learning_curves.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>

#include "report/shown_name.h"

namespace lc {
namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();
constexpr size_t kMostPoints = 240;
constexpr double kCurvesWidth = 560;
constexpr std::string_view kAuxiliary = "aux/";

double number_or(const nlohmann::json& line, const std::string& key, double otherwise) {
  const auto found = line.find(key);
  return found != line.end() && found->is_number() ? found->get<double>() : otherwise;
}

// Tokens at a step: between two training lines in proportion, after the last at its rate.
class TokensByStep {
 public:
  void add(double step, double tokens) { points_[step] = tokens; }

  double at(double step) const {
    const auto after = points_.lower_bound(step);
    if (after == points_.begin()) return after->second;
    if (after == points_.end()) {
      const auto& [last, tokens] = *points_.rbegin();
      return last > 0 ? tokens * step / last : tokens;
    }
    const auto before = std::prev(after);
    const double share = (step - before->first) / (after->first - before->first);
    return before->second + share * (after->second - before->second);
  }

 private:
  std::map<double, double> points_{{0, 0}};
};

// "aux/auto_encoding_mse/3": name and layer; none for the counts beside them.
std::optional<std::pair<std::string, int64_t>> auxiliary_key(const std::string& key) {
  if (key.rfind(kAuxiliary, 0) != 0) return {};
  const size_t slash = key.rfind('/');
  const std::string layer = key.substr(slash + 1);
  if (slash < kAuxiliary.size() || layer.empty() || layer.size() > 6) return {};
  if (layer.find_first_not_of("0123456789") != std::string::npos) return {};
  return std::pair{key.substr(kAuxiliary.size(), slash - kAuxiliary.size()),
                   static_cast<int64_t>(std::stoll(layer))};
}

void take_training_line(const nlohmann::json& line, LearningCurves& curves) {
  curves.steps = static_cast<int64_t>(number_or(line, "step", 0));
  curves.tokens = number_or(line, "tokens", curves.tokens);
  curves.seconds = number_or(line, "seconds", curves.seconds);
  curves.training.push_back(
      {curves.tokens, number_or(line, "loss_nats_per_token", kUndefined), kUndefined});
  for (const auto& [key, value] : line.items()) {
    const auto place = auxiliary_key(key);
    if (!place || !value.is_number()) continue;
    if (number_or(line, key + "/count", 1) == 0) continue;
    curves.auxiliary[place->first][place->second] = value.get<double>();
  }
}

std::set<std::string> splits_of(const std::vector<LearningCurves>& runs) {
  std::set<std::string> splits;
  for (const LearningCurves& run : runs) {
    for (const auto& [split, points] : run.evaluations) splits.insert(split);
  }
  return splits;
}

bool all_have_bits(const std::vector<LearningCurves>& runs) {
  for (const LearningCurves& run : runs) {
    for (const auto& [split, points] : run.evaluations) {
      for (const LearningPoint& point : points) {
        if (!std::isfinite(point.bits_per_byte)) return false;
      }
    }
  }
  return true;
}

Plot plot_by_tokens(const std::string& title, const std::string& unit) {
  Plot plot;
  plot.title = title;
  plot.x_label = "tokens trained on";
  plot.y_label = unit;
  plot.axis = HorizontalAxis::kLinear;
  plot.width = kCurvesWidth;
  return plot;
}

}  // namespace

LearningCurves read_learning_curves(const std::string& name, std::string_view metrics_jsonl) {
  LearningCurves curves;
  curves.name = name;
  TokensByStep tokens;
  std::vector<nlohmann::json> evaluations;
  std::istringstream lines{std::string(metrics_jsonl)};
  for (std::string text; std::getline(lines, text);) {
    nlohmann::json line = nlohmann::json::parse(text, nullptr, false);
    if (!line.is_object() || !line.contains("step")) continue;
    if (line.contains("split")) {
      evaluations.push_back(std::move(line));
      continue;
    }
    take_training_line(line, curves);
    tokens.add(number_or(line, "step", 0), curves.tokens);
  }
  for (const nlohmann::json& line : evaluations) {
    if (!line.at("split").is_string()) continue;
    curves.evaluations[line.at("split").get<std::string>()].push_back(
        {tokens.at(number_or(line, "step", 0)), number_or(line, "nats_per_token", kUndefined),
         number_or(line, "bits_per_byte", kUndefined)});
  }
  return curves;
}

std::vector<LearningPoint> thinned(const std::vector<LearningPoint>& points, size_t most) {
  if (points.size() <= most) return points;
  const size_t stretch = (points.size() + most - 1) / most;
  std::vector<LearningPoint> result;
  for (size_t first = 0; first < points.size(); first += stretch) {
    const size_t end = std::min(first + stretch, points.size());
    LearningPoint mean{points[end - 1].tokens, 0, 0};
    for (size_t i = first; i < end; ++i) {
      mean.nats_per_token += points[i].nats_per_token / static_cast<double>(end - first);
      mean.bits_per_byte += points[i].bits_per_byte / static_cast<double>(end - first);
    }
    result.push_back(mean);
  }
  return result;
}

Plot training_plot(const std::vector<LearningCurves>& runs) {
  Plot plot = plot_by_tokens("Training loss", "nats per token");
  plot.subtitle = "mean over the updates between two log lines";
  for (const LearningCurves& run : runs) {
    PlotCurve curve{run.name, {}};
    for (const LearningPoint& point : thinned(run.training, kMostPoints)) {
      curve.points.push_back({point.tokens, point.nats_per_token});
    }
    plot.curves.push_back(std::move(curve));
  }
  return plot;
}

Plot evaluation_plot(const std::vector<LearningCurves>& runs) {
  const bool bits = all_have_bits(runs);
  Plot plot =
      plot_by_tokens("Evaluation while training", bits ? "bits per byte" : "nats per token");
  const std::set<std::string> splits = splits_of(runs);
  const bool one_split = splits.size() == 1;
  plot.subtitle = (one_split ? *splits.begin() : "each") +
                  std::string(" split, or the part of it that eval.tokens names");
  for (const LearningCurves& run : runs) {
    for (const auto& [split, points] : run.evaluations) {
      PlotCurve curve{one_split ? run.name : run.name + ", " + split, {}};
      for (const LearningPoint& point : thinned(points, kMostPoints)) {
        curve.points.push_back({point.tokens, bits ? point.bits_per_byte : point.nats_per_token});
      }
      plot.curves.push_back(std::move(curve));
    }
  }
  return plot;
}

BarChart auxiliary_chart(const std::vector<LearningCurves>& runs) {
  BarChart chart;
  chart.title = "Auxiliary losses by layer";
  chart.subtitle = "mean between the last two log lines of training";
  const auto with_losses = std::count_if(
      runs.begin(), runs.end(), [](const LearningCurves& run) { return !run.auxiliary.empty(); });
  for (const LearningCurves& run : runs) {
    for (const auto& [name, by_layer] : run.auxiliary) {
      BarGroup group{"layer",
                     std::to_string(by_layer.begin()->first),
                     std::to_string(by_layer.rbegin()->first),
                     {}};
      for (const auto& [layer, value] : by_layer) group.values.push_back(value);
      const PanelSize size = size_for(group.values.size());
      chart.panels.push_back({(with_losses > 1 ? run.name + ": " : "") + shown_name(name),
                              size,
                              "",
                              {std::move(group)}});
    }
  }
  return chart;
}

}  // namespace lc
