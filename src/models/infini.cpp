// Infini-attention (Munkhdalai et al. 2024): attention inside the segment and an associative memory
// of constant size for all that came before.
#include <string>

#include "core/error.h"
#include "models/transformer_parts.h"
#include "nn/infini/infini_attention.h"

namespace lc {
namespace {

constexpr const char* kUpdate = "model.infini.memory_update";
constexpr const char* kNormalizer = "model.infini.normalizer_update";
constexpr const char* kFirst = "model.infini.first_segment";
constexpr const char* kGate = "model.infini.gate_init";

InfiniSettings read_settings(const Config& config) {
  InfiniSettings settings;
  if (config.get<std::string>(kUpdate) == "linear") settings.write.update = MemoryUpdate::kLinear;
  if (config.get<std::string>(kNormalizer) == "gamma") {
    settings.write.normalizer = NormalizerUpdate::kGamma;
  }
  if (config.get<std::string>(kFirst) == "zero") settings.first_segment = FirstSegment::kZero;
  settings.gate_init = config.get<double>(kGate);
  return settings;
}

void require_positions_outside_memory(const PositionScheme& positions, const Config& config) {
  if (positions.relative()) return;
  throw Error(ErrorKind::kUsage, "model.positions.scheme",
              "\"" + config.get<std::string>("model.positions.scheme") +
                  "\" adds a vector per position to the hidden states, so that keys and values "
                  "would carry positions into memory, which holds none",
              "choose a relative scheme, such as rotary");
}

std::unique_ptr<LanguageModel> build(const Config& config, const ModelSetup& setup) {
  const InfiniSettings infini = read_settings(config);
  return build_transformer(
      config, setup, PositionOrigin::kSegment,
      [&](ParameterSet& parameters, const TransformerSettings& settings,
          const PositionScheme& positions, int64_t layer) -> std::unique_ptr<Mixer> {
        require_positions_outside_memory(positions, config);
        return std::make_unique<InfiniAttention>(parameters, settings, infini, positions, layer);
      });
}

}  // namespace

ModelEntry infini_model() {
  return {"infini",
          {Option::choice(kUpdate, "delta", {"linear", "delta"})
               .architecture()
               .says("What a segment writes: its values, or what memory doesn't give for their "
                     "keys already."),
           Option::choice(kNormalizer, "sum", {"sum", "gamma"})
               .architecture()
               .says("How a key counts in the normaliser: in full, or by the part of it that is "
                     "new."),
           Option::choice(kFirst, "bypass", {"bypass", "zero"})
               .architecture()
               .says("While nothing is stored: attention inside the segment alone, or mixed by the "
                     "gate with a reading of zero."),
           Option::number(kGate, 0.0)
               .architecture()
               .for_training()
               .says("Gate of every head at the start; memory weighs sigmoid of it.")},
          build,
          {{"clamp", "model.positions.clamp_length"}},
          nullptr,
          {kGateGroup}};
}

}  // namespace lc
