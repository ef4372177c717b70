#include "report/html/leaves.h"

#include "report/html/text.h"
#include "report/shown_name.h"

namespace lc {
namespace {

void add_html_leaves(const nlohmann::json& object, const std::string& prefix,
                     HtmlProtocols protocols, HtmlLeaves& leaves) {
  for (const auto& [key, value] : object.items()) {
    if (key == "protocol" && protocols == HtmlProtocols::kLeftOut) continue;
    const std::string name = prefix + shown_name(key);
    if (value.is_object() && !value.empty()) {
      add_html_leaves(value, name + ": ", protocols, leaves);
    } else {
      leaves.emplace_back(name, &value);
    }
  }
}

}  // namespace

HtmlLeaves html_leaves(const nlohmann::json& object, HtmlProtocols protocols) {
  HtmlLeaves leaves;
  add_html_leaves(object, "", protocols, leaves);
  return leaves;
}

}  // namespace lc
