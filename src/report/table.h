// A table of text for stdout: columns under their titles, numbers to the right.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace lc {

enum class Align { kLeft, kRight };

struct TableColumn {
  std::string title;
  Align align = Align::kRight;
};

class TextTable {
 public:
  explicit TextTable(std::vector<TableColumn> columns);
  void add_row(std::vector<std::string> cells);  // one cell per column, UTF-8, no line ends
  // Titles, a rule, the rows; two spaces between columns, no blanks at line ends.
  std::string text() const;

 private:
  std::vector<TableColumn> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// With so many decimals; "-" where there is no number, plain words where it is not finite.
std::string table_number(const std::optional<double>& value, int decimals);

}  // namespace lc
