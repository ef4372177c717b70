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
                       {{"train", {{"sha256", "aa"}, {"tokens", 30000}}},
                        {"valid", {{"sha256", "bb"}, {"tokens", 3000}}}}}});
  const KnownTexts read = lc::texts_in(state, "here");
  CHECK(lc::texts_json(read) == state);

  const KnownTexts older = lc::texts_in({{"step", 3}, {"train_text", "aa"}}, "here");
  REQUIRE(older.size() == 1);
  CHECK(older.at("train").fingerprint == "aa");
  CHECK(!older.at("train").tokens);
  CHECK(lc::texts_in({{"imported", {{"format", "nvidia"}}}}, "here").empty());

  for (const json& bad : {json{{"texts", {{"valid", 3}}}}, json{{"texts", {{"valid", {{"a", 1}}}}}},
                          json{{"train_text", 3}}}) {
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
  const KnownTexts known = {{"train", {"aa", {}}}, {"valid", {"bb", 3000}}};
  const std::string change = "isn't the text that the run was started with";
  CHECK(text_change(known, "valid", {"bb", 3000}).empty());
  CHECK(text_change(known, "valid", {"cc", 3010}) ==
        change + ": it has 3,010 tokens, and had 3,000");
  CHECK(text_change(known, "valid", {"cc", 3000}) ==
        change + ": some of its 3,000 tokens are others");
  CHECK(text_change(known, "train", {"cc", 3000}) == change);
  CHECK(text_change(known, "test", {"cc", 3000}).empty());  // nothing is known
}

}  // namespace
