#include "report/svg/plot_contexts.h"

#include <limits>

#include "core/number_text.h"

namespace lc {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

PlotCurve curve_of(const RunResult& result, const LossUnit& unit) {
  PlotCurve curve{result.name, {}};
  for (const ContextPoint& point : result.sweep->points) {
    const LossValue loss = loss_in(unit, point.evaluation.measures);
    PlotPoint drawn{static_cast<double>(point.context), loss.value.value_or(kNone)};
    if (loss.interval) {
      drawn.low = loss.interval->low;
      drawn.high = loss.interval->high;
    }
    curve.points.push_back(drawn);
  }
  return curve;
}

std::string text_of(const nlohmann::json& object, const std::string& key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace

Plot contexts_plot(const std::vector<RunResult>& results) {
  const LossUnit unit = common_unit(results);
  const RunResult& first = results.front();
  Plot plot;
  plot.title = "Loss against context length";
  const std::string split = text_of(first.source, "split");
  const int64_t targets = first.sweep->points.front().evaluation.measures.tokens_scored;
  plot.subtitle = (split == "text" ? split : split + " split") + ": " + grouped(targets) +
                  " targets, the same at every length; " + text_of(first.sweep->protocol, "mode") +
                  " context; 95% intervals";
  plot.x_label = "context: tokens before the current one (logarithmic)";
  plot.y_label = unit.name;
  for (const RunResult& result : results) plot.curves.push_back(curve_of(result, unit));
  return plot;
}

}  // namespace lc
