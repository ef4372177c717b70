#include "report/html_json.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "core/number_text.h"
#include "report/html_text.h"
#include "report/svg_plot_text.h"

namespace lc {
namespace {

constexpr size_t kMostRows = 100;
constexpr size_t kMostShownRows = 14;  // longer tables are to be opened

// The leaves of an object by name: {"a": {"b": 1}} gives "a: b".
void add_html_leaves(const nlohmann::json& object, const std::string& prefix,
                     std::vector<std::pair<std::string, nlohmann::json>>& leaves) {
  for (const auto& [key, value] : object.items()) {
    const std::string name = prefix + html_name(key);
    if (value.is_object() && !value.empty()) {
      add_html_leaves(value, name + ": ", leaves);
    } else {
      leaves.emplace_back(name, value);
    }
  }
}

bool is_list_of_objects(const nlohmann::json& value) {
  return value.is_array() && !value.empty() &&
         std::all_of(value.begin(), value.end(),
                     [](const nlohmann::json& item) { return item.is_object(); });
}

// Texts first, then whole numbers, then others: what a row is about stands before its measures.
constexpr int kNoRank = -1;
int rank_of(const nlohmann::json& value) {
  return value.is_string() ? 0 : value.is_number_integer() ? 1 : value.is_array() ? 3 : 2;
}

HtmlTable table_of_objects(const nlohmann::json& list) {
  std::vector<std::map<std::string, nlohmann::json>> rows;
  std::map<std::string, int> ranks;
  for (const nlohmann::json& object : list) {
    if (rows.size() == kMostRows) break;
    std::vector<std::pair<std::string, nlohmann::json>> leaves;
    add_html_leaves(object, "", leaves);
    for (const auto& [name, value] : leaves) {
      int& rank = ranks.try_emplace(name, kNoRank).first->second;
      if (!value.is_null()) rank = std::max(rank, rank_of(value));
    }
    rows.emplace_back(leaves.begin(), leaves.end());
  }
  std::vector<std::pair<int, std::string>> columns;
  for (const auto& [name, rank] : ranks) {
    columns.emplace_back(rank == kNoRank ? rank_of(nullptr) : rank, name);
  }
  std::sort(columns.begin(), columns.end());
  HtmlTable table;
  for (const auto& [rank, name] : columns) {
    table.head.push_back({name, rank == 1 || rank == 2 ? "number" : ""});
  }
  for (const auto& row : rows) {
    table.rows.emplace_back();
    for (const auto& [rank, name] : columns) {
      const auto found = row.find(name);
      table.rows.back().push_back(
          html_value(found == row.end() ? nlohmann::json() : found->second));
    }
  }
  return table;
}

std::string list_html(const std::string& name, const nlohmann::json& list) {
  std::string html = html_table(table_of_objects(list));
  if (list.size() > kMostRows) {
    html += html_element("p", "note",
                         "The first " + std::to_string(kMostRows) + " of " +
                             grouped(static_cast<int64_t>(list.size())) + " rows.");
  }
  if (list.size() > kMostShownRows) {
    return html_details(name + ": " + grouped(static_cast<int64_t>(list.size())) + " rows", html);
  }
  return html_element("h5", "", escape_xml(name)) + html;
}

// Numbers stand to the right where there is nothing but numbers.
HtmlTable table_of_pairs(const std::vector<std::pair<std::string, nlohmann::json>>& pairs) {
  HtmlTable table;
  const bool numbers = std::all_of(pairs.begin(), pairs.end(), [](const auto& pair) {
    return pair.second.is_number() || pair.second.is_null();
  });
  for (const auto& [name, value] : pairs) {
    HtmlCell cell = html_value(value);
    if (!numbers) cell.css_class.clear();
    table.rows.push_back({{name, "key"}, std::move(cell)});
  }
  return table;
}

std::string object_html(const nlohmann::json& object, const std::string& prefix) {
  std::vector<std::pair<std::string, nlohmann::json>> pairs;
  std::string rest;
  for (const auto& [key, value] : object.items()) {
    if (key == "protocol") continue;
    const std::string name = prefix + html_name(key);
    if (is_list_of_objects(value)) {
      rest += list_html(name, value);
    } else if (value.is_object() && !value.empty()) {
      rest += object_html(value, name + ": ");
    } else {
      pairs.emplace_back(name, value);
    }
  }
  return (pairs.empty() ? "" : html_table(table_of_pairs(pairs))) + rest;
}

}  // namespace

std::string html_result(const nlohmann::json& result) {
  if (is_list_of_objects(result)) return list_html("rows", result);
  if (!result.is_object()) return html_element("p", "", escape_xml(html_value(result).text));
  return object_html(result, "");
}

std::string html_protocol(const nlohmann::json& result) {
  if (!result.is_object()) return "";
  const auto found = result.find("protocol");
  if (found == result.end() || !found->is_object()) return "";
  std::vector<std::pair<std::string, nlohmann::json>> pairs;
  add_html_leaves(*found, "", pairs);
  std::erase_if(pairs, [](const auto& pair) { return pair.first == "command"; });
  return html_details("protocol", html_table(table_of_pairs(pairs)));
}

}  // namespace lc
