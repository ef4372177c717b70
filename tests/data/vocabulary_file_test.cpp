// Vocabularies of others as tokenizers.
#include "data/tokenizers/vocabulary_file.h"

#include "catch.h"
#include "data/data_fixture.h"

namespace {

using Ids = std::vector<int64_t>;

std::shared_ptr<const lc::Tokenizer> tokenizer_from(
    const std::string& content, lc::UnknownWords unknown = lc::UnknownWords::kRefused) {
  const DataFixture fixture;
  return lc::tokenizer_of_vocabulary(fixture.write("vocabulary", content), unknown);
}

std::string fault_from(const std::string& content) {
  try {
    tokenizer_from(content);
  } catch (const lc::Error& error) {
    CHECK(error.kind() == lc::ErrorKind::kData);
    return error.what();
  }
  return "";
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a list of words, with or without counts, and the same in JSON", "[vocabulary]") {
  for (const std::string content :
       {"<eos>\nthe\n=\n", "<eos> 12\nthe 9\n= 3", "[\"<eos>\", \"the\", \"=\"]",
        "{\"the\": 1, \"=\": 2, \"<eos>\": 0}"}) {
    INFO(content);
    const auto tokenizer = tokenizer_from(content);
    CHECK(tokenizer->type() == "word");
    CHECK(tokenizer->vocab_size() == 3);
    CHECK(tokenizer->encode("the =\n\nthe") == Ids{1, 2, 0, 0, 1});
    CHECK_THROWS_AS(tokenizer->encode("other"), lc::Error);
  }
}

TEST_CASE("unknown words are replaced where that is asked for", "[vocabulary]") {
  const auto tokenizer = tokenizer_from("<eos>\na\n<unk>\n", lc::UnknownWords::kReplaced);
  CHECK(tokenizer->vocab_size() == 3);
  CHECK(tokenizer->encode("a b\n") == Ids{1, 2, 0});
}

TEST_CASE("a plain list may begin with a bracket", "[vocabulary]") {
  CHECK(tokenizer_from("[\n<eos>\n]\n")->encode("] [\n") == Ids{2, 0, 1});
}

TEST_CASE("decimal bytes, as enwik8 was prepared: newlines are dropped", "[vocabulary]") {
  const auto tokenizer = tokenizer_from("32\n101\n116\n255\n");
  CHECK(tokenizer->type() == "byte");
  CHECK(tokenizer->encode("te \ne\xff") == Ids{2, 1, 0, 1, 3});
  CHECK_THROWS_AS(tokenizer->encode("a"), lc::Error);
  CHECK(tokenizer->description().at("protocol") == "reference");
  // It is the tokenizer that the reference's protocol makes of a text with these frequencies.
  const DataFixture fixture;
  fixture.write("text", "    eee\ntt\xff");
  const auto counted = fixture.prepare(
      {"corpus=enwik8", "train=" + fixture.path("text").string(), "protocol=reference"});
  CHECK(counted.tokenizer->content() == tokenizer->content());
}

TEST_CASE("newline bytes that have a symbol are kept", "[vocabulary]") {
  const auto tokenizer = tokenizer_from("32\n10\n101\n");
  CHECK(tokenizer->encode("e\n e") == Ids{2, 1, 0, 2});
}

TEST_CASE("all 256 bytes in their order are the exact byte tokenizer", "[vocabulary]") {
  std::string list;
  for (int byte = 0; byte < 256; ++byte) list += std::to_string(byte) + "\n";
  const DataFixture fixture;
  fixture.write("text", "abc");
  const auto exact = fixture.prepare({"train=" + fixture.path("text").string()});
  CHECK(tokenizer_from(list)->content() == exact.tokenizer->content());
}

TEST_CASE("single characters, as text8 was prepared: _ is the space", "[vocabulary]") {
  const auto tokenizer = tokenizer_from("_\ne\nt\n");
  CHECK(tokenizer->type() == "byte");
  CHECK(tokenizer->encode("te e") == Ids{2, 1, 0, 1});
}

TEST_CASE("the file of a vocabulary gives the same tokenizer back", "[vocabulary]") {
  const auto file_of = [](const std::string& content, lc::UnknownWords unknown) {
    const auto tokenizer = tokenizer_from(content, unknown);
    const lc::VocabularyFile file = lc::vocabulary_file(*tokenizer);
    CHECK(file.name == "vocab.txt");
    CHECK(tokenizer_from(file.content, unknown)->content() == tokenizer->content());
    return file.content;
  };
  CHECK(file_of("[\n<eos> 7\n255\n", lc::UnknownWords::kRefused) == "[\n<eos>\n255\n");
  CHECK(file_of("a\n<eos>\n", lc::UnknownWords::kReplaced) == "a\n<eos>\n<unk>\n");
  CHECK(file_of("_\ne\nt\n", lc::UnknownWords::kRefused) == "32\n101\n116\n");
  CHECK(file_of("200\n10\n0\n", lc::UnknownWords::kRefused) == "200\n10\n0\n");
}

TEST_CASE("vocabularies that are none are refused", "[vocabulary]") {
  CHECK(has(fault_from(""), "holds no token"));
  CHECK(has(fault_from("the\nof\n"), "has no <eos>"));
  CHECK(has(fault_from("<eos>\nthe\nthe\n"), "line 3"));
  CHECK(has(fault_from("32\n32\n"), "names a byte twice"));
  CHECK(has(fault_from("[\"a\", 1]"), "holds 1, which is no text"));
  CHECK(has(fault_from("{\"<eos>\": 0, \"a\": 2}"), "\"a\" the id 2"));
  CHECK(has(fault_from("{\"<eos>\": 0, \"a\": 0}"), "ids go from 0 to 1, each once"));
}
