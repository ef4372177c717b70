#include "eval/run_result.h"

#include <algorithm>

namespace lc {
namespace {

bool has_bits_per_byte(const RunResult& result) {
  if (!result.evaluation.measures.bits_per_byte) return false;
  if (!result.sweep) return true;
  const auto& points = result.sweep->points;
  return std::all_of(points.begin(), points.end(), [](const ContextPoint& point) {
    return point.evaluation.measures.bits_per_byte.has_value();
  });
}

}  // namespace

nlohmann::json result_json(const RunResult& result) {
  nlohmann::json json = result.evaluation.to_json();
  json["protocol"].update(result.source);
  if (result.sweep) {
    json["contexts"] = result.sweep->contexts_json();
    json["protocol"]["contexts"] = result.sweep->protocol;
  }
  if (result.grid) {
    json["sweep"] = result.grid->cells_json();
    json["protocol"]["sweep"] = result.grid->protocol();
  }
  if (result.dynamic) json["dynamic"] = result.dynamic->to_json();
  return json;
}

nlohmann::json results_json(const std::vector<RunResult>& results) {
  if (results.size() == 1) return result_json(results.front());
  nlohmann::json runs = nlohmann::json::array();
  for (const RunResult& result : results) {
    runs.push_back(result_json(result));
    runs.back()["name"] = result.name;
  }
  return {{"runs", runs}};
}

LossUnit common_unit(const std::vector<RunResult>& results) {
  if (std::all_of(results.begin(), results.end(), has_bits_per_byte)) {
    return {"bits per byte", "bits_per_byte"};
  }
  return {"nats per token", "nats_per_token"};
}

LossValue loss_in(const LossUnit& unit, const Measures& measures) {
  if (unit.plain == "nats_per_token") return {measures.nats_per_token, measures.nats_interval};
  LossValue loss{measures.bits_per_byte, {}};
  if (!measures.bits_per_byte || !measures.nats_interval || !measures.nats_per_token) return loss;
  if (*measures.nats_per_token == 0) return loss;
  const double factor = *measures.bits_per_byte / *measures.nats_per_token;
  loss.interval = {measures.nats_interval->low * factor, measures.nats_interval->high * factor};
  return loss;
}

}  // namespace lc
