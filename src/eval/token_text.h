// Texts of tokens and words as they stand in one line of a file or table.
#pragma once

#include <string>
#include <string_view>

namespace lc {

// Escapes as C has them: \n, \r, \t, \\, and \xHH for other control characters and for bytes that
// are no whole UTF-8 character. Nothing is lost, and no line end is left.
std::string visible_text(std::string_view text);

}  // namespace lc
