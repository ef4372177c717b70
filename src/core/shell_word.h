// Words of a command line as text that a POSIX shell reads back.
#pragma once

#include <string>

namespace lc {

// As it is where nothing in it means something to a shell, else in single quotes.
std::string shell_word(const std::string& word);

}  // namespace lc
