#include "data/tokenizers/vocabulary_file.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/error.h"
#include "core/file_io.h"
#include "data/tokenizers/registry.h"

namespace lc {
namespace {

constexpr const char* kModelExtension = ".model";

[[noreturn]] void bad_vocabulary(const std::string& source, const std::string& what) {
  throw Error(ErrorKind::kData, source, what,
              "give one token a line, a JSON list, or a JSON object of tokens and ids");
}

std::vector<std::string> tokens_of_list(const nlohmann::json& list, const std::string& source) {
  std::vector<std::string> tokens;
  for (const auto& token : list) {
    if (!token.is_string()) bad_vocabulary(source, "holds " + token.dump() + ", which is no text");
    tokens.push_back(token.get<std::string>());
  }
  return tokens;
}

std::vector<std::string> tokens_of_ids(const nlohmann::json& ids, const std::string& source) {
  std::vector<std::string> tokens(ids.size());
  std::vector<char> taken(ids.size(), 0);
  for (const auto& [token, id] : ids.items()) {
    const bool fits = id.is_number_unsigned() && id.get<uint64_t>() < ids.size();
    if (!fits || taken[id.get<size_t>()] != 0) {
      bad_vocabulary(source, "gives \"" + token + "\" the id " + id.dump() +
                                 ", and ids go from 0 to " + std::to_string(ids.size() - 1) +
                                 ", each once");
    }
    tokens[id.get<size_t>()] = token;
    taken[id.get<size_t>()] = 1;
  }
  return tokens;
}

std::vector<std::string> tokens_of_lines(std::string_view text) {
  std::vector<std::string> tokens;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    tokens.emplace_back(line.substr(0, line.find_first_of(" \t\r")));
  }
  return tokens;
}

std::vector<std::string> read_tokens(const std::string& text, const std::string& source) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  const bool bracket = first != std::string::npos && (text[first] == '[' || text[first] == '{');
  // A plain list may begin with a bracket too.
  const auto json = bracket ? nlohmann::json::parse(text, nullptr, false) : nlohmann::json();
  if (json.is_array()) return tokens_of_list(json, source);
  return json.is_object() ? tokens_of_ids(json, source) : tokens_of_lines(text);
}

std::optional<char> byte_of_number(const std::string& token) {
  int value = -1;
  const char* end = token.data() + token.size();
  const auto [at, fault] = std::from_chars(token.data(), end, value);
  if (fault != std::errc() || at != end || value < 0 || value > 255) return {};
  if (std::to_string(value) != token) return {};
  return static_cast<char>(value);
}

// The byte of each id; nothing if the tokens are words.
std::optional<std::string> symbol_bytes(const std::vector<std::string>& tokens) {
  std::string numbers;
  std::string characters;
  for (const std::string& token : tokens) {
    if (const auto byte = byte_of_number(token)) numbers += *byte;
    if (token.size() == 1) characters += token;
  }
  // Digits alone are numbers: single characters of a text are more than these.
  std::string bytes = numbers.size() == tokens.size() ? numbers : characters;
  if (bytes.size() != tokens.size() || bytes.empty()) return {};
  const bool by_character = numbers.size() != tokens.size();
  if (by_character && bytes.find(' ') == std::string::npos) {
    std::replace(bytes.begin(), bytes.end(), '_', ' ');
  }
  return bytes;
}

std::shared_ptr<const Tokenizer> byte_tokenizer_of(const std::string& bytes,
                                                   const std::string& source) {
  if (std::set<char>(bytes.begin(), bytes.end()).size() != bytes.size()) {
    bad_vocabulary(source, "names a byte twice");
  }
  bool in_order = bytes.size() == 256;
  for (size_t id = 0; in_order && id < bytes.size(); ++id) {
    in_order = static_cast<unsigned char>(bytes[id]) == id;
  }
  return make_tokenizer(tokenizer_content({{"type", "byte"}, {"by_frequency", !in_order}}, bytes),
                        source);
}

}  // namespace

std::shared_ptr<const Tokenizer> tokenizer_of_vocabulary(const std::filesystem::path& file,
                                                         UnknownWords unknown) {
  const std::string source = file.string();
  if (file.extension() == kModelExtension) {
    return make_tokenizer(tokenizer_content({{"type", "sentencepiece"}}, read_file(file)), source);
  }
  const std::vector<std::string> tokens = read_tokens(read_file(file), source);
  if (tokens.empty()) bad_vocabulary(source, "holds no token");
  if (const auto bytes = symbol_bytes(tokens)) return byte_tokenizer_of(*bytes, source);
  std::string words;
  for (const std::string& token : tokens) words += token + "\n";
  return make_tokenizer(
      tokenizer_content({{"type", "word"}, {"unknown", unknown == UnknownWords::kReplaced}}, words),
      source);
}

VocabularyFile vocabulary_file(const Tokenizer& tokenizer) {
  if (tokenizer.type() == "byte") {
    std::string numbers;
    for (int64_t id = 0; id < tokenizer.vocab_size(); ++id) {
      const auto byte = static_cast<unsigned char>(tokenizer.token_text(id).at(0));
      numbers += std::to_string(byte) + "\n";
    }
    return {"vocab.txt", numbers};
  }
  const std::string content = tokenizer.content();
  const std::string payload = content.substr(content.find('\n') + 1);
  if (tokenizer.type() == "word") return {"vocab.txt", payload};
  return {std::string("tokenizer") + kModelExtension, payload};
}

}  // namespace lc
