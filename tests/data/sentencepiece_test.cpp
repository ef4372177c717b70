#include <ATen/ATen.h>

#include <fstream>
#include <sstream>

#include "catch.h"
#include "data/data_fixture.h"
#include "real_data.h"

namespace {

// A text with repeated words, indentation, blank lines, tabs, and characters outside ASCII.
std::string generated_text(int lines) {
  std::string text;
  uint32_t state = 7;
  const auto draw = [&](uint32_t n) {
    state = state * 1664525U + 1013904223U;
    return (state >> 16) % n;
  };
  const char* syllables[] = {"ri", "ver",         "mo",  "un",  "ta",           "in", "wal",
                             "k",  "caf\xC3\xA9", "li",  "gh",  "tra",          "be", "so",
                             "nu", "pel",         "dor", "qui", "\xE4\xB8\xAD", "zat"};
  std::vector<std::string> words;
  for (int i = 0; i < 400; ++i) {
    words.emplace_back();
    for (uint32_t left = 1 + draw(4); left > 0; --left) words.back() += syllables[draw(20)];
  }
  for (int i = 0; i < lines; ++i) {
    text.append(draw(4), ' ');
    for (uint32_t left = draw(9); left > 0; --left) {
      text += words[draw(draw(2) == 0 ? 40 : 400)] + (draw(12) == 0 ? "  " : " ");
    }
    text += draw(9) == 0 ? "\t\n" : "\n";
  }
  return text;
}

std::shared_ptr<const lc::Tokenizer> model_of(const std::filesystem::path& path) {
  return lc::make_tokenizer(
      "{\"lctokenizer\":1,\"type\":\"sentencepiece\"}\n" + lc::read_file(path), path.string());
}

}  // namespace

TEST_CASE("a SentencePiece model trained here gives every text back") {
  const DataFixture folder;
  const auto text = folder.write("t", generated_text(3000)).string();
  for (const char* algorithm : {"unigram", "bpe"}) {
    const auto data =
        folder.prepare({"path=" + text, "tokenizer.type=sentencepiece", "tokenizer.vocab_size=330",
                        std::string("tokenizer.algorithm=") + algorithm});
    CHECK(data.tokenizer->vocab_size() == 330);
    const auto& train = data.splits.at("train");
    CHECK(train.header().at("lossless") == true);
    auto ids = all_ids(train);
    const auto eos = data.tokenizer->description().at("eos_id").get<int64_t>();
    CHECK(ids.back() == eos);
    CHECK(std::count(ids.begin(), ids.end(), eos) == 1);
    const auto bytes = train.documents().at(0).bytes;
    CHECK(data.tokenizer->decode(ids) == lc::read_file(text).substr(0, static_cast<size_t>(bytes)));
    int64_t total = 0;
    int64_t characters = 0;
    for (const int64_t id : ids) {
      total += train.token_sizes().bytes_V.at(static_cast<size_t>(id));
      characters += train.token_sizes().characters_V.at(static_cast<size_t>(id));
    }
    CHECK(total == bytes);
    CHECK(characters == train.documents().at(0).characters);
    CHECK(train.size() < bytes);

    const std::string strange = "  \xF0\x9F\x98\x80 \n\n\tx \xC3\xBC" + std::string(200'000, 'a') +
                                std::string(100'000, ' ') + "end";
    CHECK(data.tokenizer->decode(data.tokenizer->encode(strange)) == strange);
  }
}

TEST_CASE("encoding in pieces gives the ids of encoding at once") {
  const DataFixture folder;
  const auto text = folder.write("t", generated_text(2000)).string();
  const auto data =
      folder.prepare({"path=" + text, "tokenizer.type=sentencepiece", "tokenizer.vocab_size=320"});
  const std::string whole = lc::read_file(text);
  const auto expected = data.tokenizer->encode(whole);
  for (const size_t piece : {1, 7, 4096}) {
    const auto encoder = data.tokenizer->encoder();
    std::vector<int64_t> ids;
    encoder->begin("t");
    for (size_t at = 0; at < whole.size(); at += piece) encoder->add(whole.substr(at, piece), ids);
    encoder->end(lc::DocumentEnd::kNone, ids);
    CHECK(ids == expected);
  }
}

TEST_CASE("training a SentencePiece model twice gives the same one; its seed draws the sample") {
  const DataFixture a;
  const DataFixture b;
  const std::string content = generated_text(4000);
  const auto hash = [&](const DataFixture& folder, const std::string& seed) {
    const auto text = folder.write("t", content).string();
    return folder
        .prepare({"train=" + text, "tokenizer.type=sentencepiece", "tokenizer.vocab_size=320",
                  "tokenizer.sample_bytes=20000", "tokenizer.seed=" + seed})
        .tokenizer->hash();
  };
  const std::string first = hash(a, "1");
  CHECK(hash(b, "1") == first);
  CHECK(hash(a, "2") != first);
}

TEST_CASE("a vocabulary that the text can't fill, or a file that is no model, is refused") {
  const DataFixture folder;
  const auto text = folder.write("t", "a few words only\n").string();
  const DataFixture::Fault size =
      folder.fault({"train=" + text, "tokenizer.type=sentencepiece", "tokenizer.vocab_size=5000"});
  CHECK(size.kind == lc::ErrorKind::kUsage);
  CHECK(size.message.find("data.tokenizer.vocab_size") != std::string::npos);
  CHECK(size.message.find("5000") != std::string::npos);
  const DataFixture::Fault model =
      folder.fault({"train=" + text, "tokenizer.type=sentencepiece", "tokenizer.model=" + text});
  CHECK(model.kind == lc::ErrorKind::kData);
  CHECK(model.message.find("no SentencePiece model") != std::string::npos);
}

TEST_CASE("known answers of two published SentencePiece models") {
  const auto answers = real_data("sentencepiece/known_answers.jsonl");
  if (!answers) return;
  std::ifstream lines(*answers);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const auto answer = nlohmann::json::parse(line);
    const auto tokenizer = model_of(answers->parent_path() / answer.at("model").get<std::string>());
    INFO(answer.at("text").get<std::string>());
    CHECK(tokenizer->encode(answer.at("text").get<std::string>()) ==
          answer.at("ids").get<std::vector<int64_t>>());
  }
  CHECK(count == 28);
}

TEST_CASE("the ids of a whole book match those of spm_encode, line by line") {
  const auto book = real_data("sentencepiece/botchan.txt");
  if (!book) return;
  const std::pair<const char*, const char*> expected[] = {
      {"test_model.model", "417257832994c65bc4cfebf83dff351d8a6deaa0903d3adadd6361175f59d642"},
      {"mistral_tokenizer_v1.model",
       "af5afb8dd8762a21e2592914c3438ed15691cc9a0ac1725eaa3c0a608f3e62d2"}};
  for (const auto& [model, hash] : expected) {
    const auto tokenizer = model_of(book->parent_path() / model);
    std::ifstream lines(*book, std::ios::binary);
    std::string output;
    for (std::string line; std::getline(lines, line);) {
      std::string ids;
      for (const int64_t id : tokenizer->encode(line)) {
        ids += (ids.empty() ? "" : " ") + std::to_string(id);
      }
      output += ids + "\n";
    }
    CHECK(lc::sha256_of(output) == hash);
  }
}

TEST_CASE("a model that changes the text is flagged, with the reason") {
  const auto book = real_data("sentencepiece/botchan.txt");
  if (!book) return;
  const DataFixture folder;
  const auto data =
      folder.prepare({"train=" + book->string(), "tokenizer.type=sentencepiece",
                      "tokenizer.model=" + (book->parent_path() / "test_model.model").string()});
  const auto& header = data.splits.at("train").header();
  CHECK(header.at("lossless") == false);
  CHECK(header.at("lossy_reason").get<std::string>().find("botchan") != std::string::npos);
  CHECK(header.at("unknown").at("count").get<int64_t>() > 0);
}

TEST_CASE("a model that changes a text in another script is flagged in whole characters") {
  const auto book = real_data("sentencepiece/botchan.txt");
  if (!book) return;
  const DataFixture folder;
  std::string east;
  for (int i = 0; i < 40; ++i) east += "\xE6\x9D\xB1";
  const auto data = folder.prepare(
      {"train=" + folder.write("east.txt", east + "\n").string(), "tokenizer.type=sentencepiece",
       "tokenizer.model=" + (book->parent_path() / "test_model.model").string()});
  const auto& header = data.splits.at("train").header();
  CHECK(header.at("lossless") == false);
  CHECK(header.at("lossy_reason") ==
        "decoding east.txt doesn't give back its text, from \"" + east.substr(0, 39) + "\" on");
}
