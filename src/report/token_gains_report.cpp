#include "report/token_gains_report.h"

#include <optional>
#include <utility>
#include <vector>

#include "core/number_text.h"
#include "eval/metrics.h"
#include "report/csv.h"
#include "report/svg/plot_text.h"
#include "report/table.h"
#include "report/table_results.h"

namespace lc {
namespace {

constexpr size_t kGainTextLimit = 32;

double mean_of(double nats, int64_t count) { return nats / static_cast<double>(count); }

nlohmann::json gain_json(const TokenGain& gain) {
  nlohmann::json json{{"text", gain.text},
                      {"count", gain.count},
                      {"nats_total", optional_number(gain.nats)},
                      {"nats_mean", optional_number(mean_of(gain.nats, gain.count))}};
  if (gain.id) json["id"] = *gain.id;
  return json;
}

// Those that one of the two predicts better, most gain first.
nlohmann::json best_of(const std::vector<TokenGain>& gains, int64_t top) {
  nlohmann::json a = nlohmann::json::array();
  nlohmann::json b = nlohmann::json::array();
  const auto limit = static_cast<size_t>(top);
  for (auto gain = gains.begin(); gain != gains.end() && a.size() < limit; ++gain) {
    if (gain->nats < 0) a.push_back(gain_json(*gain));
  }
  for (auto gain = gains.rbegin(); gain != gains.rend() && b.size() < limit; ++gain) {
    if (gain->nats > 0) b.push_back(gain_json(*gain));
  }
  return {{"a", a}, {"b", b}};
}

nlohmann::json bucket_json(const Slice& slice, const SliceScore& score) {
  nlohmann::json json{{"slice", slice.name},
                      {"from", nullptr},
                      {"to", nullptr},
                      {"tokens", score.tokens},
                      {"nats_total", optional_number(score.nats)},
                      {"nats_mean", optional_number(score.nats_per_token())},
                      {"nats_low", nullptr},
                      {"nats_high", nullptr}};
  if (slice.from) json["from"] = *slice.from;
  if (slice.to) json["to"] = *slice.to;
  if (score.interval) {
    json["nats_low"] = score.interval->low;
    json["nats_high"] = score.interval->high;
  }
  return json;
}

std::optional<double> gain_number(const nlohmann::json& object, const std::string& key) {
  if (object.at(key).is_null()) return {};
  return object.at(key).get<double>();
}

std::string gain_table(const nlohmann::json& rows, const std::string& kind) {
  TextTable table({{kind, Align::kLeft}, {"count"}, {"mean nats"}, {"total nats"}});
  for (const nlohmann::json& row : rows) {
    std::string text = row.at("text").get<std::string>();
    if (row.contains("id")) text = "\"" + text + "\"";  // blanks at its ends are part of a token
    table.add_row({shortened(text, kGainTextLimit), grouped(row.at("count").get<int64_t>()),
                   table_number(gain_number(row, "nats_mean"), 4),
                   table_number(gain_number(row, "nats_total"), 2)});
  }
  return table.text();
}

std::string frequency_table(const nlohmann::json& buckets, const std::string& measured) {
  TextTable table(
      {{"frequency", Align::kLeft}, {"tokens"}, {"mean nats"}, {"95% interval"}, {"total nats"}});
  for (const nlohmann::json& bucket : buckets) {
    std::optional<Interval> interval;
    if (!bucket.at("nats_low").is_null()) {
      interval = {*gain_number(bucket, "nats_low"), *gain_number(bucket, "nats_high")};
    }
    table.add_row({bucket.at("slice").get<std::string>(),
                   grouped(bucket.at("tokens").get<int64_t>()),
                   table_number(gain_number(bucket, "nats_mean"), 5), interval_text(interval, 5),
                   table_number(gain_number(bucket, "nats_total"), 2)});
  }
  return table.text() + "frequency: " + measured + "\n";
}

}  // namespace

nlohmann::json gains_json(const TokenGains& gains, int64_t top) {
  nlohmann::json json{{"tokens", best_of(gains.tokens, top)},
                      {"words", best_of(gains.words, top)},
                      {"frequency", nullptr}};
  if (!gains.frequency) return json;
  json["frequency"] = nlohmann::json::array();
  for (size_t s = 0; s < gains.frequency->slices.size(); ++s) {
    json["frequency"].push_back(
        bucket_json(gains.frequency->slices[s], gains.by_frequency->slices[s]));
  }
  return json;
}

std::string gains_csv(const TokenGains& gains, int64_t top) {
  const nlohmann::json json = gains_json(gains, top);
  std::vector<nlohmann::json> rows;
  const auto add = [&rows](nlohmann::json row, const char* kind) {
    row["kind"] = kind;
    rows.push_back(std::move(row));
  };
  for (const char* kind : {"token", "word"}) {
    const nlohmann::json& best = json.at(std::string(kind) + "s");
    for (const char* side : {"a", "b"}) {
      for (const nlohmann::json& gain : best.at(side)) add(gain, kind);
    }
  }
  for (nlohmann::json bucket : json.at("frequency")) {
    bucket["text"] = bucket.at("slice");
    bucket["count"] = bucket.at("tokens");
    add(std::move(bucket), "frequency");
  }
  return csv_of_objects({"kind", "text", "id", "from", "to", "count", "nats_total", "nats_mean",
                         "nats_low", "nats_high"},
                        rows);
}

std::string gains_text(const TokenGains& gains, int64_t top, const ComparedNames& names) {
  const nlohmann::json json = gains_json(gains, top);
  std::string text;
  if (gains.frequency) {
    text += "by frequency, " + names.a + " minus " + names.b + "\n" +
            frequency_table(json.at("frequency"), gains.frequency->measured);
  }
  for (const auto& [name, side] : {std::pair(names.a, "a"), {names.b, "b"}}) {
    for (const char* kind : {"word", "token"}) {
      const nlohmann::json& rows = json.at(std::string(kind) + "s").at(side);
      if (rows.empty()) continue;
      text += "\n" + std::string(kind) + "s that " + name + " predicts better, " + names.a +
              " minus " + names.b + "\n" + gain_table(rows, kind);
    }
  }
  return text;
}

}  // namespace lc
