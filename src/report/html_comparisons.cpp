#include "report/html_comparisons.h"

#include "report/html_json.h"
#include "report/html_text.h"
#include "report/svg_plot_text.h"

namespace lc {
namespace {

std::string comparison_card(const ReportedResult& result) {
  std::string inner;
  if (!result.svg.empty()) inner += html_image(result.svg, html_name(result.stem));
  if (!result.json.is_null()) inner += html_result(result.json) + html_protocol(result.json);
  return html_element("div", "card wide", inner);
}

}  // namespace

std::string html_comparisons(const std::vector<ReportedResult>& results) {
  std::string html;
  for (const ReportedResult& result : results) {
    html += html_element("h3", "", escape_xml(html_name(result.stem))) + comparison_card(result);
  }
  return html;
}

}  // namespace lc
