// Checkpoints of other codes: a config and a safetensors file of weights, in one of the formats
// that some model's entry knows.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "config/config.h"
#include "core/named_tensors.h"
#include "models/foreign.h"

namespace lc {

enum class ForeignUse { kRead, kWrite };

// Names of the formats, each once, in the order of the registry; and what they are, for help texts.
std::vector<std::string> foreign_formats(ForeignUse use);
std::string foreign_formats_help(ForeignUse use);

// What the config file describes. Error(kUsage) for an unknown format; Error(kData) if the file is
// no JSON object or describes something that can't be read.
ForeignSettings read_foreign_config(const std::string& format, const std::filesystem::path& file);

// The weights as parameters of the model that config builds, checked against it by name and shape,
// in float32 unless they are float64. Error(kData) that lists every misfit.
NamedTensors read_foreign_weights(const std::string& format, const Config& config,
                                  int64_t vocab_size, const std::filesystem::path& file);

// Weights of a model of ours, with its config, as FOLDER/config.json and FOLDER/model.safetensors.
// Error(kUsage) where the format can't say what the model is.
void write_foreign_checkpoint(const std::string& format, const Config& config,
                              const NamedTensors& weights, const std::filesystem::path& folder);

}  // namespace lc
