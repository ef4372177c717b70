// Checks of what is typed after a flag; each says what may stand there.
#pragma once

#include <cstdint>

namespace CLI {
class Validator;
}

namespace lc {

// A whole number in decimal digits, at least so large.
CLI::Validator whole_number_from(uint64_t least);

// A finite number; who takes it says what it may be.
CLI::Validator finite_number();

// A list that isn't empty; who reads it says more.
CLI::Validator not_empty_list();

// Any path but an empty one, which would name nothing, or the folder that the program runs in.
CLI::Validator not_empty_path();

}  // namespace lc
