// Whether a file is a whole SVG image: one, of which every tag is closed.
#pragma once

#include <string>
#include <string_view>

namespace lc {

// What goes after the file's name: "is empty"; empty where there is no fault. Around the image may
// stand what XML allows: a byte order mark, blanks, <?xml ... ?>, comments, a DOCTYPE.
std::string svg_fault(std::string_view text);

}  // namespace lc
