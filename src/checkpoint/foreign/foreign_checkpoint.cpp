#include "checkpoint/foreign/foreign_checkpoint.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "checkpoint/foreign/foreign_weights.h"
#include "checkpoint/safetensors.h"
#include "core/error.h"
#include "core/file_io.h"
#include "models/registry.h"
#include "nn/token_bins.h"

namespace lc {
namespace fs = std::filesystem;
namespace {

constexpr const char* kFormatFlag = "--format";

bool serves(const ForeignDialect& dialect, ForeignUse use) {
  return use == ForeignUse::kRead || dialect.write != nullptr;
}

// The dialect of that format, of all models or of one.
const ForeignDialect& dialect_of(const std::string& format, ForeignUse use,
                                 const std::string& model_type = "") {
  std::string known;
  for (const ModelEntry& entry : model_registry()) {
    if (!model_type.empty() && entry.type != model_type) continue;
    for (const ForeignDialect& dialect : entry.dialects) {
      if (!serves(dialect, use)) continue;
      if (dialect.format == format) return dialect;
      known += (known.empty() ? "" : ", ") + dialect.format;
    }
  }
  throw Error(ErrorKind::kUsage, kFormatFlag,
              "\"" + format + "\" is no format " +
                  (model_type.empty() ? std::string("that is known")
                                      : "that a " + model_type + " can be written in"),
              known.empty() ? "this model type can't be exported" : "choose one of " + known);
}

std::string type_name(const NamedTensors& weights) {
  return weights.empty() || weights.front().second.scalar_type() != at::kDouble ? "float32"
                                                                               : "float64";
}

}  // namespace

std::vector<std::string> foreign_formats(ForeignUse use) {
  std::vector<std::string> formats;
  for (const ModelEntry& entry : model_registry()) {
    for (const ForeignDialect& dialect : entry.dialects) {
      const auto listed = std::find(formats.begin(), formats.end(), dialect.format);
      if (serves(dialect, use) && listed == formats.end()) formats.push_back(dialect.format);
    }
  }
  return formats;
}

std::string foreign_formats_help(ForeignUse use) {
  std::string text;
  for (const std::string& format : foreign_formats(use)) {
    text += (text.empty() ? "" : ", ") + format + " (" + dialect_of(format, use).says + ")";
  }
  return text;
}

ForeignSettings read_foreign_config(const std::string& format, const fs::path& file) {
  const ForeignDialect& dialect = dialect_of(format, ForeignUse::kRead);
  const auto theirs = nlohmann::json::parse(read_file(file), nullptr, false);
  if (!theirs.is_object()) {
    throw Error(ErrorKind::kData, file.string(), "is no JSON object",
                "give the config that the weights were trained with, as JSON");
  }
  return dialect.read(theirs, file.string());
}

NamedTensors read_foreign_weights(const std::string& format, const Config& config,
                                  int64_t vocab_size, const fs::path& file) {
  const ForeignDialect& dialect = dialect_of(format, ForeignUse::kRead);
  // Without storage: its shapes are enough, and faults of the config are found before the file's.
  const auto outline = build_model(config, {vocab_size, {at::kFloat, at::kMeta, 0}});
  const SafetensorsFile theirs = read_safetensors(file);
  NamedTensors weights =
      from_foreign(dialect.tensors(config, vocab_size), theirs.tensors, file.string());
  outline->parameters().check(weights, file.string());
  for (auto& [name, tensor] : weights) {
    const bool wide = tensor.scalar_type() == at::kDouble;
    tensor = tensor.to(wide ? at::kDouble : at::kFloat).contiguous();
  }
  return weights;
}

void write_foreign_checkpoint(const std::string& format, const Config& config,
                              const NamedTensors& weights, const fs::path& folder) {
  const ForeignDialect& dialect =
      dialect_of(format, ForeignUse::kWrite, config.get<std::string>("model.type"));
  const int64_t vocab_size = vocab_size_of(weights);
  nlohmann::json theirs = dialect.write(config, vocab_size);
  theirs["torch_dtype"] = type_name(weights);
  write_safetensors(folder / "model.safetensors",
                    to_foreign(dialect.tensors(config, vocab_size), weights), {{"format", "pt"}});
  write_file_atomically(folder / "config.json", theirs.dump(2) + "\n");
}

}  // namespace lc
