#include "report/attention_mass_report.h"

#include <cmath>

#include "config/json_text.h"
#include "core/file_io.h"
#include "core/number_text.h"
#include "report/csv.h"
#include "report/table.h"

namespace lc {
namespace {

std::string in_per_cent(double share) { return table_number(100 * share, 2); }

std::string places_text(const AttentionBucket& bucket) {
  if (!bucket.places) return "-";
  return std::to_string(bucket.places->first) + " to " + std::to_string(bucket.places->second);
}

// The kinds in order, each with its mass.
std::vector<std::pair<std::string, double>> mass_by_kind(
    const AttentionMass& mass, const std::vector<AttentionShare>& shares) {
  std::vector<std::pair<std::string, double>> kinds;
  for (size_t b = 0; b < mass.buckets.size(); ++b) {
    const std::string& kind = mass.buckets[b].kind;
    if (kinds.empty() || kinds.back().first != kind) kinds.emplace_back(kind, 0);
    kinds.back().second += shares[b].mass;
  }
  return kinds;
}

std::string bucket_table(const AttentionMass& mass) {
  TextTable table(
      {{"keys", Align::kLeft}, {"bucket"}, {"places"}, {"keys seen"}, {"mass %"}, {"% per key"}});
  const std::vector<AttentionShare> means = mass.mean();
  for (size_t b = 0; b < mass.buckets.size(); ++b) {
    const AttentionBucket& bucket = mass.buckets[b];
    const AttentionShare& share = means[b];
    const bool seen = bucket.places && share.keys > 0;
    table.add_row({bucket.kind, std::to_string(bucket.number + 1), places_text(bucket),
                   bucket.places ? decimal(share.keys, 1) : "-", in_per_cent(share.mass),
                   seen ? table_number(100 * share.mass / share.keys, 4) : "-"});
  }
  return table.text();
}

std::string layer_table(const AttentionMass& mass) {
  std::vector<TableColumn> columns = {{"layer"}};
  for (const auto& [kind, share] : mass_by_kind(mass, mass.mean()))
    columns.push_back({kind + " %"});
  TextTable table(columns);
  for (size_t layer = 0; layer < mass.layers.size(); ++layer) {
    std::vector<std::string> row = {std::to_string(layer)};
    for (const auto& [kind, share] : mass_by_kind(mass, mass.layers[layer])) {
      row.push_back(in_per_cent(share));
    }
    table.add_row(std::move(row));
  }
  return table.text();
}

void add_csv_rows(const AttentionResult& result, const std::string& layer,
                  const std::vector<AttentionShare>& shares, std::string& text) {
  for (size_t b = 0; b < shares.size(); ++b) {
    const AttentionBucket& bucket = result.mass.buckets[b];
    const auto& places = bucket.places;
    text += csv_line({result.name, layer, bucket.kind, std::to_string(bucket.number + 1),
                      places ? std::to_string(places->first) : "",
                      places ? std::to_string(places->second) : "", csv_number(shares[b].mass),
                      places ? csv_number(shares[b].keys) : ""});
  }
}

// The same for a kind in every plot.
size_t colour_of_kind(const std::string& kind) {
  return kind == "segment" ? 0 : kind == "memory" ? 1 : kind == "compressed" ? 2 : 3;
}

// One group a kind, its mass beside its name.
BarPanel mass_panel(const AttentionMass& mass, const std::vector<AttentionShare>& shares,
                    PanelSize size) {
  BarPanel panel;
  panel.size = size;
  for (const auto& [kind, total] : mass_by_kind(mass, shares)) {
    const bool named = size == PanelSize::kWide;
    const std::string amount =
        std::isfinite(total) ? decimal(100 * total, 1) + " %" : table_number(total, 1);
    const std::string name = named ? kind + " " + amount : kind;
    panel.groups.push_back({name, "", "", {}, colour_of_kind(kind)});
    BarGroup& group = panel.groups.back();
    for (size_t b = 0; b < shares.size(); ++b) {
      const AttentionBucket& bucket = mass.buckets[b];
      if (bucket.kind != kind) continue;
      group.values.push_back(100 * shares[b].mass);
      if (!bucket.places) continue;
      if (group.values.size() == 1) group.first = std::to_string(bucket.places->first);
      group.last = std::to_string(bucket.places->second);
    }
    if (group.values.size() == 1 && !group.last.empty() && group.last != group.first) {
      group.first += " to " + group.last;
    }
  }
  return panel;
}

}  // namespace

std::string attention_table(const AttentionResult& result) {
  const AttentionMass& mass = result.mass;
  return "attention mass of " + result.name + ": " + grouped(mass.queries) +
         " queries, mean over heads and " + grouped(static_cast<int64_t>(mass.layers.size())) +
         " layers\n" + bucket_table(mass) + "\n" + layer_table(mass);
}

nlohmann::json attention_json(const std::vector<AttentionResult>& results) {
  nlohmann::json runs = nlohmann::json::array();
  for (const AttentionResult& result : results) {
    nlohmann::json json = result.mass.to_json();
    json["protocol"] = result.protocol;
    if (results.size() == 1) return json;
    json["name"] = result.name;
    runs.push_back(std::move(json));
  }
  return {{"runs", runs}};
}

std::string attention_csv(const std::vector<AttentionResult>& results) {
  std::string text = csv_line({"run", "layer", "kind", "bucket", "first", "last", "mass", "keys"});
  for (const AttentionResult& result : results) {
    add_csv_rows(result, "", result.mass.mean(), text);
    for (size_t layer = 0; layer < result.mass.layers.size(); ++layer) {
      add_csv_rows(result, std::to_string(layer), result.mass.layers[layer], text);
    }
  }
  return text;
}

BarChart attention_chart(const std::vector<AttentionResult>& results) {
  BarChart chart;
  chart.title = "Where attention goes";
  if (results.size() == 1) chart.title += ": " + results.front().name;
  chart.subtitle =
      "mass in %, keys from oldest to newest; places count from the segment's first input";
  for (const AttentionResult& result : results) {
    const AttentionMass& mass = result.mass;
    chart.panels.push_back(mass_panel(mass, mass.mean(), PanelSize::kWide));
    chart.panels.back().title =
        (results.size() == 1 ? "" : result.name + ": ") + std::string("mean over layers");
    for (size_t layer = 0; layer < mass.layers.size() && mass.layers.size() > 1; ++layer) {
      chart.panels.push_back(mass_panel(mass, mass.layers[layer], PanelSize::kThird));
      chart.panels.back().title = "layer " + std::to_string(layer);
      chart.panels.back().scale = "layers of " + result.name;
    }
  }
  return chart;
}

std::vector<std::filesystem::path> write_attention_report(
    const std::vector<AttentionResult>& results, const FilePlace& place) {
  const auto file = [&](const char* extension) {
    return place.file(std::string("_attention") + extension);
  };
  write_file_atomically(file(".json"), json_text(attention_json(results), 2) + "\n");
  write_file_atomically(file(".csv"), attention_csv(results));
  write_file_atomically(file(".svg"), svg_bars(attention_chart(results)));
  return {file(".json"), file(".csv"), file(".svg")};
}

}  // namespace lc
