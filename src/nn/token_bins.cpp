#include "nn/token_bins.h"

#include <string_view>

namespace lc {
namespace {

constexpr std::string_view kTablePrefix = "embedding.";
constexpr std::string_view kTableSuffix = ".weight";

}  // namespace

std::vector<TokenBin> token_bins(const TransformerSettings& settings, int64_t vocab_size) {
  std::vector<TokenBin> bins;
  int64_t first = 0;
  int64_t width = settings.d_embed;
  const auto& cutoffs = settings.adaptive.cutoffs;
  for (size_t i = 0; i <= cutoffs.size(); ++i) {
    const int64_t end = i < cutoffs.size() ? cutoffs[i] : vocab_size;
    bins.push_back({first, end - first, width});
    first = end;
    width /= settings.adaptive.divisor;
  }
  return bins;
}

TokenTables::TokenTables(ParameterSet& parameters, const TransformerSettings& settings,
                         const std::vector<TokenBin>& bins) {
  const bool shared = settings.adaptive.divisor == 1;
  const size_t count = shared ? 1 : bins.size();
  for (size_t i = 0; i < count; ++i) {
    const int64_t rows = shared ? bins.back().first + bins.back().size : bins[i].size;
    const std::string name = std::string(kTablePrefix) + std::to_string(i);
    tables.push_back(parameters.add(name + std::string(kTableSuffix), {rows, bins[i].width},
                                    Initial::normal(settings.init_deviation)));
    const bool projected = !shared || settings.d_embed != settings.d_model;
    projections.push_back(
        projected ? parameters.add(name + ".projection", {settings.d_model, bins[i].width},
                                   Initial::normal(settings.projection_init_deviation))
                  : at::Tensor());
  }
}

int64_t vocab_size_of(const NamedTensors& weights) {
  int64_t rows = 0;
  for (const auto& [name, tensor] : weights) {
    if (name.starts_with(kTablePrefix) && name.ends_with(kTableSuffix)) rows += tensor.size(0);
  }
  return rows;
}

}  // namespace lc
