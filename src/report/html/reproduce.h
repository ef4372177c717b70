// The commands that make a report's runs and results again, as HTML.
#pragma once

#include <string>
#include <vector>

#include "report/html/report.h"

namespace lc {

// A card a run: its training, then each evaluation by its protocol's command; one more of the
// comparisons, if there are any.
std::string html_reproduce(const std::vector<ReportedRun>& runs,
                           const std::vector<ReportedResult>& comparisons);

}  // namespace lc
