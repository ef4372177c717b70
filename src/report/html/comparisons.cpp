#include "report/html/comparisons.h"

#include "report/html/json.h"
#include "report/html/text.h"
#include "report/shown_name.h"
#include "report/svg/plot_text.h"

namespace lc {
namespace {

// A folder before the name is shown as it is, so that it can be found.
std::string comparison_title(const std::string& stem) {
  const size_t folder = stem.rfind('/') + 1;  // its length, 0 if there is none
  return stem.substr(0, folder) + shown_name(stem.substr(folder));
}

std::string comparison_card(const ReportedResult& result) {
  std::string inner;
  if (!result.svg.empty()) inner += html_image(result.svg, comparison_title(result.stem));
  if (!result.json.is_null()) inner += html_result(result.json) + html_protocol(result.json);
  return html_element("div", "card wide", inner);
}

}  // namespace

std::string html_comparisons(const std::vector<ReportedResult>& results) {
  std::string html;
  for (const ReportedResult& result : results) {
    html +=
        html_element("h3", "", escape_xml(comparison_title(result.stem))) + comparison_card(result);
  }
  return html;
}

}  // namespace lc
