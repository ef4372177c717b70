#include "report/html_json.h"

#include <algorithm>
#include <utility>

#include "report/html_leaves.h"
#include "report/html_rows.h"
#include "report/html_text.h"
#include "report/svg_plot_text.h"

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

std::string object_html(const nlohmann::json& object, const std::string& prefix) {
  HtmlLeaves pairs;
  std::string rest;
  for (const auto& [key, value] : object.items()) {
    if (key == "protocol") continue;
    const std::string name = prefix + html_name(key);
    if (is_list_of_objects(value)) {
      rest += html_rows(name, value);
    } else if (value.is_object() && !value.empty()) {
      rest += object_html(value, name + ": ");
    } else {
      pairs.emplace_back(name, &value);
    }
  }
  if (pairs.empty()) return rest;
  return html_element("div", "pairs", html_table(table_of_pairs(pairs))) + rest;
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
  return protocol_html(part, "protocol of " + (named ? name->get<std::string>() : html_name(key)));
}

}  // namespace

std::string html_result(const nlohmann::json& result) {
  if (is_list_of_objects(result)) return html_rows("rows", result);
  if (!result.is_object()) return html_element("p", "", escape_xml(html_value(result).text));
  return object_html(result, "");
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
