// Transformer-XL (Dai et al. 2019): attention over the last M inputs of each layer, kept from
// earlier segments without gradient.
#include <string>

#include "core/error.h"
#include "models/transformer_parts.h"
#include "models/transformer_xl_foreign.h"
#include "nn/attention.h"

namespace lc {
namespace {

constexpr const char* kMemory = "model.transformer_xl.memory_length";
constexpr const char* kSpan = "model.transformer_xl.attention_span";
constexpr const char* kInitial = "model.transformer_xl.initial_memory";

AttentionSettings read_settings(const Config& config) {
  AttentionSettings settings;
  settings.memory_length = config.get<int64_t>(kMemory);
  const auto span = config.get<std::string>(kSpan);
  if (span == "fixed") settings.farthest = settings.memory_length;
  if (span == "reference") {
    if (settings.memory_length == 0) {
      throw Error(ErrorKind::kUsage, kSpan, "\"reference\" with memory_length 0 hides every key",
                  "set " + std::string(kMemory) + " to 1 or more, or choose \"fixed\"");
    }
    settings.farthest = settings.memory_length - 1;
  }
  settings.initial_memory =
      config.get<std::string>(kInitial) == "zeros" ? InitialMemory::kZeros : InitialMemory::kEmpty;
  return settings;
}

std::unique_ptr<LanguageModel> build(const Config& config, const ModelSetup& setup) {
  const AttentionSettings attention = read_settings(config);
  return build_transformer(
      config, setup, PositionOrigin::kSegment,
      [&](ParameterSet& parameters, const TransformerSettings& settings,
          const PositionScheme& positions, int64_t layer) -> std::unique_ptr<Mixer> {
        require_relative(positions, config, kMemory, attention.memory_length);
        return std::make_unique<Attention>(parameters, settings, attention, positions, layer);
      });
}

}  // namespace

ModelEntry transformer_xl_model() {
  ModelEntry entry{
      "transformer_xl",
      {Option::integer(kMemory, 128)
           .at_least(0)
           .at_most(kLongestLength)
           .in("tokens")
           .says("Inputs of each layer that are remembered."),
       Option::choice(kSpan, "segment", {"segment", "fixed", "reference"})
           .says("Visible keys: all memory and the causal part of the segment, the last "
                 "memory_length inputs and itself, or memory_length inputs itself included."),
       Option::choice(kInitial, "empty", {"empty", "zeros"})
           .says("What a lane attends to before it has seen anything: nothing, or zero "
                 "vectors.")},
      build,
      {{"memory", kMemory}, {"span", kSpan}, {"clamp", "model.positions.clamp_length"}}};
  entry.dialects = {transformer_xl_kimiyoung(), transformer_xl_nvidia(),
                    transformer_xl_huggingface()};
  return entry;
}

}  // namespace lc
