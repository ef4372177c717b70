#include "data/corpora/official.h"

#include "core/error.h"
#include "core/file_io.h"
#include "data/corpora/locate.h"
#include "data/tokenizers/tokenizer.h"

namespace lc {
namespace {

constexpr const char* kFetchAgain =
    "fetch it again with scripts/get_data.sh, or take it as a text of its own (data.corpus text)";

std::string identity_of(const std::vector<MeasuredInput>& inputs) {
  if (inputs.size() == 1) return inputs.front().digest.sha256;
  std::string lines;
  for (const MeasuredInput& input : inputs) {
    const std::string& name = input.file.name;  // "860: Baby Mine"
    lines += name.substr(0, name.find(':')) + " " + input.digest.sha256 + "\n";
  }
  return sha256_of(lines);
}

[[noreturn]] void refuse_damaged(const MeasuredInput& input, const OfficialText& text,
                                 const std::string& difference) {
  throw Error(ErrorKind::kData, input.file.shown(),
              "has the " + std::to_string(text.bytes) + " bytes of the published " + text.name +
                  ", but " + difference,
              kFetchAgain);
}

Recognition recognition_of(const OfficialText& text, const std::vector<MeasuredInput>& inputs,
                           const std::string& identity) {
  if (!text.sha256.empty() && identity == text.sha256) return Recognition::kProven;
  if (inputs.size() != 1) return Recognition::kOther;
  const MeasuredInput& input = inputs.front();
  const InputDigest& digest = input.digest;
  if (text.bytes > 0 && digest.bytes == text.bytes) {
    if (!text.sha256.empty()) {
      refuse_damaged(input, text, "SHA-256 " + identity + " instead of " + text.sha256);
    }
    return Recognition::kProven;  // its symbols are still to be looked at
  }
  if (!text.sha256.empty() || text.bytes > 0) return Recognition::kOther;
  return file_name_of(input.file) == text.name ? Recognition::kByName : Recognition::kOther;
}

// Which published count isn't met, and how; "": all are.
std::string first_difference(const OfficialCounts& published, const SplitCounts& found) {
  const auto difference = [](int64_t count, const std::optional<int64_t>& expected,
                             const char* unit) -> std::string {
    if (!expected || count == *expected) return "";
    return std::to_string(count) + " " + unit + " instead of " + std::to_string(*expected);
  };
  for (const std::string& text : {difference(found.bytes, published.bytes, "bytes"),
                                  difference(found.words, published.words, "words"),
                                  difference(found.documents, published.documents, "documents")}) {
    if (!text.empty()) return text;
  }
  return "";
}

}  // namespace

RecognisedText recognise(const std::vector<OfficialText>& texts,
                         const std::vector<MeasuredInput>& inputs) {
  const std::string identity = identity_of(inputs);
  for (const OfficialText& text : texts) {
    const Recognition how = recognition_of(text, inputs, identity);
    if (how == Recognition::kOther) continue;
    if (how == Recognition::kProven && text.symbols > 0 &&
        inputs.front().digest.symbols != text.symbols) {
      refuse_damaged(inputs.front(), text,
                     std::to_string(inputs.front().digest.symbols) +
                         " different bytes instead of " + std::to_string(text.symbols));
    }
    return {how, text};
  }
  return {};
}

bool is_official(const OfficialCorpus& official, const RecognisedText& recognised,
                 const SplitCounts& found) {
  const auto published = official.splits.find(found.split);
  if (recognised.how == Recognition::kOther || published == official.splits.end()) return false;
  const std::string difference = first_difference(published->second, found);
  if (difference.empty()) return true;
  if (recognised.how == Recognition::kByName) return false;
  throw Error(ErrorKind::kData, "split " + found.split,
              "is read from the published " + recognised.text.name + ", but has " + difference,
              "report this: the text is right, so that it was read wrongly");
}

void check_official_vocabulary(const OfficialText& text, const Tokenizer& tokenizer,
                               const Config& config) {
  int64_t expected = 0;
  if (tokenizer.type() == "byte" && config.get<std::string>("data.protocol") == "reference") {
    expected = text.reference_symbols;
  }
  if (tokenizer.type() == "word" && config.is_null("data.tokenizer.vocab_file")) {
    expected = text.word_types;
  }
  if (expected == 0 || tokenizer.vocab_size() == expected) return;
  throw Error(ErrorKind::kData, text.name,
              "gives a vocabulary of " + std::to_string(tokenizer.vocab_size()) + " instead of " +
                  std::to_string(expected) + ", as published",
              kFetchAgain);
}

}  // namespace lc
