// What the transformers of the zoo have in common when they are built: sizes, vocabulary, head.
// A model gives its mixers; everything around them is the same, so that a comparison differs by the
// memory alone.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/registry.h"
#include "nn/decoder.h"
#include "nn/transformer_settings.h"

namespace lc {

using MixerFactory = std::function<std::unique_ptr<Mixer>(
    ParameterSet& parameters, const TransformerSettings& settings, const PositionScheme& positions,
    int64_t layer)>;

// key_groups: groups of keys to which the position scheme gives functions of their own.
std::unique_ptr<LanguageModel> build_transformer(const Config& config, const ModelSetup& setup,
                                                 PositionOrigin origin,
                                                 const MixerFactory& make_mixer,
                                                 std::vector<std::string> key_groups = {});

// Refuses position schemes that add vectors to the hidden states where memory_length > 0.
void require_relative(const PositionScheme& positions, const Config& config,
                      const std::string& memory_path, int64_t memory_length);

}  // namespace lc
