// Which runs may be compared.
#include "eval/comparison/compare.h"

#include <string>
#include <vector>

#include "catch.h"
#include "core/error.h"
#include "data/tiny_text.h"

namespace {

using namespace lc;

std::string refusal(const TinyText& a, const TinyText& b) {
  try {
    require_same_tokens({"runs/a", a.file()}, {"runs/b", b.file()});
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kData);
    return error.what();
  }
  return "";
}

TEST_CASE("What stands side by side must be scored on the same targets") {
  const std::vector<int64_t> all = {1, 2, 3};
  const std::vector<int64_t> fewer = {1, 3};
  CHECK_NOTHROW(require_same_targets({"a", all}, {"b", all}));
  try {
    require_same_targets({"a", all}, {"b", fewer});
    FAIL("not refused");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kUsage);
    CHECK(std::string(error.what()).find("b: scores other tokens than a (2 of them, not 3)") !=
          std::string::npos);
  }
}

TEST_CASE("Only the same tokens can be compared") {
  const TinyText text = TinyText::of_documents({100}, 256);
  CHECK(refusal(text, text).empty());
  CHECK(refusal(text, TinyText::of_documents({101}, 256)).find("101 tokens") != std::string::npos);
  TinyText changed = text;
  changed.ids[70] = (changed.ids[70] + 1) % 256;
  CHECK(refusal(text, changed).find("from token 70 on") != std::string::npos);
}

}  // namespace
