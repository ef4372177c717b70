// Encoding on several cores gives what one encoder gives that reads documents one after the other.
#include "data/parallel_encoder.h"

#include <sched.h>

#include "catch.h"
#include "data/data_fixture.h"
#include "real_data.h"

using namespace lc;

namespace {

struct Encoded : EncodedSink {
  std::vector<int64_t> all;
  struct Document {
    std::string name;
    size_t end;  // in all
    TextCounts counts;
  };
  std::vector<Document> documents;
  void ids(const std::vector<int64_t>& ids) override {
    all.insert(all.end(), ids.begin(), ids.end());
  }
  void document(const std::string& name, const TextCounts& counts) override {
    documents.push_back({name, all.size(), counts});
  }
};

using Texts = std::vector<std::pair<std::string, std::string>>;

struct Outcome {
  Encoded encoded;
  EncodingReport report;
  std::string fault;
};

// One encoder, one counter, each document at once.
Outcome slowly(const Tokenizer& tokenizer, const Texts& texts) {
  Outcome outcome;
  const auto encoder = tokenizer.encoder();
  try {
    for (const auto& [name, text] : texts) {
      std::vector<int64_t> ids;
      TextCounter counter;
      encoder->begin(name);
      encoder->add(text, ids);
      encoder->end(DocumentEnd::kSeparator, ids);
      counter.add(text);
      outcome.encoded.ids(ids);
      outcome.encoded.document(name, counter.end());
    }
  } catch (const Error& error) {
    outcome.fault = error.what();
  }
  outcome.report = encoder->report();
  return outcome;
}

Outcome in_parallel(const Tokenizer& tokenizer, const Texts& texts, const EncodingShape& shape) {
  Outcome outcome;
  ParallelEncoder encoder(tokenizer, shape, outcome.encoded);
  try {
    for (const auto& [name, text] : texts) {
      encoder.begin_document(name);
      for (size_t at = 0; at < text.size(); at += 1000) encoder.text(text.substr(at, 1000));
      encoder.end_document();
    }
    encoder.finish();
  } catch (const Error& error) {
    outcome.fault = error.what();
  }
  outcome.report = encoder.report();
  return outcome;
}

void require_equal(const Outcome& found, const Outcome& wanted) {
  CHECK(found.fault == wanted.fault);
  if (!wanted.fault.empty()) return;
  CHECK(found.encoded.all == wanted.encoded.all);
  REQUIRE(found.encoded.documents.size() == wanted.encoded.documents.size());
  for (size_t i = 0; i < found.encoded.documents.size(); ++i) {
    const auto& a = found.encoded.documents[i];
    const auto& b = wanted.encoded.documents[i];
    CHECK(a.name == b.name);
    CHECK(a.end == b.end);
    CHECK(a.counts.bytes == b.counts.bytes);
    CHECK(a.counts.characters == b.counts.characters);
    CHECK(a.counts.words == b.counts.words);
    CHECK(a.counts.line_ends == b.counts.line_ends);
  }
  CHECK(found.report.unknown == wanted.report.unknown);
  CHECK(found.report.unknown_examples == wanted.report.unknown_examples);
  CHECK(found.report.lossless == wanted.report.lossless);
  CHECK(found.report.lossy_reason == wanted.report.lossy_reason);
}

void compare(const Tokenizer& tokenizer, const Texts& texts) {
  const Outcome wanted = slowly(tokenizer, texts);
  for (const int64_t threads : {1, 2, 5}) {
    for (const size_t part_bytes : {1, 2, 7, 64, 5000}) {
      CAPTURE(threads, part_bytes);
      require_equal(in_parallel(tokenizer, texts, {threads, part_bytes}), wanted);
    }
  }
}

// Lines of words, some blank, some long, some unfinished; white space outside ASCII.
Texts some_texts() {
  std::string lines;
  for (int i = 0; i < 300; ++i) {
    lines += std::to_string(i * 7919 % 53) + " caf\xC3\xA9";
    lines.append(static_cast<size_t>(i % 3), ' ');
    if (i % 5 == 0) lines += "\n";
    if (i % 35 == 0) lines += "\n \n";
    if (i % 11 == 0) lines += "\xE2\x80\x83x\xC2\xA0y ";
  }
  return {{"first", lines},
          {"one word", "word"},
          {"one line", "some words in a line\n"},
          {"open", "a line\nand one that isn't finished "},
          {"spaces", "  \n  "},
          {"no cuts", std::string(700, 'x')},
          {"last", lines.substr(100, 900) + "\r\nend"}};
}

std::shared_ptr<const Tokenizer> tokenizer_of(const DataFixture& folder,
                                              std::vector<std::string> settings) {
  std::string all;
  for (const auto& [name, text] : some_texts()) all += text + "\n";
  settings.push_back("train=" + folder.write("train", all).string());
  return prepare_tokenizer(folder.config(settings));
}

std::string words_made_here(int64_t count) {
  std::string text;
  for (int64_t i = 0; i < count; ++i) {
    text += "w" + std::to_string(i * 7919 % 5003) + (i % 9 == 8 ? "\n" : " ");
  }
  return text;
}

}  // namespace

TEST_CASE("bytes and words are encoded in parallel as by one encoder") {
  const DataFixture folder;
  compare(*tokenizer_of(folder, {}), some_texts());
  compare(*tokenizer_of(folder, {"protocol=reference"}), some_texts());
  compare(*tokenizer_of(folder, {"tokenizer.type=word"}), some_texts());
}

TEST_CASE("unknown words are reported alike, and refused with the same line") {
  const DataFixture folder;
  Texts texts = some_texts();
  texts.insert(texts.begin() + 1,
               {"unknown", "caf\xC3\xA9\nword new\nnewer new\n\n newest 3 n5 n6 n7\n"});
  const auto replacing = tokenizer_of(folder, {"tokenizer.type=word", "tokenizer.unknown=unk"});
  compare(*replacing, texts);
  CHECK(slowly(*replacing, texts).report.unknown == 7);
  const auto refusing = tokenizer_of(folder, {"tokenizer.type=word"});
  compare(*refusing, texts);
  CHECK(slowly(*refusing, texts).fault.find("unknown, line 2") != std::string::npos);
}

TEST_CASE("a byte outside the vocabulary is refused at the same place") {
  const DataFixture folder;
  Texts texts = some_texts();
  texts[0].second += "~";
  const auto tokenizer = tokenizer_of(folder, {"protocol=reference"});
  compare(*tokenizer, texts);
  CHECK(slowly(*tokenizer, texts).fault.find("has the byte 126") != std::string::npos);
}

TEST_CASE("SentencePiece models that keep lines, and others, encode alike in parallel") {
  const DataFixture folder;
  const auto trained =
      tokenizer_of(folder, {"tokenizer.type=sentencepiece", "tokenizer.vocab_size=300"});
  CHECK(trained->safe_cuts() == SafeCuts::kLineEnds);
  compare(*trained, some_texts());
  const auto model = real_data("sentencepiece/test_model.model");
  if (!model) return;
  const auto other = make_tokenizer(
      "{\"lctokenizer\":1,\"type\":\"sentencepiece\"}\n" + read_file(*model), model->string());
  CHECK(other->safe_cuts() == SafeCuts::kNowhere);
  compare(*other, some_texts());
  CHECK_FALSE(slowly(*other, some_texts()).report.lossless);
}

TEST_CASE("token files are the same bytes on one core and on all") {
  cpu_set_t before;
  REQUIRE(sched_getaffinity(0, sizeof(before), &before) == 0);
  const std::string content = words_made_here(300'000);  // several parts for each thread
  for (const char* type : {"byte", "word", "sentencepiece"}) {
    CAPTURE(type);
    const auto file_made = [&] {
      const DataFixture folder;
      const auto data = folder.prepare(
          {"train=" + folder.write("t", content).string(), std::string("tokenizer.type=") + type,
           "tokenizer.vocab_size=400", "tokenizer.sample_bytes=20000"});
      return read_file(data.folder / "train.lctok");
    };
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu) {
      if (CPU_ISSET(cpu, &before)) CPU_SET(cpu, &one);
    }
    REQUIRE(sched_setaffinity(0, sizeof(one), &one) == 0);
    CHECK(all_cores().threads == 1);
    const std::string alone = file_made();
    REQUIRE(sched_setaffinity(0, sizeof(before), &before) == 0);
    const bool same = alone == file_made();
    CHECK(same);
  }
}
