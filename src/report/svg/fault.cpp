#include "report/svg/fault.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "eval/token_text.h"
#include "report/svg/plot_text.h"

namespace lc {
namespace {

constexpr std::string_view kXmlBlanks = " \t\r\n";
constexpr size_t kShownOfOther = 20;  // characters of a file that is no SVG

// What comes after the first of these ends; nothing where there is none.
std::string_view text_after(std::string_view text, std::string_view end) {
  const size_t place = text.find(end);
  return place == std::string_view::npos ? std::string_view() : text.substr(place + end.size());
}

// Without the comment, processing instruction or CDATA that it begins with, if it does.
std::string_view past_unread(std::string_view text) {
  for (const auto& [begin, end] : {std::pair<std::string_view, std::string_view>{"<!--", "-->"},
                                   {"<?", "?>"},
                                   {"<![CDATA[", "]]>"}}) {
    if (text.starts_with(begin)) return text_after(text, end);
  }
  return text;
}

// The text begins with a tag or DOCTYPE: the bytes up to and with its ">", which is none of those
// in quotes, in comments or in a DOCTYPE's brackets. 0: it has no end.
size_t markup_length(std::string_view text) {
  int brackets = 0;
  std::string_view rest = text;
  while (!rest.empty()) {
    const char c = rest[0];
    const std::string_view past = past_unread(rest);
    if (past.size() < rest.size()) {
      rest = past;
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

// Past what XML allows around an image.
std::string_view after_xml_around(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kXmlBlanks), text.size()));
    const std::string_view past = past_unread(text);
    if (past.size() < text.size()) {
      text = past;
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

// What follows the image that the text begins with; nothing where a tag of it isn't closed.
std::optional<std::string_view> after_svg(std::string_view text) {
  int open = 0;
  while (!text.empty()) {
    text.remove_prefix(std::min(text.find('<'), text.size()));
    const std::string_view past = past_unread(text);
    if (past.size() < text.size()) {
      text = past;
      continue;
    }
    const std::string_view tag = text.substr(0, markup_length(text));
    if (tag.empty()) break;
    text.remove_prefix(tag.size());
    const bool closes = tag.starts_with("</");
    if (!tag.ends_with("/>")) open += closes ? -1 : 1;
    if (open > 0) continue;
    if (closes && !begins_with_tag(tag, "</svg")) break;
    return text;
  }
  return {};
}

std::string shown_beginning(std::string_view text) {
  return "\"" + shortened(visible_text(text.substr(0, 100)), kShownOfOther) + "\"";
}

}  // namespace

std::string svg_fault(std::string_view text) {
  if (text.find_first_not_of(kXmlBlanks) == std::string_view::npos) return "is empty";
  const std::string_view image = after_xml_around(text);
  if (!begins_with_tag(image, "<svg")) {
    return "is no SVG image: it begins with " + shown_beginning(text);
  }
  const std::optional<std::string_view> rest = after_svg(image);
  if (!rest) return "is a part of an SVG image: its last tag is missing";
  const std::string_view more = after_xml_around(*rest);
  return more.empty() ? "" : "goes on after the SVG image, with " + shown_beginning(more);
}

}  // namespace lc
