#include "report/dynamic_text.h"

#include "report/csv.h"
#include "report/svg/plot_text.h"
#include "report/table.h"
#include "report/table_results.h"

namespace lc {
namespace {

std::string rule_of(const RunResult& result) {
  const nlohmann::json& protocol = result.evaluation.protocol.at("dynamic");
  return protocol.at("rule").get<std::string>() + ", lr " +
         csv_number(protocol.at("lr").get<double>()) + ", decay " +
         csv_number(protocol.at("decay").get<double>());
}

}  // namespace

std::string dynamic_table(const std::vector<RunResult>& results) {
  TextTable table({{"run", Align::kLeft},
                   {"dynamic evaluation", Align::kLeft},
                   {"nats per token"},
                   {"trained weights"},
                   {"difference"},
                   {"95% interval"}});
  for (const RunResult& result : results) {
    const DynamicComparison& dynamic = *result.dynamic;
    table.add_row({result.name, rule_of(result),
                   table_number(result.evaluation.measures.nats_per_token, 4),
                   table_number(dynamic.plain.nats_per_token, 4),
                   table_number(dynamic.difference.nats_per_token, 5),
                   interval_text(dynamic.difference.interval, 5)});
  }
  return table.text();
}

std::string dynamic_csv(const std::vector<RunResult>& results) {
  std::string text = csv_line({"run", "tokens", "nats_per_token", "plain_nats_per_token"});
  for (const RunResult& result : results) {
    for (const DynamicPoint& point : result.dynamic->along) {
      text += csv_line({result.name, std::to_string(point.tokens), csv_number(point.nats),
                        csv_number(point.plain_nats)});
    }
  }
  return text;
}

Plot dynamic_plot(const std::vector<RunResult>& results) {
  Plot plot;
  plot.title = "Dynamic evaluation along the text";
  plot.subtitle = "mean loss of the targets so far, each scored before it is learned; " +
                  rule_of(results.front());
  plot.x_label = "targets scored (logarithmic)";
  plot.y_label = "nats per token";
  for (const RunResult& result : results) {
    PlotCurve learned{result.name + ", dynamic", {}};
    PlotCurve plain{result.name + ", trained weights", {}};
    for (const DynamicPoint& point : result.dynamic->along) {
      const auto tokens = static_cast<double>(point.tokens);
      learned.points.push_back({tokens, point.nats});
      plain.points.push_back({tokens, point.plain_nats});
    }
    plot.curves.push_back(std::move(learned));
    plot.curves.push_back(std::move(plain));
  }
  return plot;
}

}  // namespace lc
