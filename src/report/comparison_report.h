// The difference of two runs as people and programs read it.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "eval/comparison/compare.h"
#include "report/svg/dot_plot.h"

namespace lc {

// {a, b, difference: {nats_per_token, nats_low, nats_high, bits_per_byte, bits_low, bits_high,
// tokens, blocks, block_count}, contexts: [{context, ...}], gains: as gains_json has them, the
// first `top`}, a and b as result_json has them.
inline constexpr int64_t kUsualTop = 10;
nlohmann::json comparison_json(const Comparison& comparison, int64_t top = kUsualTop);

// a, b, context, then the keys of a difference; context is empty for the split.
std::string comparison_csv(const Comparison& comparison);

// The differences as a table (gains: gains_text), and under it in words which run is better.
std::string comparison_text(const Comparison& comparison);

// Nats per token, A minus B: the split, its contexts, the words by frequency.
DotPlot comparison_plot(const Comparison& comparison);

}  // namespace lc
