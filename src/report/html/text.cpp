#include "report/html/text.h"

#include <cmath>
#include <cstdint>

#include "config/json_text.h"
#include "core/number_text.h"
#include "report/svg/plot_text.h"

namespace lc {
namespace {

constexpr int64_t kGroupedFrom = 10000;
constexpr size_t kMostListed = 64;

// Bytes that may stand in a data URI inside a quoted attribute; the rest is percent-encoded.
bool plain_in_uri(char c) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -_.,:;/=()!*+@$";
  return kPlain.find(c) != std::string_view::npos;
}

std::string percent_encoded(std::string_view bytes) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string result;
  for (const char c : bytes) {
    if (plain_in_uri(c)) {
      result += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    result += {'%', kHex[byte >> 4U], kHex[byte & 15U]};
  }
  return result;
}

std::string whole_number(int64_t value) {
  return std::abs(value) < kGroupedFrom ? std::to_string(value) : grouped(value);
}

std::string real_number(double value) {
  const double size = std::abs(value);
  if (!std::isfinite(value)) return value > 0 ? "infinite" : "not a number";
  if (value == std::round(value) && size < 1e15) return whole_number(static_cast<int64_t>(value));
  if (size >= 1e15) return scientific(value, 2);
  if (size >= 1000) return decimal(value, 1);
  if (size >= 0.1) return decimal(value, 4);
  if (size >= 1e-5) return decimal(value, 2 - static_cast<int>(std::floor(std::log10(size))));
  return scientific(value, 2);
}

std::string list_text(const nlohmann::json& list) {
  std::string text;
  size_t count = 0;
  for (const nlohmann::json& item : list) {
    if (count++ == kMostListed)
      return text + " and " + std::to_string(list.size() - kMostListed) + " more";
    text += (text.empty() ? "" : ", ") + html_value(item).text;
  }
  return text.empty() ? "none" : text;
}

}  // namespace

std::string html_element(const std::string& tag, const std::string& css_class,
                         const std::string& inner) {
  const std::string attribute = css_class.empty() ? "" : " class=\"" + escape_xml(css_class) + "\"";
  return "<" + tag + attribute + ">" + inner + "</" + tag + ">\n";
}

std::string html_image(std::string_view svg, const std::string& alt) {
  return "<figure><img src=\"data:image/svg+xml," + percent_encoded(svg) + "\" alt=\"" +
         escape_xml(alt) + "\"/></figure>\n";
}

std::string html_table(const HtmlTable& table) {
  const auto line = [](const std::vector<HtmlCell>& cells, const char* tag) {
    std::string row;
    for (const HtmlCell& cell : cells) {
      row += html_element(tag, cell.css_class, escape_xml(cell.text));
    }
    return html_element("tr", "", row);
  };
  std::string inner;
  if (!table.head.empty()) inner += html_element("thead", "", line(table.head, "th"));
  std::string rows;
  for (const auto& row : table.rows) rows += line(row, "td");
  inner += html_element("tbody", "", rows);
  return html_element("div", "scroll", html_element("table", "", inner));
}

std::string html_details(const std::string& summary, const std::string& inner) {
  return html_element("details", "", html_element("summary", "", escape_xml(summary)) + inner);
}

HtmlCell html_value(const nlohmann::json& value) {
  if (value.is_null()) return {"-", "number"};
  if (value.is_boolean()) return {value.get<bool>() ? "yes" : "no", ""};
  if (value.is_number_integer()) return {whole_number(value.get<int64_t>()), "number"};
  if (value.is_number()) return {real_number(value.get<double>()), "number"};
  if (value.is_string()) return {value.get<std::string>(), ""};
  if (value.is_array()) return {list_text(value), ""};
  return {value.empty() ? "none" : json_text(value, -1), ""};
}

}  // namespace lc
