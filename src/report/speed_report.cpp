#include "report/speed_report.h"

#include "config/json_text.h"
#include "core/file_io.h"
#include "core/number_text.h"
#include "report/csv.h"
#include "report/table.h"

namespace lc {
namespace {

std::string milliseconds(double seconds) { return decimal(1e3 * seconds, 3); }

void add_pace(const Pace& pace, std::vector<std::string>& row) {
  for (const double value : {pace.cpu_seconds, pace.wall_seconds, pace.inputs, pace.nats}) {
    row.push_back(csv_number(value));
  }
  row.push_back(std::to_string(pace.targets));
  row.push_back(std::to_string(pace.lanes));
}

}  // namespace

std::string speed_table(const SpeedTest& test) {
  TextTable table({{"context"},
                   {"CPU ms/token"},
                   {"sliding"},
                   {"times slower"},
                   {"by wall clock"},
                   {"in theory"},
                   {"nats per token"},
                   {"sliding"}});
  for (const SpeedPoint& point : test.points) {
    table.add_row({grouped(point.context), milliseconds(point.evaluation.cpu_seconds),
                   milliseconds(point.sliding.cpu_seconds), decimal(point.cpu_ratio(), 1),
                   decimal(point.wall_ratio(), 1), decimal(point.theory(), 1),
                   table_number(point.evaluation.nats, 4), table_number(point.sliding.nats, 4)});
  }
  return table.text() + "sliding: a window of context + 1 inputs, moved by one token; in theory: " +
         "inputs run for each token, sliding over evaluation; " +
         grouped(test.points.front().targets) + " targets, the same everywhere\n";
}

std::string speed_csv(const SpeedTest& test) {
  std::vector<std::string> columns = {"context", "targets"};
  for (const std::string way : {"evaluation_", "sliding_"}) {
    for (const char* key : {"cpu_seconds_per_token", "wall_seconds_per_token", "inputs_per_token",
                            "nats_per_token", "targets", "lanes"}) {
      columns.push_back(way + key);
    }
  }
  for (const char* key : {"cpu_ratio", "wall_ratio", "theory_ratio"}) columns.emplace_back(key);
  std::string text = csv_line(columns);
  for (const SpeedPoint& point : test.points) {
    std::vector<std::string> row = {std::to_string(point.context), std::to_string(point.targets)};
    add_pace(point.evaluation, row);
    add_pace(point.sliding, row);
    for (const double ratio : {point.cpu_ratio(), point.wall_ratio(), point.theory()}) {
      row.push_back(csv_number(ratio));
    }
    text += csv_line(row);
  }
  return text;
}

Plot speed_plot(const SpeedTest& test, const std::string& name) {
  Plot plot;
  plot.title = "Sliding by one token against carrying memory: " + name;
  if (test.protocol.at("evaluation") != "memory") {
    plot.title = "Sliding by one token against sliding by half a window: " + name;
  }
  plot.subtitle = "processor time of " + grouped(test.points.front().targets) +
                  " targets, median of " + grouped(test.protocol.at("repetitions").get<int64_t>()) +
                  " repetitions; " + grouped(test.protocol.at("threads").get<int64_t>()) +
                  " thread(s), segments of " + grouped(test.protocol.at("segment").get<int64_t>());
  plot.x_label = "context: tokens before the current one (logarithmic)";
  plot.y_label = "times slower";
  plot.curves = {{"measured", {}}, {"in theory: inputs run for each token", {}}};
  for (const SpeedPoint& point : test.points) {
    const auto context = static_cast<double>(point.context);
    plot.curves[0].points.push_back({context, point.cpu_ratio()});
    plot.curves[1].points.push_back({context, point.theory()});
  }
  return plot;
}

std::vector<std::filesystem::path> write_speed(const SpeedTest& test, const std::string& name,
                                               const FilePlace& place) {
  const auto file = [&](const char* extension) {
    return place.file(std::string("_speed") + extension);
  };
  write_file_atomically(file(".json"), json_text(test.to_json(), 2) + "\n");
  write_file_atomically(file(".csv"), speed_csv(test));
  write_file_atomically(file(".svg"), svg_plot(speed_plot(test, name)));
  return {file(".json"), file(".csv"), file(".svg")};
}

}  // namespace lc
