#include "report/footprint_results.h"

#include <algorithm>

#include "core/number_text.h"
#include "report/csv.h"
#include "report/table.h"

namespace lc {
namespace {

constexpr const char* kLegend =
    "one lane of text. carried: from segment to segment, memory full. in-segment: rows of the\n"
    "segment in all layers, and keys, values and weights of one layer's attention over it. "
    "Numbers\n"
    "are floating-point; bytes count counters too. effective context: tokens before a segment "
    "that\n"
    "memory can bring into it, at most those of one sequence.\n";

nlohmann::json held_json(const Held& held) {
  return {{"numbers", held.numbers}, {"counters", held.counters}, {"bytes", held.bytes}};
}

nlohmann::json result_json(const FootprintResult& result) {
  nlohmann::json in_segment = held_json(result.footprint.in_segment());
  in_segment["rows"] = held_json(result.footprint.rows);
  in_segment["attention"] = held_json(result.footprint.attention);
  const std::optional<int64_t> context = result.effective_context();
  return {{"type", result.type},
          {"segment", result.segment_length},
          {"sequence_segments", result.sequence_segments},
          {"carried", held_json(result.footprint.carried)},
          {"in_segment", in_segment},
          {"effective_context", context ? nlohmann::json(*context) : nlohmann::json()}};
}

}  // namespace

std::optional<int64_t> FootprintResult::effective_context() const {
  if (sequence_segments == 0) return footprint.reach;
  const int64_t sequence = sequence_segments * segment_length;
  return std::min(footprint.reach.value_or(sequence), sequence);
}

std::string footprint_table(const std::vector<FootprintResult>& results) {
  TextTable table({{"run", Align::kLeft},
                   {"model", Align::kLeft},
                   {"segment"},
                   {"carried numbers"},
                   {"carried bytes"},
                   {"in-segment numbers"},
                   {"in-segment bytes"},
                   {"effective context"}});
  for (const FootprintResult& result : results) {
    const Held carried = result.footprint.carried;
    const Held in_segment = result.footprint.in_segment();
    const std::optional<int64_t> context = result.effective_context();
    table.add_row({result.name, result.type, grouped(result.segment_length),
                   grouped(carried.numbers), grouped(carried.bytes), grouped(in_segment.numbers),
                   grouped(in_segment.bytes), context ? grouped(*context) : "unbounded"});
  }
  return table.text() + kLegend;
}

nlohmann::json footprint_json(const std::vector<FootprintResult>& results) {
  if (results.size() == 1) return result_json(results.front());
  nlohmann::json runs = nlohmann::json::array();
  for (const FootprintResult& result : results) {
    runs.push_back(result_json(result));
    runs.back()["name"] = result.name;
  }
  return {{"runs", runs}};
}

std::string footprint_csv(const std::vector<FootprintResult>& results) {
  std::string text = csv_line({"run", "model", "segment", "sequence_segments", "carried_numbers",
                               "carried_counters", "carried_bytes", "in_segment_numbers",
                               "in_segment_bytes", "row_numbers", "row_bytes", "attention_numbers",
                               "attention_bytes", "effective_context"});
  for (const FootprintResult& result : results) {
    const Footprint& held = result.footprint;
    const std::optional<int64_t> context = result.effective_context();
    std::vector<std::string> fields{result.name, result.type};
    for (const int64_t number :
         {result.segment_length, result.sequence_segments, held.carried.numbers,
          held.carried.counters, held.carried.bytes, held.in_segment().numbers,
          held.in_segment().bytes, held.rows.numbers, held.rows.bytes, held.attention.numbers,
          held.attention.bytes}) {
      fields.push_back(std::to_string(number));
    }
    fields.push_back(context ? std::to_string(*context) : "");
    text += csv_line(fields);
  }
  return text;
}

}  // namespace lc
