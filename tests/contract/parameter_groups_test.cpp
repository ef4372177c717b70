// The groups that registry entries name are those that their models really have.
#include <ATen/ATen.h>

#include <map>
#include <set>

#include "catch.h"
#include "contract/zoo.h"

TEST_CASE("entries name the groups that their parameters belong to", "[contract]") {
  std::map<std::string, std::set<std::string>> found;
  for (const zoo::Variant& variant : zoo::variants()) {
    const auto model = zoo::build(variant.model, {at::kFloat, at::kMeta});
    for (const lc::Parameter& parameter : model->parameters().all()) {
      found[variant.type].insert(parameter.group);
    }
  }
  std::set<std::string> all;
  for (const lc::ModelEntry& entry : lc::model_registry()) {
    INFO(entry.type);
    std::set<std::string> named(entry.parameter_groups.begin(), entry.parameter_groups.end());
    named.insert("main");
    CHECK(found[entry.type] == named);
    all.insert(named.begin(), named.end());
  }
  const std::vector<std::string> groups = lc::parameter_groups();
  CHECK(std::set<std::string>(groups.begin(), groups.end()) == all);
  CHECK(groups.size() == all.size());
  CHECK(groups.front() == "main");
}
