// The table of models. A model is one .cpp file that fills in an entry, and one line in
// registry.cpp; nothing else in the program names it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "config/config.h"
#include "models/foreign.h"
#include "models/language_model.h"

namespace lc {

// What a model is built from besides its config.
struct ModelSetup {
  int64_t vocab_size;
  ParameterSetup parameters;
};

// A length that text is cut into, and where the user gave it ("train.segment_length", "--segment").
struct SegmentLength {
  int64_t tokens;
  std::string where;
};

struct ModelEntry {
  std::string type;             // the value of model.type
  std::vector<Option> options;  // the rows of its own block
  std::unique_ptr<LanguageModel> (*build)(const Config& config, const ModelSetup& setup);
  // Evaluation flags ("memory", "span") -> the runtime row that each sets; an absent flag is
  // refused.
  std::map<std::string, std::string> overrides;
  // Throws Error(kUsage) where the model can't read segments of that length; null: any will do.
  void (*check_segment)(const Config& config, const SegmentLength& length) = nullptr;
  // Groups besides "main" that its parameters may belong to, whatever the config.
  std::vector<std::string> parameter_groups = {};
  // How other codes write the same model: their configs and their names of weights.
  std::vector<ForeignDialect> dialects = {};
  // Throws Error(kUsage) where what the config asks for can be read with, but not trained; null:
  // whatever can be built can be trained.
  void (*check_training)(const Config& config) = nullptr;
};

const std::vector<ModelEntry>& model_registry();
const ModelEntry& model_entry(const std::string& type);  // unknown: Error(kUsage)

// Every group that some model's parameters may belong to, "main" first.
std::vector<std::string> parameter_groups();

// Rows of section "model" that all models share, of every position scheme, and of every entry.
std::vector<Option> model_options();

// Error(kUsage) beyond kLongestLength, or where the model that model.type names can't read segments
// of that length.
void check_segment_length(const Config& config, const SegmentLength& length);

// Error(kUsage) where the model that model.type names can't be trained as the config says.
void check_training(const Config& config);

// Builds the model that model.type names; faults of its config are Error(kUsage).
std::unique_ptr<LanguageModel> build_model(const Config& config, const ModelSetup& setup);

}  // namespace lc
