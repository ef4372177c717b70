#include "core/utf8_stream.h"

#include <algorithm>
#include <utility>

#include "core/utf8_check.h"

namespace lc {
namespace {

// How many bytes at the end begin a character that isn't complete.
size_t unfinished(std::string_view text) {
  for (size_t count = 1; count <= std::min<size_t>(3, text.size()); ++count) {
    Utf8Check check;
    if (check.add(text.substr(text.size() - count)) && !check.end()) return count;
  }
  return 0;
}

}  // namespace

std::string Utf8Stream::add(std::string_view bytes) {
  std::string text = std::exchange(held_, {});
  text += bytes;
  const size_t whole = text.size() - unfinished(text);
  held_ = text.substr(whole);
  text.resize(whole);
  return text;
}

std::string Utf8Stream::end() { return std::exchange(held_, {}); }

std::string beginning_of(std::string_view text, size_t bytes) {
  return Utf8Stream().add(text.substr(0, bytes));
}

}  // namespace lc
