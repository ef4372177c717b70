// What happened while texts were encoded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lc {

inline constexpr size_t kUnknownExamples = 5;
inline constexpr size_t kShownBytes = 80;  // of a word in examples and messages, at most

struct EncodingReport {
  int64_t unknown = 0;                        // tokens that stand for unknown words or pieces
  std::vector<std::string> unknown_examples;  // beginnings of the first kUnknownExamples of them
  bool lossless = true;                       // decoding gave back every text, size by size
  std::string lossy_reason;                   // where not: why, with the first example
  std::string cut;  // what is to be said of the first document that was too long to encode whole

  // Nothing where there are enough, or one with the same beginning.
  void add_example(std::string_view text);
  // What happened after that.
  void add(const EncodingReport& next);
};

}  // namespace lc
