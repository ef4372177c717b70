// Prompts through every kind of tokenizer.
#include "generate/prompt.h"

#include <numeric>

#include "catch.h"
#include "core/error.h"
#include "core/utf8_stream.h"
#include "data/data_fixture.h"
#include "data/tokenizers/registry.h"

namespace {

using Ids = std::vector<int64_t>;
using TokenizerPointer = std::shared_ptr<const lc::Tokenizer>;

TokenizerPointer bytes() {
  std::string all(256, '\0');
  std::iota(all.begin(), all.end(), '\0');
  return lc::make_tokenizer(lc::tokenizer_content({{"type", "byte"}, {"by_frequency", false}}, all),
                            "a test");
}

TokenizerPointer words(bool takes_unknown) {
  return lc::make_tokenizer(
      lc::tokenizer_content({{"type", "word"}, {"unknown", takes_unknown}}, "the\n<eos>\ncat\n"),
      "a test");
}

std::string fault(const lc::Tokenizer& tokenizer, const lc::Prompt& prompt) {
  try {
    lc::encode_prompt(tokenizer, prompt);
  } catch (const lc::Error& error) {
    CHECK(error.kind() == lc::ErrorKind::kData);
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("bytes are read as they are, UTF-8 or not", "[generate]") {
  CHECK(lc::encode_prompt(*bytes(), {"A\n\xFF", "--prompt"}) == Ids{65, 10, 255});
  CHECK(lc::encode_prompt(*bytes(), {"", "--prompt"}) == Ids{10});
  CHECK(lc::start_tokens(*bytes()) == Ids{10});
}

TEST_CASE("words are read as in the corpus, the last line unfinished", "[generate]") {
  CHECK(lc::encode_prompt(*words(false), {"the cat\nthe", "--prompt"}) == Ids{0, 2, 1, 0});
  CHECK(lc::encode_prompt(*words(false), {"", "--prompt"}) == Ids{1});
  CHECK(lc::encode_prompt(*words(false), {"  ", "--prompt"}) == Ids{1});
}

TEST_CASE("unknown words are refused where the vocabulary refuses them", "[generate]") {
  const std::string refused = fault(*words(false), {"the cat\nthe dog", "tale.txt"});
  CHECK(refused.find("tale.txt, line 2") == 0);
  CHECK(refused.find("dog") != std::string::npos);
  CHECK(lc::encode_prompt(*words(true), {"the dog", "tale.txt"}) == Ids{0, 3});
}

TEST_CASE("what reads characters refuses a text that isn't UTF-8", "[generate]") {
  const std::string refused = fault(*words(true), {"the\ncat \xFF", "tale.txt"});
  CHECK(refused.find("tale.txt: is not UTF-8 at byte 8 (line 2)") == 0);
  CHECK(fault(*words(true), {"the \xE2\x82", "tale.txt"}).find("byte 4 (line 1)") !=
        std::string::npos);
  CHECK(fault(*words(true), {"the \xE2\x82\xAC", "tale.txt"}).empty());
}

TEST_CASE("a vocabulary without separator and line end begins with its first token", "[generate]") {
  const auto symbols = lc::make_tokenizer(
      lc::tokenizer_content({{"type", "byte"}, {"by_frequency", true}}, "eta"), "a test");
  CHECK(lc::start_tokens(*symbols) == Ids{0});
  CHECK(fault(*symbols, {"tax", "--prompt"}).find("byte 120") != std::string::npos);
}

TEST_CASE("SentencePiece begins after a separator and comes out in whole characters",
          "[generate]") {
  const DataFixture fixture;
  std::string text;
  for (int i = 0; i < 200; ++i) {
    text += "line " + std::to_string(i * 7919 % 1000) + " of the na\xC3\xAFve text goes on\n";
  }
  const auto path = fixture.write("text.txt", text).string();
  const auto tokenizer =
      fixture.prepare({"train=" + path, "tokenizer.type=sentencepiece", "tokenizer.vocab_size=300"})
          .tokenizer;
  CHECK(lc::start_tokens(*tokenizer) == Ids{tokenizer->description().at("eos_id").get<int64_t>()});
  const std::string prompt = "the  na\xC3\xAFve \xE6\x9D\xB1\xE4\xBA\xAC goes ";
  lc::Utf8Stream stream;
  std::string out;
  for (const int64_t id : lc::encode_prompt(*tokenizer, {prompt, "--prompt"})) {
    const std::string part = stream.add(tokenizer->token_text(id));
    CHECK(fault(*tokenizer, {part, "a part"}).empty());
    out += part;
  }
  CHECK(out == prompt);
  CHECK(stream.end().empty());
  CHECK_FALSE(fault(*tokenizer, {"\xFF", "--prompt"}).empty());
}
