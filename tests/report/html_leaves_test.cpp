// Values in objects of JSON, with the names that a page shows for them.
#include <string>
#include <vector>

#include "catch.h"
#include "report/html/leaves.h"

namespace {

std::vector<std::string> names_of(const lc::HtmlLeaves& leaves) {
  std::vector<std::string> names;
  for (const auto& [name, value] : leaves) names.push_back(name);
  return names;
}

}  // namespace

TEST_CASE("Leaves have the names of all objects that they stand in") {
  const auto object = nlohmann::json::parse(R"({
    "a_b": {"c": {"d_e": 1}, "f": {}}, "list": [{"g": 2}], "none": null,
    "part": {"protocol": {"seed": 3}}, "protocol": {"seed": 4}})");
  const lc::HtmlLeaves all = lc::html_leaves(object, lc::HtmlProtocols::kTaken);
  CHECK(names_of(all) == std::vector<std::string>{"a b: c: d e", "a b: f", "list", "none",
                                                  "part: protocol: seed", "protocol: seed"});
  CHECK(*all[0].second == 1);
  CHECK(all[2].second == &object.at("list"));
  CHECK(names_of(lc::html_leaves(object, lc::HtmlProtocols::kLeftOut)) ==
        std::vector<std::string>{"a b: c: d e", "a b: f", "list", "none"});
}
