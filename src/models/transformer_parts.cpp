#include "models/transformer_parts.h"

#include <utility>

#include "core/error.h"

namespace lc {

std::unique_ptr<LanguageModel> build_transformer(const Config& config, const ModelSetup& setup,
                                                 PositionOrigin origin,
                                                 const MixerFactory& make_mixer,
                                                 std::vector<std::string> key_groups) {
  const TransformerSettings settings = read_transformer_settings(config, setup.vocab_size);
  ParameterSet parameters(setup.parameters);
  const std::vector<TokenBin> bins = token_bins(settings, setup.vocab_size);
  TokenTables tables(parameters, settings, bins);
  DecoderParts parts;
  parts.origin = origin;
  parts.positions = build_positions({config, settings, parameters, std::move(key_groups)});
  for (int64_t l = 0; l < settings.layers; ++l) {
    parts.mixers.push_back(make_mixer(parameters, settings, *parts.positions, l));
  }
  auto decoder = std::make_unique<Decoder>(parameters, settings, std::move(parts));
  OutputHead head(parameters, settings, bins, tables);
  Embedding embedding(bins, std::move(tables), settings.d_model);
  return std::make_unique<LanguageModel>(std::move(parameters), std::move(embedding),
                                         std::move(decoder), std::move(head));
}

void require_relative(const PositionScheme& positions, const Config& config,
                      const std::string& memory_path, int64_t memory_length) {
  if (memory_length == 0 || positions.relative()) return;
  throw Error(ErrorKind::kUsage, "model.positions.scheme",
              "\"" + config.get<std::string>("model.positions.scheme") +
                  "\" adds a vector per position to the hidden states, which memory would carry "
                  "into another segment",
              "choose a relative scheme, or set " + memory_path + " to 0");
}

}  // namespace lc
