// The table of position schemes: one line each.
#include "nn/positions/position_scheme.h"

#define LC_POSITION_SCHEMES(X) \
  X(none)                      \
  X(sinusoidal)                \
  X(learned)                   \
  X(learned_per_layer)         \
  X(xl_relative)               \
  X(rotary)                    \
  X(alibi)                     \
  X(t5)                        \
  X(shaw)

namespace lc {

#define LC_DECLARE(name) PositionEntry name##_positions();
LC_POSITION_SCHEMES(LC_DECLARE)
#undef LC_DECLARE

const std::vector<PositionEntry>& position_registry() {
#define LC_ENTRY(name) name##_positions(),
  static const std::vector<PositionEntry> entries{LC_POSITION_SCHEMES(LC_ENTRY)};
#undef LC_ENTRY
  return entries;
}

}  // namespace lc
