#include "train/known_texts.h"

#include <string>

#include "catch.h"
#include "core/error.h"

namespace {

using lc::KnownTexts;
using nlohmann::json;

TEST_CASE("what a state knows of its texts is read as it was written", "[train]") {
  const KnownTexts texts = {{"train", {"aa", 30000}}, {"valid", {"bb", 3000}}};
  const json state = texts_json(texts);
  CHECK(state == json{{"texts",
                       {{"train", {{"text_hash", "aa"}, {"tokens", 30000}}},
                        {"valid", {{"text_hash", "bb"}, {"tokens", 3000}}}}}});
  const KnownTexts read = lc::texts_in(state, "here");
  CHECK(lc::texts_json(read) == state);

  CHECK(lc::texts_in({{"imported", {{"format", "nvidia"}}}}, "here").empty());
  CHECK(lc::texts_in({{"texts", {{"train", {{"tokens", 3}}}}}}, "here").empty());

  for (const json& bad : {json{{"texts", {{"valid", {{"text_hash", 3}, {"tokens", 3}}}}}},
                          json{{"texts", {{"valid", {{"text_hash", "aa"}}}}}}}) {
    CAPTURE(bad.dump());
    try {
      lc::texts_in(bad, "here");
      FAIL("nothing was thrown");
    } catch (const lc::Error& error) {
      CHECK(error.kind() == lc::ErrorKind::kData);
      CHECK(error.where() == "here");
    }
  }
}

TEST_CASE("a changed text is told by its tokens as far as they are known", "[train]") {
  const KnownTexts known = {{"valid", {"bb", 3000}}};
  const std::string change = "isn't the text that the run was started with";
  CHECK(text_change(known, "valid", {"bb", 3000}).empty());
  CHECK(text_change(known, "valid", {"cc", 3010}) ==
        change + ": it has 3,010 tokens, and had 3,000");
  CHECK(text_change(known, "valid", {"cc", 3000}) ==
        change + ": some of its 3,000 tokens are others, or stand in other documents");
  CHECK(text_change(known, "test", {"cc", 3000}).empty());  // nothing is known
}

}  // namespace
