#include "report/diagnosis_text.h"

#include <cmath>

#include "core/number_text.h"
#include "report/table.h"

namespace lc {
namespace {

// Percent in each tenth from 0 to 1: "0 0 12 ...".
std::string histogram_text(const nlohmann::json& entry) {
  if (!entry.contains("histogram")) return "-";
  std::string text;
  for (const nlohmann::json& share : entry.at("histogram")) {
    if (!text.empty()) text += ' ';
    text += std::to_string(std::lround(100 * share.get<double>()));
  }
  return text;
}

std::string number_text(const nlohmann::json& entry, const char* key) {
  if (!entry.at(key).is_number()) return "-";
  const auto value = entry.at(key).get<double>();
  return std::isfinite(value) ? significant(value, 4) : table_number(value, 4);
}

}  // namespace

std::string diagnosis_text(const RunResult& result) {
  const Evaluation& evaluation = result.evaluation;
  std::string text = "diagnosis of " + result.name + ": ";
  if (evaluation.without_memory) {
    text += table_number(evaluation.without_memory->nats_per_token, 4) +
            " nats per token with memory knocked out, " +
            table_number(evaluation.measures.nats_per_token, 4) + " with it\n";
  } else {
    text += "there is no memory to knock out\n";
  }
  if (evaluation.measured.is_null()) return text;
  TextTable table({{"measured", Align::kLeft},
                   {"layer"},
                   {"least"},
                   {"mean"},
                   {"most"},
                   {"percent in each tenth of 0 to 1", Align::kLeft}});
  for (const auto& [name, layers] : evaluation.measured.items()) {
    for (const nlohmann::json& entry : layers) {
      table.add_row({name, std::to_string(entry.at("layer").get<int64_t>()),
                     number_text(entry, "min"), number_text(entry, "mean"),
                     number_text(entry, "max"), histogram_text(entry)});
    }
  }
  return text + table.text();
}

}  // namespace lc
