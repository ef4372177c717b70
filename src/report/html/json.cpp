#include "report/html/json.h"

#include <algorithm>
#include <map>
#include <utility>

#include "report/html/leaves.h"
#include "report/html/rows.h"
#include "report/html/text.h"
#include "report/shown_name.h"
#include "report/svg/plot_text.h"

namespace lc {
namespace {

// Numbers stand to the right where there is nothing but numbers.
HtmlTable table_of_pairs(const HtmlLeaves& pairs) {
  HtmlTable table;
  const bool numbers = std::all_of(pairs.begin(), pairs.end(), [](const auto& pair) {
    return pair.second->is_number() || pair.second->is_null();
  });
  for (const auto& [name, value] : pairs) {
    HtmlCell cell = html_value(*value);
    if (!numbers) cell.css_class.clear();
    table.rows.push_back({{name, "key"}, std::move(cell)});
  }
  return table;
}

// What stands in one object: its own values, and the tables of its lists.
struct HtmlPart {
  HtmlLeaves pairs;
  std::string lists;
};

std::string object_html(const nlohmann::json& object) {
  std::map<std::string, HtmlPart>
      parts;  // by how all their names begin: the outer before the inner
  for (const auto& [name, value] : html_leaves(object, HtmlProtocols::kLeftOut)) {
    const size_t last = name.rfind(": ");
    HtmlPart& part = parts[last == std::string::npos ? "" : name.substr(0, last + 2)];
    if (is_list_of_objects(*value)) {
      part.lists += html_rows(name, *value);
    } else {
      part.pairs.emplace_back(name, value);
    }
  }
  std::string html;
  for (const auto& [beginning, part] : parts) {
    if (!part.pairs.empty()) {
      html += html_element("div", "pairs", html_table(table_of_pairs(part.pairs)));
    }
    html += part.lists;
  }
  return html;
}

std::string protocol_html(const nlohmann::json& part, const std::string& title) {
  const auto found = part.find("protocol");
  if (found == part.end() || !found->is_object()) return "";
  HtmlLeaves pairs = html_leaves(*found, HtmlProtocols::kTaken);
  std::erase_if(pairs, [](const auto& pair) {
    return pair.first == "command" || pair.first.ends_with(": command");
  });
  return html_details(title, html_table(table_of_pairs(pairs)));
}

// Of a part that has a protocol of its own.
std::string part_protocol(const nlohmann::json& part, const std::string& key) {
  const auto name = part.find("name");
  const bool named = name != part.end() && name->is_string();
  return protocol_html(part, "protocol of " + (named ? name->get<std::string>() : shown_name(key)));
}

}  // namespace

std::string html_result(const nlohmann::json& result) {
  if (is_list_of_objects(result)) return html_rows("rows", result);
  if (!result.is_object()) return html_element("p", "", escape_xml(html_value(result).text));
  return object_html(result);
}

std::string html_protocol(const nlohmann::json& result) {
  if (!result.is_object()) return "";
  std::string html = protocol_html(result, "protocol");
  for (const auto& [key, value] : result.items()) {
    if (value.is_object()) html += part_protocol(value, key);
    if (!is_list_of_objects(value)) continue;
    for (const nlohmann::json& item : value) html += part_protocol(item, key);
  }
  return html;
}

}  // namespace lc
