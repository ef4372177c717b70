// Sliced losses as people read them on stdout.
#pragma once

#include <string>

#include "report/slice_report.h"

namespace lc {

// One run: a row a slice with all its numbers. Several: nats per token, then perplexity (of
// documents: word perplexity), a column a run. The last row is the whole; what buckets count stands
// under the table.
std::string slices_table(const SliceReport& report);

}  // namespace lc
