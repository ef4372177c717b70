// Tables for stdout and CSV.
#include "report/table.h"

#include <limits>
#include <string>

#include "catch.h"
#include "report/csv.h"

namespace lc {

TEST_CASE("a table lines up names to the left and numbers to the right") {
  TextTable table({{"run", Align::kLeft}, {"bits per byte"}, {"tokens"}});
  table.add_row({"xl", "2.1040", "1,000"});
  table.add_row(
      {"gr\xC3\xB6\xC3\x9F"
       "er",
       "-", "20"});
  CHECK(table.text() ==
        "run     bits per byte  tokens\n"
        "------  -------------  ------\n"
        "xl             2.1040   1,000\n"
        "gr\xC3\xB6\xC3\x9F"
        "er              -      20\n");
}

TEST_CASE("no blanks at line ends") {
  TextTable table({{"a", Align::kLeft}, {"b", Align::kLeft}});
  table.add_row({"long", "x"});
  table.add_row({"", ""});
  CHECK(table.text() == "a     b\n----  -\nlong  x\n\n");
}

TEST_CASE("numbers in tables") {
  CHECK(table_number(2.5, 4) == "2.5000");
  CHECK(table_number({}, 4) == "-");
  CHECK(table_number(std::numeric_limits<double>::infinity(), 2) == "infinite");
  CHECK(table_number(std::numeric_limits<double>::quiet_NaN(), 2) == "not a number");
}

TEST_CASE("CSV quotes what it must") {
  CHECK(csv_line({"a", "b c", ""}) == "a,b c,\n");
  CHECK(csv_line({"a,b", "say \"hi\"", "two\nlines"}) ==
        "\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\"\n");
}

TEST_CASE("a number that isn't there is an empty field of CSV") {
  CHECK(csv_number(0.5) == "0.5");
  CHECK(csv_number({}).empty());
}

}  // namespace lc
