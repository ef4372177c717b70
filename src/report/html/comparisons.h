// What was found of several runs together, on the report page.
#pragma once

#include <string>
#include <vector>

#include "report/html/report.h"

namespace lc {

// Each result under its name: the plot, then numbers and protocols. Empty where there are none.
std::string html_comparisons(const std::vector<ReportedResult>& results);

}  // namespace lc
