// Numbers as text.
#include "core/number_text.h"

#include <string>

#include "catch.h"

namespace lc {

TEST_CASE("decimals are rounded, whole numbers grouped") {
  CHECK(decimal(-0.0001, 2) == "0.00");
  CHECK(decimal(-0.01, 2) == "-0.01");
  CHECK(decimal(1e300, 0).size() == 301);
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1000) == "1,000");
  CHECK(grouped(1234567) == "1,234,567");
  CHECK(grouped(-123456) == "-123,456");
}

TEST_CASE("digits that count, with an exponent where zeros would hide them") {
  CHECK(significant(0, 4) == "0");
  CHECK(significant(0.62246, 4) == "0.6225");
  CHECK(significant(-12.3456, 4) == "-12.35");
  CHECK(significant(9.99996, 4) == "10.00");
  CHECK(significant(123456.7, 4) == "123457");
  CHECK(significant(0.00012346, 4) == "0.0001235");
  CHECK(significant(6.1422e-06, 4) == "6.142e-06");
  CHECK(significant(2.5e15, 4) == "2.500e+15");
  CHECK(scientific(-1.5e300, 1) == "-1.5e+300");
}

TEST_CASE("the shortest text of a number reads back as the number") {
  for (const double value : {0.1, 1.0 / 3, 2.1e-17, 5.67e200, -4.0}) {
    CHECK(std::stod(shortest(value)) == value);
  }
  CHECK(shortest(0.5) == "0.5");
}

}  // namespace lc
