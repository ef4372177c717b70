// Slopes of ALiBi.
#pragma once

#include <cstdint>
#include <vector>

namespace lc {

// m_a of head a: 2^(-8(a+1)/H) if H is a power of two; else the slopes of the largest power of two
// P below H, then the first H - P of every second slope of 2P (Press et al. 2022 and their code).
std::vector<double> alibi_slopes(int64_t heads);

}  // namespace lc
