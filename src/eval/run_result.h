// What one evaluated run gave, as reports are made of it.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "eval/contexts/context_sweep.h"
#include "eval/dynamic/dynamic_evaluation.h"
#include "eval/runtime_sweep.h"
#include "eval/stream_evaluation.h"

namespace lc {

struct RunResult {
  std::string name;  // as it is shown; another one for each result of a report
  // Where it comes from: checkpoint, step, split ...; part of the protocol.
  nlohmann::json source = nlohmann::json::object();
  Evaluation evaluation;
  std::optional<ContextSweep> sweep;
  std::optional<RuntimeSweep> grid{};          // over runtime values
  std::optional<DynamicComparison> dynamic{};  // the evaluation is dynamic; with trained weights
};

// The object of lceval --json: the evaluation's, its protocol completed by the source, and with a
// sweep "contexts", whose own choices stand in protocol.contexts; with a grid "sweep" and
// protocol.sweep; of a dynamic evaluation "dynamic" and protocol.dynamic.
nlohmann::json result_json(const RunResult& result);

// One result: its object. Several: {"runs": [{"name", ...}]}.
nlohmann::json results_json(const std::vector<RunResult>& results);

// The unit that all results have in common: bits per byte if each has it, else nats per token.
struct LossUnit {
  std::string name;   // "bits per byte"
  std::string plain;  // "bits_per_byte", as in JSON
};
LossUnit common_unit(const std::vector<RunResult>& results);

// A loss in that unit. The interval is that of nats per token, in the same proportion.
struct LossValue {
  std::optional<double> value;
  std::optional<Interval> interval;
};
LossValue loss_in(const LossUnit& unit, const Measures& measures);

}  // namespace lc
