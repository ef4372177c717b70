// What a reader of a report sees first: one card a run.
#pragma once

#include <string>

#include "report/html/report.h"

namespace lc {

// Name, model, the loss of the first plain evaluation (test before others) with its interval, how
// long it trained and how well.
std::string html_card(const ReportedRun& run);

}  // namespace lc
