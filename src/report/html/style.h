// The look of the report page: light and dark as the reader has it, from 320 pixels on.
#pragma once

#include <string>

namespace lc {

std::string html_style();  // CSS

}  // namespace lc
