#include "report/html/rows.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "core/number_text.h"
#include "report/html/leaves.h"
#include "report/html/text.h"
#include "report/svg/plot_text.h"

namespace lc {
namespace {

constexpr size_t kMostRows = 400;
constexpr size_t kMostShownRows = 14;  // longer tables are to be opened

// An object of a list, on its way into a table.
struct HtmlRow {
  HtmlLeaves around;  // what names the objects it stands in, from the outermost on
  HtmlLeaves own;
  HtmlLeaves lists;  // of objects, in it
};
using HtmlRows = std::vector<HtmlRow>;

HtmlRows html_rows_of(const nlohmann::json& list, const HtmlLeaves& around) {
  HtmlRows rows;
  for (const nlohmann::json& object : list) {
    HtmlRow& row = rows.emplace_back(HtmlRow{around, {}, {}});
    for (const auto& leaf : html_leaves(object, HtmlProtocols::kLeftOut)) {
      (is_list_of_objects(*leaf.second) ? row.lists : row.own).push_back(leaf);
    }
  }
  return rows;
}

// What the rows of a list in a row begin with: that row's texts, or all of it where it has none.
// The title is that of the row's own list, "groups: runs".
HtmlLeaves names_in(const HtmlRow& row, const std::string& title) {
  const auto is_text = [](const auto& leaf) { return leaf.second->is_string(); };
  const bool any_text = std::any_of(row.own.begin(), row.own.end(), is_text);
  const size_t last = title.rfind(": ");
  const std::string list = last == std::string::npos ? title : title.substr(last + 2);
  HtmlLeaves names = row.around;
  for (const auto& leaf : row.own) {
    if (any_text && !is_text(leaf)) continue;
    names.emplace_back(list + ": " + leaf.first, leaf.second);
  }
  return names;
}

// Rows of which nothing would be seen that the rows of their lists don't begin with.
bool only_names(const HtmlRows& rows) {
  return std::all_of(rows.begin(), rows.end(), [](const HtmlRow& row) {
    return !row.lists.empty() && std::all_of(row.own.begin(), row.own.end(), [](const auto& leaf) {
      return leaf.second->is_string();
    });
  });
}

// Texts first, then whole numbers, then others: what a row is about stands before its measures.
constexpr int kNoRank = -1;
int rank_of(const nlohmann::json& value) {
  return value.is_string() ? 0 : value.is_number_integer() ? 1 : value.is_array() ? 3 : 2;
}

// Names with the highest rank of their values, in the order in which they first occur.
using HtmlColumns = std::vector<std::pair<int, std::string>>;
HtmlColumns columns_of(const HtmlRows& rows, HtmlLeaves HtmlRow::*part) {
  HtmlColumns columns;
  std::map<std::string, size_t> places;
  for (const HtmlRow& row : rows) {
    for (const auto& [name, value] : row.*part) {
      const auto [place, added] = places.try_emplace(name, columns.size());
      if (added) columns.emplace_back(kNoRank, name);
      int& rank = columns[place->second].first;
      if (!value->is_null()) rank = std::max(rank, rank_of(*value));
    }
  }
  for (auto& [rank, name] : columns) {
    if (rank == kNoRank) rank = rank_of(nullptr);
  }
  return columns;
}

void add_cells(const HtmlColumns& columns, const HtmlLeaves& leaves, std::vector<HtmlCell>& cells) {
  const std::map<std::string, const nlohmann::json*> values(leaves.begin(), leaves.end());
  for (const auto& [rank, name] : columns) {
    const auto found = values.find(name);
    cells.push_back(html_value(found == values.end() ? nlohmann::json() : *found->second));
  }
}

HtmlTable table_of_rows(const HtmlRows& rows) {
  const HtmlColumns around = columns_of(rows, &HtmlRow::around);
  HtmlColumns own = columns_of(rows, &HtmlRow::own);
  std::sort(own.begin(), own.end());
  HtmlTable table;
  for (const HtmlColumns& columns : {around, own}) {
    for (const auto& [rank, name] : columns) {
      table.head.push_back({name, rank == 1 || rank == 2 ? "number" : ""});
    }
  }
  for (const HtmlRow& row : rows) {
    table.rows.emplace_back();
    add_cells(around, row.around, table.rows.back());
    add_cells(own, row.own, table.rows.back());
  }
  return table;
}

std::string rows_html(const std::string& title, HtmlRows rows) {
  const size_t all = rows.size();
  if (all > kMostRows) rows.resize(kMostRows);
  std::string html = html_table(table_of_rows(rows));
  const std::string count = grouped(static_cast<int64_t>(all));
  if (all > kMostRows) {
    html += html_element("p", "note",
                         "The first " + std::to_string(kMostRows) + " of " + count + " rows.");
  }
  if (all > kMostShownRows) return html_details(title + ": " + count + " rows", html);
  return html_element("h5", "", escape_xml(title)) + html;
}

// The table of a list, then one of each list that stands in its rows.
std::string list_html(const std::string& title, const HtmlRows& rows) {
  std::map<std::string, HtmlRows> inner;
  for (const HtmlRow& row : rows) {
    for (const auto& [list, objects] : row.lists) {
      HtmlRows more = html_rows_of(*objects, names_in(row, title));
      HtmlRows& together = inner[list];
      std::move(more.begin(), more.end(), std::back_inserter(together));
    }
  }
  std::string html = only_names(rows) ? "" : rows_html(title, rows);
  for (const auto& [list, more] : inner) html += list_html(title + ": " + list, more);
  return html;
}

}  // namespace

bool is_list_of_objects(const nlohmann::json& value) {
  return value.is_array() && !value.empty() &&
         std::all_of(value.begin(), value.end(),
                     [](const nlohmann::json& item) { return item.is_object(); });
}

std::string html_rows(const std::string& title, const nlohmann::json& list) {
  return list_html(title, html_rows_of(list, {}));
}

}  // namespace lc
