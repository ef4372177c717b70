#include "data/tokenizers/registry.h"

#include <algorithm>

#include "core/error.h"
#include "core/file_io.h"

namespace lc {
namespace {

const TokenizerKind* find_kind(const std::string& name) {
  const auto& kinds = tokenizer_kinds();
  const auto found = std::find_if(kinds.begin(), kinds.end(),
                                  [&](const TokenizerKind& kind) { return kind.name == name; });
  return found == kinds.end() ? nullptr : &*found;
}

const TokenizerKind& kind_asked_for(const Config& config) {
  const TokenizerKind* kind = find_kind(config.get<std::string>("data.tokenizer.type"));
  LC_CHECK(kind != nullptr);
  return *kind;
}

}  // namespace

const std::vector<TokenizerKind>& tokenizer_kinds() {
  static const std::vector<TokenizerKind> kinds = {byte_tokenizer(), word_tokenizer(),
                                                   sentencepiece_tokenizer()};
  return kinds;
}

std::shared_ptr<const Tokenizer> build_tokenizer(const Config& config, const TrainingText& text) {
  return kind_asked_for(config).build(config, text);
}

bool needs_utf8(const Config& config) { return kind_asked_for(config).needs_utf8; }

nlohmann::json tokenizer_identity(const Config& config) {
  const TokenizerKind& kind = kind_asked_for(config);
  nlohmann::json options;
  for (const Option& option : tokenizer_options()) {
    const bool file = option.path.ends_with(".model") || option.path.ends_with(".vocab_file");
    if (!file) options[option.path] = config.at(option.path);  // of files the content counts
  }
  return {{"options", options},
          {"protocol", config.get<std::string>("data.protocol")},
          {"files", kind.files(config)}};
}

std::string tokenizer_content(nlohmann::json head, std::string_view payload) {
  head["lctokenizer"] = 1;
  return head.dump() + "\n" + std::string(payload);
}

std::shared_ptr<const Tokenizer> make_tokenizer(std::string_view content,
                                                const std::string& source) {
  const size_t end = std::min(content.find('\n'), content.size());
  try {
    const auto head = nlohmann::json::parse(content.substr(0, end));
    const TokenizerKind* kind = find_kind(head.at("type").get<std::string>());
    if (kind != nullptr && head.at("lctokenizer") == 1) {
      return kind->load(head, content.substr(std::min(end + 1, content.size())), source);
    }
  } catch (const nlohmann::json::exception&) {  // no JSON, or of other types
  }
  throw Error(ErrorKind::kData, source, "is no tokenizer of this program, or damaged",
              "delete it and prepare the data again");
}

std::vector<int64_t> Tokenizer::encode(std::string_view text) const {
  std::vector<int64_t> ids;
  const auto running = encoder();
  running->begin("the text");
  running->add(text, ids);
  running->end(DocumentEnd::kNone, ids);
  return ids;
}

std::string Tokenizer::decode(const std::vector<int64_t>& ids) const {
  std::string text;
  for (const int64_t id : ids) text += token_text(id);
  return text;
}

std::string Tokenizer::hash() const { return sha256_of(content()); }

}  // namespace lc
