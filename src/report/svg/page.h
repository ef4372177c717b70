// The page that every plot stands on: head, ground, title and subtitle, the styles they share in a
// reader's light or dark theme.
#pragma once

#include <string>
#include <vector>

namespace lc {

constexpr double kPageMargin = 26;  // left of titles and legends

struct SvgPage {
  std::string title;
  std::string subtitle;  // what was measured, in one line
  double width;          // pixels
  double height;
};

// The whole file, UTF-8. body: elements; css: rules of their own, after the shared ones for text
// (.title, .subtitle, .label, .tick, .legend) and lines (.grid, .axis).
std::string svg_page(const SvgPage& page, const std::string& css, const std::string& body);

// A subtitle that begins with the names of what can't be drawn: "not finite: xl; test split ...".
std::string subtitle_without(const std::vector<std::string>& not_finite,
                             const std::string& subtitle);

// A text element at x, y; any text may stand in it.
std::string svg_text(double x, double y, const std::string& attributes, const std::string& text);

}  // namespace lc
