#include "core/error.h"

namespace lc {
namespace {

std::string sentence(std::string_view where, std::string_view what, std::string_view remedy) {
  std::string text;
  if (!where.empty()) text.append(where).append(": ");
  text.append(what);
  if (!remedy.empty()) text.append("; ").append(remedy);
  return text;
}

}  // namespace

Error::Error(ErrorKind kind, std::string_view where, std::string_view what, std::string_view remedy)
    : std::runtime_error(sentence(where, what, remedy)), kind_(kind), where_size_(where.size()) {}

void fail_check(const char* condition, const char* file, int line) {
  throw std::logic_error(std::string("internal check failed: ") + condition + " at " + file + ":" +
                         std::to_string(line));
}

}  // namespace lc
