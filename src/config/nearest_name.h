// The known name that a written one was meant to be: for "did you mean ...?".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lc {

// Letters to put in, take out or change on the way from one to the other (Levenshtein).
size_t edits(std::string_view a, std::string_view b);

class NearestName {
 public:
  explicit NearestName(std::string written);
  void offer(std::string_view known) { offer(known, edits(known, written_)); }
  // The same at a distance of the caller's own.
  void offer(std::string_view known, size_t distance);
  // Of those at most two edits away, or less than half of a long name's letters, the first of the
  // nearest; "": there is none.
  const std::string& best() const { return best_; }

 private:
  std::string written_;
  std::string best_;
  size_t fewest_;
};

}  // namespace lc
