// The valid split evaluated while training, as lceval does it by default, with the lengths that
// section eval asks for. It has memory of its own: nothing passes to or from training.
#pragma once

#include <memory>

#include "config/config.h"
#include "data/token_file.h"
#include "eval/stream_evaluation.h"
#include "models/language_model.h"

namespace lc {

// The config that the valid split is evaluated under. Error(kUsage) if section eval sets what the
// model type doesn't have or can't read.
Config periodic_config(const OptionTable& table, const Config& config);

class PeriodicEvaluation {
 public:
  // Throws what periodic_config() and plan_split() do, before anything is trained. All outlive the
  // use.
  PeriodicEvaluation(const OptionTable& table, const Config& config, TokenFile tokens,
                     const LanguageModel& model);

  Evaluation run();

 private:
  const LanguageModel& model_;
  TokenFile tokens_;
  std::unique_ptr<LanguageModel> other_;  // the same weights with other lengths, where asked for
  EvaluationSettings settings_;
};

}  // namespace lc
