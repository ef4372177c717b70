// Published files are recognised, what is read from them must be as published, and everything else
// is labelled. Stand-ins take the place of what is too large to be here.
#include "data/corpora/official.h"

#include <zlib.h>

#include <algorithm>

#include "catch.h"
#include "data/corpora/document_splitter.h"
#include "data/corpora/split_plan.h"
#include "data/data_fixture.h"
#include "data/split_writer.h"
#include "real_data.h"

using namespace lc;

namespace {

MeasuredInput measured(const std::filesystem::path& path, const std::string& name) {
  const InputFile file{path, "", name};
  return {file, digest_input(file, {}, SymbolCount::kWanted)};
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kData);
    return error.what();
  }
  return "";
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A corpus of two lines, as published: 5 words and 2 line ends.
constexpr const char* kText = "a b\nc b a\n";

OfficialCorpus stand_in() {
  OfficialCorpus official;
  official.texts["train"] = {
      {.name = "wiki.train.tokens", .bytes = 10, .sha256 = sha256_of(kText), .word_types = 4}};
  official.splits["train"] = {.bytes = 10, .words = 7, .documents = 1, .published_words = 99};
  return official;
}

// Reads `content` as the train split of a corpus of which that is published.
std::string header_of(const DataFixture& folder, const std::string& content,
                      const OfficialCorpus& official) {
  CorpusRequest request = corpus_request(folder.config(
      {"corpus=wikitext103", "tokenizer.type=word",
       "train=" + folder.write("wiki.train.tokens", content).string()}));
  request.kind.official = &official;
  const SplitPlan plan = plan_splits(request);
  const auto tokenizer = make_tokenizer(
      "{\"lctokenizer\":1,\"type\":\"word\",\"unknown\":true}\n<eos>\na\nb\nc\n", "test");
  SplitReport report;
  write_split({folder.path("out.lctok"), "train", plan.parts.at("train"), plan.bytes.at("train"),
               plan.recognised.at("train")},
              request, *tokenizer, report);
  CHECK(report.not_official.empty() == (TokenFile::open(folder.path("out.lctok")).header().at(
                                            "official") == true));
  return TokenFile::open(folder.path("out.lctok")).header().dump();
}

std::string unpacked(const std::filesystem::path& path) {
  const gzFile file = gzopen(path.c_str(), "rb");
  REQUIRE(file != nullptr);
  std::string content;
  std::string buffer(1 << 16, '\0');
  for (int count = 0; (count = gzread(file, buffer.data(), 1 << 16)) > 0;) {
    content.append(buffer, 0, static_cast<size_t>(count));
  }
  gzclose(file);
  return content;
}

}  // namespace

TEST_CASE("a published file is known by its checksum; one damaged is refused; a part is another") {
  const DataFixture folder;
  const std::vector<OfficialText> texts{
      {.name = "other", .bytes = 3, .sha256 = sha256_of("xyz")},
      {.name = "whole", .bytes = 10, .sha256 = sha256_of(kText), .symbols = 5}};
  const auto input = measured(folder.write("w", kText), "any name");
  CHECK(input.digest.symbols == 5);  // a, b, c, space, newline
  const RecognisedText found = recognise(texts, {input});
  CHECK(found.how == Recognition::kProven);
  CHECK(found.text.name == "whole");
  const auto damaged = measured(folder.write("d", "a b\nc b x\n"), "any name");
  const std::string message = message_of([&] { recognise(texts, {damaged}); });
  CHECK(has(message, "10 bytes of the published whole"));
  CHECK(has(message, sha256_of("a b\nc b x\n") + " instead of " + sha256_of(kText)));
  CHECK(has(message, "get_data.sh"));
  CHECK(recognise(texts, {measured(folder.write("p", "a b\n"), "whole")}).how ==
        Recognition::kOther);
  // A symbol count that isn't the published one would show that facts or reading are wrong.
  const std::vector<OfficialText> wrong{
      {.name = "whole", .bytes = 10, .sha256 = sha256_of(kText), .symbols = 6}};
  CHECK(has(message_of([&] { recognise(wrong, {input}); }), "5 different bytes instead of 6"));
}

TEST_CASE("without a published checksum size and symbols decide, or the name and what is counted") {
  const DataFixture folder;
  const std::vector<OfficialText> sized{{.name = "text8", .bytes = 10, .symbols = 5}};
  CHECK(recognise(sized, {measured(folder.write("w", kText), "x")}).how == Recognition::kProven);
  CHECK(recognise(sized, {measured(folder.write("s", "short"), "x")}).how == Recognition::kOther);
  const auto noise = measured(folder.write("n", "0123456789"), "x");
  CHECK(has(message_of([&] { recognise(sized, {noise}); }), "10 different bytes instead of 5"));

  const std::vector<OfficialText> named{{.name = "wiki.train.tokens"}};
  const auto by_name = measured(folder.write("w", kText), "folder/wiki.train.tokens");
  CHECK(recognise(named, {by_name}).how == Recognition::kByName);
  CHECK(recognise(named, {measured(folder.write("w", kText), "train.txt")}).how ==
        Recognition::kOther);
}

TEST_CASE("many files are known by the checksums of all of them, in order") {
  const DataFixture folder;
  std::vector<MeasuredInput> books{measured(folder.write("9", "nine"), "9: A Title: of Two Parts"),
                                   measured(folder.write("10", "ten"), "10")};
  const std::vector<OfficialText> texts{
      {.name = "2 books",
       .sha256 = sha256_of("9 " + sha256_of("nine") + "\n10 " + sha256_of("ten") + "\n")}};
  CHECK(recognise(texts, books).how == Recognition::kProven);
  std::swap(books[0], books[1]);
  CHECK(recognise(texts, books).how == Recognition::kOther);
  CHECK(recognise(texts, {books[1]}).how == Recognition::kOther);
}

TEST_CASE("counts are asserted of a published text, and decide where only its name is known") {
  OfficialCorpus official;
  official.splits["train"] = {.bytes = 10, .words = 7};
  const RecognisedText proven{Recognition::kProven, {.name = "whole"}};
  const RecognisedText by_name{Recognition::kByName, {.name = "whole"}};
  const SplitCounts right{"train", 10, 7, 3};
  const SplitCounts wrong{"train", 10, 8, 3};
  CHECK(is_official(official, proven, right));
  CHECK(is_official(official, by_name, right));
  CHECK_FALSE(is_official(official, by_name, wrong));
  CHECK_FALSE(is_official(official, {}, right));
  const std::string message = message_of([&] { is_official(official, proven, wrong); });
  CHECK(has(message, "split train"));
  CHECK(has(message, "published whole, but has 8 words instead of 7"));
}

TEST_CASE("a split of a published text says so in its header; a wrong count leaves no file") {
  const DataFixture folder;
  const OfficialCorpus right = stand_in();
  const std::string header = header_of(folder, kText, right);
  CHECK(has(header, R"("official":true)"));
  CHECK(has(header, R"("official_words":99)"));
  const std::string other = header_of(folder, "a b\nc\n", right);
  CHECK(has(other, R"("official":false)"));
  CHECK_FALSE(has(other, "official_words"));

  std::filesystem::remove(folder.path("out.lctok"));
  OfficialCorpus wrong = stand_in();
  wrong.splits["train"].words = 8;
  CHECK(has(message_of([&] { header_of(folder, kText, wrong); }), "7 words instead of 8"));
  CHECK_FALSE(std::filesystem::exists(folder.path("out.lctok")));
}

TEST_CASE("vocabularies made from a published text must have the published size") {
  const DataFixture folder;
  const auto text = folder.write("t", kText).string();
  const auto check = [&](const std::vector<std::string>& settings, const OfficialText& official) {
    const Config config = folder.config(settings);
    const auto tokenizer = prepare_tokenizer(config);
    return message_of([&] { check_official_vocabulary(official, *tokenizer, config); });
  };
  const std::vector<std::string> words{"train=" + text, "tokenizer.type=word"};
  CHECK(check(words, {.name = "t", .word_types = 4}).empty());  // a, b, c, <eos>
  CHECK(has(check(words, {.name = "t", .word_types = 5}), "a vocabulary of 4 instead of 5"));
  CHECK(check(words, {.name = "t", .reference_symbols = 9}).empty());
  const std::vector<std::string> symbols{"train=" + text, "protocol=reference"};
  CHECK(check(symbols, {.name = "t", .reference_symbols = 4}).empty());  // without the newline
  CHECK(has(check(symbols, {.name = "t", .reference_symbols = 5}), "of 4 instead of 5"));
  CHECK(check({"train=" + text}, {.name = "t", .reference_symbols = 5}).empty());  // exact: 256
  const auto vocab = folder.write("vocab", "a\nb\nc\n<eos>\nd\n").string();
  CHECK(check({"train=" + text, "tokenizer.type=word", "tokenizer.vocab_file=" + vocab},
              {.name = "t", .word_types = 4})
            .empty());
}

TEST_CASE("the checksums of PG-19's splits are those of the list of its books") {
  const std::string list =
      unpacked(std::filesystem::path(LC_SOURCE_DIR) / "scripts/data/pg19_files.tsv.gz");
  std::map<std::string, std::map<int64_t, std::string>> books;
  std::istringstream lines(list.substr(list.find('\n') + 1));
  std::string split, digest;
  for (int64_t number = 0, bytes = 0; lines >> split >> number >> bytes >> digest;) {
    books[split == "validation" ? "valid" : split][number] = digest;
  }
  const OfficialCorpus& official = *corpus_kind("pg19").official;
  REQUIRE(books.size() == 3);
  for (const auto& [name, digests] : books) {
    std::string text;
    for (const auto& [number, sha256] : digests) {
      text += std::to_string(number) + " " + sha256 + "\n";
    }
    CHECK(official.texts.at(name).at(0).sha256 == sha256_of(text));
    CHECK(official.splits.at(name).documents == static_cast<int64_t>(digests.size()));
  }
}

TEST_CASE("the real WikiText-103 is official, WikiText-2 of equal counts isn't") {
  const auto large = real_data("wikitext-103");
  const auto small = real_data("wikitext-2");
  if (!large || !small) return;
  const DataFixture folder;
  for (const auto& [path, official] : {std::pair(*large, true), {*small, false}}) {
    const auto data = folder.prepare({"corpus=wikitext103", "path=" + path.string()});
    for (const char* split : {"valid", "test"}) {
      CHECK(data.splits.at(split).header().at("official") == official);
    }
    CHECK(data.splits.at("test").header().at("counts").at("words") == 245'569);
  }
  std::string damaged = read_file(*large / "wiki.test.tokens");
  damaged[1000] = static_cast<char>(damaged[1000] ^ 1);
  const auto file = folder.write("wiki.test.tokens", damaged).string();
  const DataFixture::Fault fault = folder.fault({"corpus=wikitext103", "test=" + file});
  CHECK(fault.kind == ErrorKind::kData);
  CHECK(has(fault.message, "1281077 bytes of the published wiki.test.tokens"));
}

TEST_CASE("a published text cut or read otherwise than published isn't official") {
  const DataFixture folder;
  const auto path = folder.write("text8", std::string(100, 'a')).string();
  OfficialCorpus official;
  official.texts["all"] = {{.name = "text8", .bytes = 100, .symbols = 1}};
  official.splits["train"] = {.bytes = 90};
  official.splits["valid"] = {.bytes = 5};
  official.splits["test"] = {.bytes = 5};
  const auto recognised = [&](std::vector<std::string> settings) {
    settings.insert(settings.end(), {"corpus=text8", "path=" + path});
    CorpusRequest request = corpus_request(folder.config(settings));
    request.kind.official = &official;
    return plan_splits(request).recognised;
  };
  for (const auto& [split, text] : recognised({})) CHECK(text.how == Recognition::kProven);
  CHECK(recognised({"valid_fraction=0.1"}).at("train").how == Recognition::kOther);
  CHECK(recognised({"valid_fraction=0.1"}).at("test").how == Recognition::kProven);
  CHECK(recognised({"newlines=lf"}).at("test").how == Recognition::kOther);
}
