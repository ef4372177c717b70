#include "report/svg_fault.h"

#include <algorithm>

#include "eval/token_text.h"
#include "report/svg_plot_text.h"

namespace lc {
namespace {

constexpr std::string_view kXmlBlanks = " \t\r\n";
constexpr size_t kShownOfOther = 20;  // characters of a file that is no SVG

// What comes after the first of these ends; nothing where there is none.
std::string_view text_after(std::string_view text, std::string_view end) {
  const size_t place = text.find(end);
  return place == std::string_view::npos ? std::string_view() : text.substr(place + end.size());
}

// The text begins with a tag or DOCTYPE: the bytes up to and with its ">", which is none of those
// in quotes, in comments or in a DOCTYPE's brackets. 0: it has no end.
size_t markup_length(std::string_view text) {
  int brackets = 0;
  std::string_view rest = text;
  while (!rest.empty()) {
    const char c = rest[0];
    if (rest.starts_with("<!--")) {
      rest = text_after(rest, "-->");
    } else if (rest.starts_with("<?")) {
      rest = text_after(rest, "?>");
    } else if (c == '"' || c == '\'') {
      rest = text_after(rest.substr(1), rest.substr(0, 1));
    } else {
      rest.remove_prefix(1);
      if (c == '[') ++brackets;
      if (c == ']') --brackets;
      if (c == '>' && brackets == 0) return text.size() - rest.size();
    }
  }
  return 0;
}

std::string_view after_xml_head(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kXmlBlanks), text.size()));
    if (text.starts_with("<?")) {
      text = text_after(text, "?>");
    } else if (text.starts_with("<!--")) {
      text = text_after(text, "-->");
    } else if (text.starts_with("<!")) {
      const size_t length = markup_length(text);
      text.remove_prefix(length > 0 ? length : text.size());
    } else {
      return text;
    }
  }
}

// "<svg" or "</svg", and no longer name.
bool begins_with_tag(std::string_view text, std::string_view tag) {
  if (!text.starts_with(tag)) return false;
  text.remove_prefix(tag.size());
  return text.empty() || text[0] == '>' || text.starts_with("/>") ||
         kXmlBlanks.find(text[0]) != std::string_view::npos;
}

bool ends_as_svg(std::string_view image) {
  const size_t length = markup_length(image);
  if (length == 0) return false;
  if (image.substr(0, length).ends_with("/>")) return true;
  const size_t last = image.rfind("</svg");
  if (last == std::string_view::npos) return false;
  const std::string_view tag = image.substr(last);
  return begins_with_tag(tag, "</svg") && tag.find('>') != std::string_view::npos;
}

}  // namespace

std::string svg_fault(std::string_view text) {
  if (text.find_first_not_of(kXmlBlanks) == std::string_view::npos) return "is empty";
  const std::string_view image = after_xml_head(text);
  if (!begins_with_tag(image, "<svg")) {
    return "is no SVG image: it begins with \"" +
           shortened(visible_text(text.substr(0, 100)), kShownOfOther) + "\"";
  }
  return ends_as_svg(image) ? "" : "is a part of an SVG image: its last tag is missing";
}

}  // namespace lc
