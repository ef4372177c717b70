#include "golden/checkpoint_texts.h"

#include <stdexcept>

#include "core/file_io.h"
#include "real_data.h"

namespace golden {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr size_t kCharTrain = 900'000;
constexpr size_t kCharValid = 50'000;
constexpr int kWordValidLines = 2'000;

void write_splits(const fs::path& folder, const std::vector<std::string>& parts) {
  const char* names[] = {"train", "valid", "test"};
  for (size_t i = 0; i < parts.size(); ++i) lc::write_file_atomically(folder / names[i], parts[i]);
}

std::vector<std::string> char_parts(const std::string& text) {
  return {text.substr(0, kCharTrain), text.substr(kCharTrain, kCharValid),
          text.substr(kCharTrain + kCharValid, kCharValid)};
}

std::vector<std::string> word_parts(const std::string& train, const std::string& text) {
  size_t end = 0;
  for (int line = 0; line < kWordValidLines; ++line) end = text.find('\n', end) + 1;
  return {train, text.substr(0, end), text.substr(end)};
}

}  // namespace

CheckpointTexts::CheckpointTexts(const std::string& kind,
                                 const std::vector<std::string>& vocabulary) {
  Json tokenizer;
  if (kind == "checkpoint_char") {
    const auto text = real_data("enwik8/enwik6");
    if (!text) return;
    write_splits(folder(), char_parts(lc::read_file(*text)));
    tokenizer = {{"type", "byte"}};
  } else if (kind == "checkpoint_word") {
    const auto train = real_data("wikitext-103/wiki.valid.tokens");
    const auto test = real_data("wikitext-103/wiki.test.tokens");
    if (!train || !test) return;
    write_splits(folder(), word_parts(lc::read_file(*train), lc::read_file(*test)));
    std::string lines;
    for (const std::string& word : vocabulary) lines += word + "\n";
    lc::write_file_atomically(folder() / "vocabulary.txt", lines);
    tokenizer = {{"type", "word"}, {"vocab_file", (folder() / "vocabulary.txt").string()}};
  } else {
    throw std::runtime_error("no text is known for checkpoints of kind " + kind);
  }
  data_ = {{"corpus", "text"},
           {"protocol", "reference"},
           {"tokenizer", tokenizer},
           {"cache_dir", (folder() / "cache").string()}};
  for (const char* split : {"train", "valid", "test"}) data_[split] = (folder() / split).string();
}

}  // namespace golden
