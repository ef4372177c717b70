#include "report/svg/page.h"

#include "report/svg/plot_curve.h"
#include "report/svg/plot_text.h"

namespace lc {
namespace {

constexpr double kSubtitlePixels = 7.2;  // of a character
constexpr const char* kStyle =
    "text{font-family:'Inter','Segoe UI','Helvetica Neue',Helvetica,Arial,'DejaVu Sans',"
    "sans-serif;stroke:none}\n"
    ".ground{fill:#ffffff}\n"
    ".title{font-size:19px;font-weight:600;fill:#1b1f24}\n"
    ".subtitle,.label{font-size:13px;fill:#57606a}\n"
    ".tick{font-size:12px;fill:#57606a}\n"
    ".legend{font-size:13px;fill:#1b1f24}\n"
    ".grid{stroke:#e4e8ec;stroke-width:1}\n"
    ".axis{stroke:#8c959f;stroke-width:1}\n"
    "@media (prefers-color-scheme:dark){\n"
    "  .ground{fill:#0d1117}\n"
    "  .title,.legend{fill:#e6edf3}\n"
    "  .subtitle,.label,.tick{fill:#9198a1}\n"
    "  .grid{stroke:#262c34}\n"
    "  .axis{stroke:#656c76}\n"
    "}\n";

}  // namespace

std::string subtitle_without(const std::vector<std::string>& not_finite,
                             const std::string& subtitle) {
  std::string names;
  for (const std::string& name : not_finite) names += (names.empty() ? "" : ", ") + name;
  if (names.empty()) return subtitle;
  return "not finite: " + names + (subtitle.empty() ? "" : "; " + subtitle);
}

std::string svg_text(double x, double y, const std::string& attributes, const std::string& text) {
  return "<text x=\"" + pixels(x) + "\" y=\"" + pixels(y) + "\" " + attributes + ">" +
         escape_xml(text) + "</text>\n";
}

std::string svg_page(const SvgPage& page, const std::string& css, const std::string& body) {
  const auto subtitle_characters =
      static_cast<size_t>((page.width - kPageMargin) / kSubtitlePixels);
  std::string svg = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  svg += "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + pixels(page.width) + " " +
         pixels(page.height) + "\" width=\"" + pixels(page.width) + "\" height=\"" +
         pixels(page.height) + "\" role=\"img\">\n";
  svg += "<title>" + escape_xml(page.title) + "</title>\n";
  svg += "<desc>" + escape_xml(page.subtitle) + "</desc>\n<style>\n" + kStyle + css + "</style>\n";
  svg += "<rect class=\"ground\" width=\"100%\" height=\"100%\" rx=\"8\"/>\n";
  svg += svg_text(kPageMargin, 36, "class=\"title\"", page.title);
  svg += svg_text(kPageMargin, 58, "class=\"subtitle\"",
                  shortened(page.subtitle, subtitle_characters));
  return svg + body + "</svg>\n";
}

}  // namespace lc
