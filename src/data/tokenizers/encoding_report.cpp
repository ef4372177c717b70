#include "data/tokenizers/encoding_report.h"

#include <algorithm>
#include <utility>

#include "core/utf8_stream.h"

namespace lc {

void EncodingReport::add_example(std::string_view text) {
  if (unknown_examples.size() >= kUnknownExamples) return;
  std::string example = beginning_of(text, kShownBytes);
  const auto found = std::find(unknown_examples.begin(), unknown_examples.end(), example);
  if (found == unknown_examples.end()) unknown_examples.push_back(std::move(example));
}

void EncodingReport::add(const EncodingReport& next) {
  unknown += next.unknown;
  for (const std::string& example : next.unknown_examples) add_example(example);
  if (cut.empty()) cut = next.cut;
  if (lossless && !next.lossless) {
    lossless = false;
    lossy_reason = next.lossy_reason;
  }
}

}  // namespace lc
