#include "data/text_fingerprint.h"

#include <vector>

#include "catch.h"
#include "data/tiny_text.h"

namespace {

// So many tokens, counted up, but for one.
lc::TokenFile counted(int64_t size, int64_t changed = -1) {
  TinyText text = TinyText::of_documents({size}, 11);
  for (int64_t t = 0; t < size; ++t) text.ids[static_cast<size_t>(t)] = t % 7;
  if (changed >= 0) text.ids[static_cast<size_t>(changed)] = 9;
  return text.file();
}

TEST_CASE("A fingerprint is that of a text's tokens, in their order") {
  const std::string own = lc::text_fingerprint(counted(700));
  CHECK(own.size() == 64);
  CHECK(lc::text_fingerprint(counted(700)) == own);
  CHECK(lc::text_fingerprint(counted(699)) != own);
  for (const int64_t at : {0, 255, 256, 699}) {
    CAPTURE(at);
    CHECK(lc::text_fingerprint(counted(700, at)) != own);
  }
}

TEST_CASE("Of a long text the fingerprint takes stretches, from its start on") {
  const int64_t size = 2 * 4096 * 256;
  const std::string own = lc::text_fingerprint(counted(size));
  CHECK(lc::text_fingerprint(counted(size, 0)) != own);
  CHECK(lc::text_fingerprint(counted(size, 512 * 4000 + 255)) != own);
  CHECK(lc::text_fingerprint(counted(size, 512 * 4000 + 256)) == own);  // between two of them
}

}  // namespace
