#include "report/effective_context_text.h"

#include <algorithm>

#include "config/json_text.h"
#include "core/file_io.h"
#include "core/number_text.h"
#include "report/csv.h"
#include "report/table.h"

namespace lc {
namespace {

std::string length_text(const EffectiveContext& length) {
  return grouped(length.tokens) + (length.at_least ? "+" : "");
}

// Which of a run's lengths is that of the fewest, hardest targets.
size_t hardest_share(const EffectiveContextReport& report) {
  const std::vector<EffectiveContext>& lengths = report.groups.front().runs.front().by_share;
  const auto hardest = std::min_element(
      lengths.begin(), lengths.end(),
      [](const EffectiveContext& a, const EffectiveContext& b) { return a.share < b.share; });
  return static_cast<size_t>(hardest - lengths.begin());
}

bool any_at_least(const EffectiveContextReport& report) {
  for (const GroupEffectiveContext& group : report.groups) {
    for (const RunEffectiveContext& run : group.runs) {
      for (const EffectiveContext& length : run.by_share) {
        if (length.at_least) return true;
      }
    }
  }
  return false;
}

PlotCurve gain_curve(const std::string& name, const std::vector<ContextGain>& gains) {
  PlotCurve curve{name, {}};
  for (const ContextGain& step : gains) {
    curve.points.push_back({static_cast<double>(step.context), 100 * step.gain});
  }
  return curve;
}

}  // namespace

std::string effective_context_table(const EffectiveContextReport& report) {
  std::vector<TableColumn> columns = {
      {"group", Align::kLeft}, {"run", Align::kLeft}, {"parameters"}};
  for (const EffectiveContext& length : report.groups.front().runs.front().by_share) {
    columns.push_back({"r = " + csv_number(length.share)});
  }
  TextTable table(columns);
  for (const GroupEffectiveContext& group : report.groups) {
    for (const RunEffectiveContext& run : group.runs) {
      std::vector<std::string> row = {group.name, run.run, grouped(run.parameters)};
      for (const EffectiveContext& length : run.by_share) row.push_back(length_text(length));
      table.add_row(std::move(row));
    }
  }
  std::string text = table.text() +
                     "tokens of context until a longer one gains less than 1 % of perplexity on "
                     "the share r of the targets that is hardest for its group\n";
  if (any_at_least(report)) {
    text += "+: the longest context measured still gained; ask for more with --longest\n";
  }
  return text;
}

std::string effective_context_csv(const EffectiveContextReport& report) {
  std::string text = csv_line({"group", "run", "parameters", "share", "targets",
                               "effective_context", "at_least", "context", "longer", "gain"});
  for (const GroupEffectiveContext& group : report.groups) {
    for (const RunEffectiveContext& run : group.runs) {
      for (const EffectiveContext& length : run.by_share) {
        for (const ContextGain& step : length.gains) {
          text += csv_line({group.name, run.run, std::to_string(run.parameters),
                            csv_number(length.share), std::to_string(length.targets),
                            std::to_string(length.tokens), length.at_least ? "true" : "false",
                            std::to_string(step.context), std::to_string(step.longer),
                            csv_number(step.gain)});
        }
      }
    }
  }
  return text;
}

Plot effective_context_plot(const EffectiveContextReport& report) {
  const size_t at = hardest_share(report);
  const EffectiveContext& any = report.groups.front().runs.front().by_share[at];
  Plot plot;
  plot.title = "What a longer context gains";
  plot.subtitle = "the hardest " + grouped(any.targets) + " targets (r = " + csv_number(any.share) +
                  ") of each group and context; " + report.protocol.at("mode").get<std::string>() +
                  " context, step " +
                  grouped(report.protocol.at("contexts").at("step").get<int64_t>());
  plot.x_label = "context: tokens before the target (logarithmic)";
  plot.y_label = "gain of one step more, % of perplexity";
  for (const GroupEffectiveContext& group : report.groups) {
    for (const RunEffectiveContext& run : group.runs) {
      const std::string name = report.groups.size() > 1 ? group.name + ": " + run.run : run.run;
      plot.curves.push_back(gain_curve(name, run.by_share[at].gains));
    }
  }
  plot.curves.push_back(
      gain_curve("smallest gain that counts",
                 {{any.gains.front().context, any.gains.front().longer, kSmallestGain},
                  {any.gains.back().context, any.gains.back().longer, kSmallestGain}}));
  return plot;
}

std::vector<std::filesystem::path> write_effective_context(const EffectiveContextReport& report,
                                                           const FilePlace& place) {
  const std::string kind = "_recl_" + report.protocol.at("mode").get<std::string>();
  const std::vector<std::filesystem::path> files = {
      place.file(kind + ".json"), place.file(kind + ".csv"), place.file(kind + ".svg")};
  write_file_atomically(files[0], json_text(report.to_json(), 2) + "\n");
  write_file_atomically(files[1], effective_context_csv(report));
  write_file_atomically(files[2], svg_plot(effective_context_plot(report)));
  return files;
}

}  // namespace lc
