// What may stand after a flag, and what is said of anything else.
#include "common/value_checks.h"

#include <CLI/CLI.hpp>
#include <string>

#include "catch.h"

TEST_CASE("a finite number is taken, and nothing else is") {
  const auto fault = [](const std::string& text) { return lc::finite_number()(text); };
  for (const char* good : {"0", "-1", "0.01", "1e-5", "2e300"}) {
    CAPTURE(good);
    CHECK(fault(good).empty());
  }
  for (const char* bad : {"", "x", "nan", "inf", "1e400", "0.1x", "1,5"}) {
    CAPTURE(bad);
    CHECK(fault(bad) == "\"" + std::string(bad) + "\" is no finite number; give one such as 0.01");
  }
}

TEST_CASE("a whole number is taken from the least one on, and nothing else is") {
  const auto fault_from_1 = [](const std::string& text) { return lc::whole_number_from(1)(text); };
  const auto fault_from_0 = [](const std::string& text) { return lc::whole_number_from(0)(text); };
  for (const char* good : {"1", "64", "9223372036854775807"}) CHECK(fault_from_1(good).empty());
  for (const char* good : {"0", "18446744073709551615"}) CHECK(fault_from_0(good).empty());
  CHECK(fault_from_1("0") == "0 is too small; give a whole number from 1 on");
  CHECK(fault_from_1("-7") == "-7 is too small; give a whole number from 1 on");
  CHECK(fault_from_0("-1") == "-1 is too small; give a whole number from 0 on");
  CHECK(fault_from_0("-99999999999999999999") ==
        "-99999999999999999999 is too small; give a whole number from 0 on");
  CHECK(fault_from_1("99999999999999999999").find(" is too large; ") != std::string::npos);
  for (const char* bad : {"", "-", "x", "1.5", "1e3", "0x10", "1 ", "--1"}) {
    CAPTURE(bad);
    CHECK(fault_from_1(bad) ==
          "\"" + std::string(bad) + "\" is no whole number; give a whole number from 1 on");
  }
}

TEST_CASE("an empty list is refused") {
  CHECK(lc::not_empty_list()("0,64").empty());
  CHECK(lc::not_empty_list()("") == "is empty; give numbers with commas between them");
}

TEST_CASE("an empty path is refused") {
  CHECK(lc::not_empty_path()("runs/a b").empty());
  CHECK(lc::not_empty_path()("") == "is empty; give a path");
}
