#include "report/table.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/number_text.h"

namespace lc {
namespace {

// Characters, not bytes: bytes that continue a UTF-8 character have no width.
size_t width(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
  }));
}

}  // namespace

TextTable::TextTable(std::vector<TableColumn> columns) : columns_(std::move(columns)) {}

void TextTable::add_row(std::vector<std::string> cells) {
  LC_CHECK(cells.size() == columns_.size());
  rows_.push_back(std::move(cells));
}

std::string TextTable::text() const {
  std::vector<size_t> widths;
  std::vector<std::string> titles;
  std::vector<std::string> rules;
  for (size_t c = 0; c < columns_.size(); ++c) {
    size_t widest = width(columns_[c].title);
    for (const auto& row : rows_) widest = std::max(widest, width(row[c]));
    widths.push_back(widest);
    titles.push_back(columns_[c].title);
    rules.emplace_back(widest, '-');
  }
  std::string result;
  const auto add_line = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (size_t c = 0; c < cells.size(); ++c) {
      const std::string blanks(widths[c] - width(cells[c]), ' ');
      if (c > 0) line += "  ";
      line += columns_[c].align == Align::kLeft ? cells[c] + blanks : blanks + cells[c];
    }
    result += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  };
  add_line(titles);
  add_line(rules);
  for (const auto& row : rows_) add_line(row);
  return result;
}

std::string table_number(const std::optional<double>& value, int decimals) {
  if (!value) return "-";
  if (std::isnan(*value)) return "not a number";
  if (std::isinf(*value)) return *value > 0 ? "infinite" : "-infinite";
  return decimal(*value, decimals);
}

}  // namespace lc
