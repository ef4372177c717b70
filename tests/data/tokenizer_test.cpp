#include <fstream>
#include <map>

#include "catch.h"
#include "data/data_fixture.h"
#include "data/tokenizers/white_space.h"
#include "real_data.h"

namespace {

struct Words {
  std::vector<std::string> words;
  std::string running;
  void word_piece(std::string_view piece) { running += piece; }
  void word_end() { words.push_back(std::exchange(running, "")); }
  void line_end() { words.emplace_back("\n"); }
};

std::vector<std::string> split(std::string_view text, size_t piece) {
  Words words;
  lc::WordScanner scanner;
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) {
    scanner.add(text.substr(0, piece), words);
  }
  scanner.end(words);
  return words.words;
}

std::vector<int64_t> ids_of(const lc::Tokenizer& tokenizer, const std::string& text) {
  return tokenizer.encode(text);
}

}  // namespace

TEST_CASE("words are split as Python's str.split() does, wherever pieces are cut") {
  // Python: "a\u00a0b\u2003c\u3000d\x1ce\u200bf\u0085g\u1680h\u180ei".split()
  const std::string text =
      "a\xC2\xA0"
      "b\xE2\x80\x83"
      "c\xE3\x80\x80"
      "d\x1C"
      "e\xE2\x80\x8B"
      "f\xC2\x85g\xE1\x9A\x80h\xE1\xA0\x8Ei\n\xE4\xB8\xAD \xF0\x9F\x98\x80";
  const std::vector<std::string> expected{"a",
                                          "b",
                                          "c",
                                          "d",
                                          "e\xE2\x80\x8B"
                                          "f",
                                          "g",
                                          "h\xE1\xA0\x8Ei",
                                          "\n",
                                          "\xE4\xB8\xAD",
                                          "\xF0\x9F\x98\x80"};
  for (const size_t piece : {1, 2, 3, 5, 1000}) CHECK(split(text, piece) == expected);
  CHECK(split("ab \xE2\x80", 1) == std::vector<std::string>{"ab", "\xE2\x80"});
}

TEST_CASE("word ids go by frequency, ties by first occurrence, <eos> at each line end") {
  const DataFixture folder;
  const auto train = folder.write("train", "b a a c\n\nc d").string();
  const auto valid = folder.write("valid", "d a\n").string();
  const auto data =
      folder.prepare({"corpus=text", "train=" + train, "valid=" + valid, "tokenizer.type=word"});
  // Counts: <eos> 3 (the unfinished last line too), a 2, c 2, b 1, d 1.
  CHECK(data.tokenizer->content().ends_with("\n<eos>\na\nc\nb\nd\n"));
  CHECK(all_ids(data.splits.at("train")) == std::vector<int64_t>{3, 1, 1, 2, 0, 0, 2, 4, 0});
  CHECK(all_ids(data.splits.at("valid")) == std::vector<int64_t>{4, 1, 0});
  CHECK(data.tokenizer->encode("a d") == std::vector<int64_t>{1, 4});
  CHECK(data.tokenizer->decode({1, 4, 0}) == "a d \n");

  const auto more_words = folder.write("train2", "b a a a a c\nx\n").string();
  const auto exact = folder.prepare({"train=" + more_words, "tokenizer.type=word"});
  CHECK(exact.tokenizer->content().ends_with("\na\n<eos>\nb\nc\nx\n"));
  const auto reference =
      folder.prepare({"train=" + more_words, "tokenizer.type=word", "protocol=reference"});
  CHECK(reference.tokenizer->content().ends_with("\n<eos>\na\nb\nc\nx\n"));
}

TEST_CASE("unknown words are refused with their place, or replaced and reported") {
  const DataFixture folder;
  const auto train = folder.write("train", "a b\n").string();
  const auto valid = folder.write("valid", "a\nb new a newer\nnew\n").string();
  const std::vector<std::string> texts{"train=" + train, "valid=" + valid, "tokenizer.type=word"};
  const std::string fault = folder.fault(texts).message;
  CHECK(fault.find("valid, line 2") != std::string::npos);
  CHECK(fault.find("\"new\"") != std::string::npos);
  CHECK(fault.find("data.tokenizer.unknown") != std::string::npos);

  auto replacing = texts;
  replacing.emplace_back("tokenizer.unknown=unk");
  const auto data = folder.prepare(replacing);
  const auto unknown = data.splits.at("valid").header().at("unknown");
  CHECK(unknown.at("count") == 3);
  CHECK(unknown.at("rate").get<double>() == Approx(3.0 / 9));
  CHECK(unknown.at("examples") == nlohmann::json{"new", "newer"});
  CHECK(data.tokenizer->description().at("unknown_id") == 3);
}

TEST_CASE("of long unknown words whole characters are kept, whatever they are written in") {
  const DataFixture folder;
  std::string east;
  for (int i = 0; i < 30; ++i) east += "\xE6\x9D\xB1";  // 90 bytes, of which 80 end in a character
  const auto train = folder.write("train", "a\n").string();
  const auto valid =
      folder.write("valid", east + " " + east + "a new " + east.substr(3) + "\n").string();
  const auto data = folder.prepare(
      {"train=" + train, "valid=" + valid, "tokenizer.type=word", "tokenizer.unknown=unk"});
  const auto unknown = data.splits.at("valid").header().at("unknown");
  CHECK(unknown.at("count") == 4);
  CHECK(unknown.at("examples") == nlohmann::json{east.substr(0, 78), "new"});
  const auto refused = folder.fault({"train=" + train, "valid=" + valid, "tokenizer.type=word"});
  CHECK(refused.message.find("the word \"" + east.substr(0, 78) + "\", which") !=
        std::string::npos);
}

TEST_CASE("an unknown word is refused with split, file and document") {
  const DataFixture folder;
  const auto vocab = folder.write("vocab", "<eos>\na\n=\nAlpha\nBeta\n").string();
  const std::string article = "\n = Alpha = \n\n a a\n\n = Beta = \n\n a zebra\n";
  const auto path = folder.write("wiki.valid.tokens", article).string();
  const auto train = folder.write("train", " a\n").string();
  const auto fault = [&](std::vector<std::string> settings) {
    settings.push_back("tokenizer.type=word");
    settings.push_back("tokenizer.vocab_file=" + vocab);
    return folder.fault(settings).message;
  };
  const std::string in_article = fault({"corpus=wikitext103", "train=" + train, "valid=" + path});
  INFO(in_article);
  CHECK(
      in_article.starts_with("valid split of " + path + ": Beta, line 3: has the word \"zebra\""));

  // Of a file that is cut into splits, the line is that in the split.
  std::string text;
  for (int i = 0; i < 100; ++i) text += "a a a a\n";
  const auto whole = folder.write("whole", text + "a zebra\n").string();
  const std::string in_part = fault({"corpus=text", "path=" + whole});
  INFO(in_part);
  CHECK(in_part.find(" split of " + whole + " from byte ") != std::string::npos);
  CHECK(in_part.find(" on: whole, line ") != std::string::npos);
}

TEST_CASE("a vocabulary file gives the ids; faults in it are named") {
  const DataFixture folder;
  const auto text = folder.write("train", "b a\n").string();
  const auto vocab = folder.write("vocab", "a 17\n<eos>\nb\n").string();
  const auto data =
      folder.prepare({"train=" + text, "tokenizer.type=word", "tokenizer.vocab_file=" + vocab});
  CHECK(all_ids(data.splits.at("train")) == std::vector<int64_t>{2, 0, 1});
  const auto fault = [&](const char* content) {
    const auto file = folder.write("bad", content).string();
    return folder.fault({"train=" + text, "tokenizer.type=word", "tokenizer.vocab_file=" + file})
        .message;
  };
  CHECK(fault("a\n<eos>\na\n").find("line 3") != std::string::npos);
  CHECK(fault("a\nb\n").find("<eos>") != std::string::npos);
}

TEST_CASE("the byte tokenizer gives back every byte; reference drops newlines") {
  const DataFixture folder;
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
  const auto text = folder.write("t", bytes).string();
  const auto data = folder.prepare({"corpus=enwik8", "train=" + text});
  CHECK(data.tokenizer->decode(all_ids(data.splits.at("train"))) == bytes);
  CHECK(data.splits.at("train").header().at("lossless") == true);

  const auto train = folder.write("train", "bba\nca\n").string();
  const auto test = folder.write("test", "daa\n").string();
  const auto valid = folder.write("valid", "cb\n").string();
  const auto reference = folder.prepare(
      {"corpus=enwik8", "train=" + train, "valid=" + valid, "test=" + test, "protocol=reference"});
  // Counts over all three: a 4, b 3, c 2, d 1.
  CHECK(reference.tokenizer->vocab_size() == 4);
  CHECK(all_ids(reference.splits.at("train")) == std::vector<int64_t>{1, 1, 0, 2, 0});
  CHECK(all_ids(reference.splits.at("valid")) == std::vector<int64_t>{2, 1});
  CHECK(reference.splits.at("train").header().at("lossless") == false);
}

TEST_CASE("ids of equal frequency go by first occurrence, train first") {
  const DataFixture folder;
  const auto train = folder.write("train", "zy").string();
  const auto valid = folder.write("valid", "ab").string();
  const auto test = folder.write("test", "baz").string();
  const auto data = folder.prepare(
      {"corpus=enwik8", "train=" + train, "valid=" + valid, "test=" + test, "protocol=reference"});
  CHECK(data.tokenizer->decode({0, 1, 2, 3}) == "zaby");
}

TEST_CASE("the real enwik6 has the reference's first symbols") {
  const auto text = real_data("enwik8/enwik6");
  if (!text) return;
  const DataFixture folder;
  const auto data =
      folder.prepare({"corpus=enwik8", "path=" + text->string(), "protocol=reference"});
  CHECK(data.tokenizer->decode({0, 1, 2}) == " et");
  const auto& train = data.splits.at("train");
  CHECK(train.header().at("counts").at("bytes") == 900'000);
  CHECK(train.header().at("official") == false);
  const std::string content = lc::read_file(*text).substr(0, 900'000);
  CHECK(train.size() == 900'000 - std::count(content.begin(), content.end(), '\n'));
}

TEST_CASE("a stored tokenizer is the same one; a damaged one is refused") {
  const DataFixture folder;
  const auto text = folder.write("t", "one two two\n").string();
  for (const char* type : {"byte", "word"}) {
    const auto made = folder.prepare({"train=" + text, std::string("tokenizer.type=") + type});
    const auto read = lc::make_tokenizer(made.tokenizer->content(), "test");
    CHECK(read->hash() == made.tokenizer->hash());
    CHECK(ids_of(*read, "two one\n") == ids_of(*made.tokenizer, "two one\n"));
  }
  for (const char* damaged :
       {"", "nonsense", "[1]\n", "{\"lctokenizer\":1}\n", "{\"lctokenizer\":2,\"type\":\"byte\"}\n",
        "{\"lctokenizer\":1,\"type\":5}\n", "{\"lctokenizer\":\"x\",\"type\":\"byte\"}\n",
        "{\"lctokenizer\":1,\"type\":\"byte\",\"by_frequency\":\"x\"}\n",
        "{\"lctokenizer\":1,\"type\":\"other\"}\n"}) {
    CAPTURE(damaged);
    CHECK_THROWS_AS(lc::make_tokenizer(damaged, "test"), lc::Error);
  }
}
