#include "data/token_file_writer.h"

#include <zlib.h>

#include <cstring>

#include "config/json_text.h"
#include "core/error.h"
#include "core/file_io.h"
#include "data/token_file_format.h"

namespace lc {
namespace {

using token_format::DocumentRow;
using token_format::Prefix;

uint32_t extend_crc(uint32_t crc, const void* data, size_t bytes) {
  if (bytes == 0) return crc;  // zlib begins anew at a null pointer
  return static_cast<uint32_t>(crc32_z(crc, static_cast<const Bytef*>(data), bytes));
}

template <typename T>
std::string narrowed(const std::vector<int64_t>& ids) {
  std::string bytes(ids.size() * sizeof(T), '\0');
  for (size_t i = 0; i < ids.size(); ++i) {
    const T id = static_cast<T>(ids[i]);
    std::memcpy(bytes.data() + i * sizeof(T), &id, sizeof(T));
  }
  return bytes;
}

}  // namespace

struct TokenFileWriter::State {
  explicit State(const std::filesystem::path& path) : file(path) {}

  AtomicFile file;
  Prefix prefix;
  Sha256 tokens_hash;
  std::vector<DocumentRow> documents;
  std::string names;
  int64_t document_start = 0;
  int64_t bytes = 0;
  int64_t characters = 0;
  int64_t words = 0;

  void write_tail(const void* data, size_t size) {
    file.write(data, size);
    prefix.tail_crc = extend_crc(prefix.tail_crc, data, size);
  }
  // Once, at the end. Tokens of one tokenizer have one width, so that their bytes tell them.
  std::string text_hash(const std::string& tokenizer_hash) {
    for (const DocumentRow& document : documents) {
      tokens_hash.update(&document.tokens, sizeof(document.tokens));
    }
    const uint64_t count = documents.size();
    tokens_hash.update(&count, sizeof(count));
    tokens_hash.update(tokenizer_hash);
    return tokens_hash.hex();
  }
  nlohmann::json counts() const {
    return {{"tokens", prefix.tokens},
            {"documents", documents.size()},
            {"bytes", bytes},
            {"characters", characters},
            {"words", words}};
  }
};

TokenFileWriter::TokenFileWriter(const std::filesystem::path& path, int64_t vocab_size)
    : state_(std::make_unique<State>(path)) {
  LC_CHECK(vocab_size >= 0 && vocab_size <= (int64_t{1} << 32));
  state_->prefix.vocab_size = static_cast<uint64_t>(vocab_size);
  state_->prefix.token_width = token_format::token_width(vocab_size);
  state_->file.write(&state_->prefix, sizeof(Prefix));
}

TokenFileWriter::~TokenFileWriter() = default;

void TokenFileWriter::add(const std::vector<int64_t>& ids) {
  const auto vocab_size = static_cast<int64_t>(state_->prefix.vocab_size);
  for (const int64_t id : ids) LC_CHECK(id >= 0 && id < vocab_size);
  const std::string bytes = state_->prefix.token_width == 1   ? narrowed<uint8_t>(ids)
                            : state_->prefix.token_width == 2 ? narrowed<uint16_t>(ids)
                                                              : narrowed<uint32_t>(ids);
  state_->file.write(bytes);
  state_->tokens_hash.update(bytes);
  state_->prefix.tokens_crc = extend_crc(state_->prefix.tokens_crc, bytes.data(), bytes.size());
  state_->prefix.tokens += ids.size();
}

void TokenFileWriter::end_document(DocumentInfo info) {
  const auto tokens = static_cast<int64_t>(state_->prefix.tokens);
  state_->names += info.name;
  state_->documents.push_back({state_->document_start, tokens - state_->document_start, info.bytes,
                               info.characters, info.words,
                               static_cast<int64_t>(state_->names.size())});
  state_->document_start = tokens;
  state_->bytes += info.bytes;
  state_->characters += info.characters;
  state_->words += info.words;
}

void TokenFileWriter::finish(const TokenSizes& sizes, const std::string& tokenizer_hash,
                             nlohmann::json header) {
  State& state = *state_;
  LC_CHECK(sizes.bytes_V.size() == sizes.characters_V.size());
  LC_CHECK(sizes.bytes_V.empty() || sizes.bytes_V.size() == state.prefix.vocab_size);
  header["tokenizer_hash"] = tokenizer_hash;
  header["text_hash"] = state.text_hash(tokenizer_hash);
  header["vocab_size"] = state.prefix.vocab_size;
  header["counts"] = state.counts();
  // Names of files may be no UTF-8.
  const std::string header_text = json_text(header, -1);
  state.write_tail(state.documents.data(), state.documents.size() * sizeof(DocumentRow));
  state.write_tail(state.names.data(), state.names.size());
  state.write_tail(sizes.bytes_V.data(), sizes.bytes_V.size() * sizeof(int64_t));
  state.write_tail(sizes.characters_V.data(), sizes.characters_V.size() * sizeof(int64_t));
  state.write_tail(header_text.data(), header_text.size());
  state.prefix.documents = state.documents.size();
  state.prefix.name_bytes = state.names.size();
  state.prefix.sizes = sizes.bytes_V.size();
  state.prefix.header_bytes = header_text.size();
  state.prefix.prefix_crc = extend_crc(0, &state.prefix, token_format::kPrefixCrcBytes);
  state.file.write_at(0, &state.prefix, sizeof(Prefix));
  state.file.commit();
}

}  // namespace lc
