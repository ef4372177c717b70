#include "config/nearest_name.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace lc {

size_t edits(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1] ? 1 : 0)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

NearestName::NearestName(std::string written)
    : written_(std::move(written)), fewest_(std::max<size_t>(3, written_.size() / 2)) {}

void NearestName::offer(std::string_view known, size_t distance) {
  if (distance >= fewest_) return;
  fewest_ = distance;
  best_ = known;
}

}  // namespace lc
