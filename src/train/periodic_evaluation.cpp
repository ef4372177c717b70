#include "train/periodic_evaluation.h"

#include <utility>

#include "eval/evaluation_model.h"
#include "models/registry.h"

namespace lc {

Config periodic_config(const OptionTable& table, const Config& config) {
  Config evaluated = with_runtime_values(table, config, periodic_runtime_values(config));
  check_segment_length(evaluated, {evaluation_settings(evaluated).segment_length,
                                   config.is_null("eval.segment_length") ? "train.segment_length"
                                                                         : "eval.segment_length"});
  return evaluated;
}

PeriodicEvaluation::PeriodicEvaluation(const OptionTable& table, const Config& config,
                                       TokenFile tokens, const LanguageModel& model)
    : model_(model), tokens_(std::move(tokens)) {
  const Config evaluated = periodic_config(table, config);
  if (!periodic_runtime_values(config).empty()) other_ = rebuild(model, evaluated);
  settings_ = evaluation_settings(evaluated);
  settings_.diagnosis =
      config.get<bool>("eval.knock_out") ? Diagnosis::kKnockOut : Diagnosis::kMeasures;
  check_vocabulary(model, tokens_);
  plan_split(other_ == nullptr ? model : *other_, tokens_,
             settings_);  // refused now, not in the end
}

Evaluation PeriodicEvaluation::run() {
  if (other_ == nullptr) return evaluate_split(model_, tokens_, settings_);
  copy_weights(model_, *other_);
  return evaluate_split(*other_, tokens_, settings_);
}

}  // namespace lc
