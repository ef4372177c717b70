// Which runs may be compared.
#include "eval/compare.h"

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

TEST_CASE("Only the same tokens can be compared") {
  const TinyText text = TinyText::of_documents({100}, 256);
  CHECK(refusal(text, text).empty());
  CHECK(refusal(text, TinyText::of_documents({101}, 256)).find("101 tokens") != std::string::npos);
  TinyText changed = text;
  changed.ids[70] = (changed.ids[70] + 1) % 256;
  CHECK(refusal(text, changed).find("from token 70 on") != std::string::npos);
}

}  // namespace
