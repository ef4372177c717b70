// Which word each token belongs to.
#include "eval/slices/word_walk.h"

#include <ostream>

#include "core/rng.h"
#include "data/data_fixture.h"
#include "eval/piece_text.h"
#include "real_data.h"

namespace {

using namespace lc;

struct Span {
  int64_t first;
  int64_t count;
  std::string word;
  bool operator==(const Span&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Span& span) {
  return out << span.first << "+" << span.count << " '" << span.word << "'";
}

std::vector<Span> spans_of(const PieceText& text, int64_t past = 1 << 30) {
  const PieceTokenizer tokenizer = text.tokenizer();
  const TokenFile tokens = text.file(tokenizer);
  std::vector<Span> spans;
  for_each_word({tokens, tokenizer}, past, [&](const WordSpan& span) {
    spans.push_back({span.first, span.count, std::string(span.word)});
  });
  return spans;
}

TEST_CASE("A token belongs to the word of its first byte that is no white space") {
  const PieceText text =
      PieceText().add({" un", "like", "ly", ",", "\n", " ", " a b", "c", " d", ""}).add({"d", "e"});
  CHECK(spans_of(text) == std::vector<Span>{{0, 4, "unlikely,"},
                                            {4, 2, ""},
                                            {6, 1, "a"},
                                            {7, 1, "bc"},
                                            {8, 1, "d"},
                                            {9, 1, ""},
                                            {10, 2, "de"}});
}

TEST_CASE("A word inside of a token has no token of its own") {
  CHECK(spans_of(PieceText().add({"x y z", "z", " w"})) ==
        std::vector<Span>{{0, 1, "x"}, {1, 0, "y"}, {1, 1, "zz"}, {2, 1, "w"}});
}

TEST_CASE("Words end with their document, and later documents can be left out") {
  const PieceText text = PieceText().add({"a", "b"}).add({"c"}).add({"d"});
  CHECK(spans_of(text) == std::vector<Span>{{0, 2, "ab"}, {2, 1, "c"}, {3, 1, "d"}});
  CHECK(spans_of(text, 3) == std::vector<Span>{{0, 2, "ab"}, {2, 1, "c"}});
}

TEST_CASE("Of a word tokenizer every token is a word") {
  CHECK(spans_of(PieceText("word").add({"the ", "cat ", "\n", "the "})) ==
        std::vector<Span>{{0, 1, "the"}, {1, 1, "cat"}, {2, 1, "\n"}, {3, 1, "the"}});
}

// A text of characters, of which it is known which are white space, cut into tokens anywhere.
struct RandomText {
  std::string bytes;
  std::vector<bool> space;  // by byte
  std::vector<std::string> tokens;
};

RandomText random_text(int64_t characters, uint64_t seed, uint64_t longest_token) {
  const std::vector<std::pair<std::string, bool>> alphabet = {
      {"a", false}, {"b", false}, {"\xC3\xA9", false}, {"\xE2\x82\xAC", false},
      {" ", true},  {"\n", true}, {"\xC2\xA0", true},  {"\xE3\x80\x80", true}};
  RandomText text;
  for (int64_t i = 0; i < characters; ++i) {
    const uint64_t bits = hash_bits(combine_keys(seed, static_cast<uint64_t>(i)));
    const auto& [character, space] = alphabet[bits % alphabet.size()];
    text.bytes += character;
    text.space.insert(text.space.end(), character.size(), space);
  }
  for (size_t at = 0; at < text.bytes.size();) {
    const size_t length = hash_bits(combine_keys(seed + 1, at)) % longest_token + 1;
    text.tokens.push_back(text.bytes.substr(at, length));
    at += length;
  }
  return text;
}

// Byte by byte, with everything in memory: the words, and the word of each token (-1: none).
struct SlowWords {
  std::vector<std::string> words;
  std::vector<int64_t> word_of;

  explicit SlowWords(const RandomText& text) {
    std::vector<int64_t> word_at(text.bytes.size(), -1);
    for (size_t i = 0; i < text.bytes.size(); ++i) {
      if (text.space[i]) continue;
      if (i == 0 || text.space[i - 1]) words.emplace_back();
      words.back() += text.bytes[i];
      word_at[i] = static_cast<int64_t>(words.size()) - 1;
    }
    size_t begin = 0;
    for (const std::string& token : text.tokens) {
      word_of.push_back(-1);
      for (size_t i = begin; i < begin + token.size() && word_of.back() < 0; ++i) {
        word_of.back() = word_at[i];
      }
      begin += token.size();
    }
  }
};

TEST_CASE("Random texts cut anywhere, even inside a character: the same as byte by byte") {
  for (const uint64_t longest : {1, 3, 9}) {
    const RandomText random = random_text(longest == 1 ? 90'000 : 3'000, 7, longest);
    const SlowWords slow(random);
    std::vector<std::string> words;
    std::vector<int64_t> word_of;
    for (const Span& span : spans_of(PieceText().add(random.tokens))) {
      REQUIRE(span.first == static_cast<int64_t>(word_of.size()));
      if (!span.word.empty()) words.push_back(span.word);
      const int64_t word = span.word.empty() ? -1 : static_cast<int64_t>(words.size()) - 1;
      word_of.insert(word_of.end(), static_cast<size_t>(span.count), word);
    }
    CHECK(words == slow.words);
    CHECK(word_of == slow.word_of);
  }
}

TEST_CASE("Only words that are asked for are counted") {
  const PieceText text = PieceText().add({"a", " b", " ", "a", " a", "b"}).add({"a"});
  const PieceTokenizer tokenizer = text.tokenizer();
  const TokenFile tokens = text.file(tokenizer);
  WordMap<int64_t> counts{{"a", 0}, {"ab", 0}, {"none", 0}};
  count_words({tokens, tokenizer}, counts);
  CHECK(counts == WordMap<int64_t>{{"a", 3}, {"ab", 1}, {"none", 0}});
}

TEST_CASE("A real book has as many words as were counted from its text") {
  const auto book = real_data("pg19/test/860.txt");
  if (!book) return;
  const DataFixture folder;
  for (const char* type : {"byte", "sentencepiece"}) {
    const auto data =
        folder.prepare({"corpus=pg19", "train=" + book->string(),
                        std::string("tokenizer.type=") + type, "tokenizer.vocab_size=400"});
    const TokenFile& tokens = data.splits.at("train");
    int64_t words = 0;
    int64_t covered = 0;
    for_each_word({tokens, *data.tokenizer}, tokens.size(), [&](const WordSpan& span) {
      words += span.word.empty() ? 0 : 1;
      covered += span.count;
    });
    CHECK(words == 47'306);
    CHECK(covered == tokens.size());
  }
}

}  // namespace
