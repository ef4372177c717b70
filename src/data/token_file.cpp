#include "data/token_file.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <optional>

#include "core/error.h"
#include "data/token_file_format.h"

namespace lc {
namespace {

using token_format::DocumentRow;
using token_format::Prefix;

constexpr size_t kTokenBytesAtOnce = size_t{1} << 20;

// A file under another name may be anyone's own: nothing is said of deleting it.
[[noreturn]] void bad_file(const std::filesystem::path& path, const std::string& what) {
  const bool made_again = path.extension() == ".lctok";
  throw Error(ErrorKind::kData, path.string(), what,
              made_again
                  ? "delete the file and run the same command again, which makes it anew from the "
                    "text"
                  : "give a token file: what lctrain and lcprep make of a text and keep in "
                    "$LCTRAIN_CACHE, named SPLIT.lctok");
}

// CRC-32 of the next bytes of a stream; absent if it ends before. Read, not mapped, so that
// checking a large file doesn't fill the process's memory with its pages.
std::optional<uint32_t> read_crc(std::ifstream& stream, uint64_t bytes) {
  std::vector<char> buffer(kTokenBytesAtOnce);
  uLong crc = 0;
  for (uint64_t left = bytes; left > 0;) {
    const auto wanted = static_cast<size_t>(std::min<uint64_t>(left, buffer.size()));
    stream.read(buffer.data(), static_cast<std::streamsize>(wanted));
    if (static_cast<size_t>(stream.gcount()) != wanted) return {};
    crc = crc32_z(crc, reinterpret_cast<const Bytef*>(buffer.data()), wanted);
    left -= wanted;
  }
  return static_cast<uint32_t>(crc);
}

Prefix checked_prefix(const std::filesystem::path& path, std::string_view bytes) {
  Prefix prefix;
  if (bytes.size() < sizeof(Prefix)) {
    bad_file(path, "is no token file or truncated: it has " + std::to_string(bytes.size()) +
                       " bytes, fewer than a header takes");
  }
  std::memcpy(&prefix, bytes.data(), sizeof(Prefix));
  if (prefix.magic != token_format::kMagic) {
    bad_file(path, "is no token file: it doesn't begin with LCTOKENS");
  }
  if (prefix.version != token_format::kVersion) {
    bad_file(path, "is a token file of version " + std::to_string(prefix.version) +
                       ", and this program reads version " +
                       std::to_string(token_format::kVersion));
  }
  const auto crc = static_cast<uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), token_format::kPrefixCrcBytes));
  if (crc != prefix.prefix_crc) bad_file(path, "is damaged: its header's checksum doesn't match");
  return prefix;
}

uint64_t tail_bytes(const Prefix& prefix) {
  return prefix.documents * sizeof(DocumentRow) + prefix.name_bytes +
         2 * prefix.sizes * sizeof(int64_t) + prefix.header_bytes;
}

}  // namespace

struct TokenFile::Contents {
  explicit Contents(const std::filesystem::path& path) : file(path) {}

  MappedFile file;
  Prefix prefix;
  std::vector<DocumentInfo> documents;
  TokenSizes sizes;
  std::string tokenizer_hash;
  std::string text_hash;
  nlohmann::json header;

  const char* tokens() const { return file.bytes().data() + sizeof(Prefix); }
  uint64_t token_bytes() const { return prefix.tokens * prefix.token_width; }

  void check(const std::filesystem::path& path) const {
    const uint64_t expected = sizeof(Prefix) + token_bytes() + tail_bytes(prefix);
    if (file.bytes().size() != expected) {
      bad_file(path, "is truncated or damaged: it has " + std::to_string(file.bytes().size()) +
                         " bytes instead of " + std::to_string(expected));
    }
    std::ifstream stream(path, std::ios::binary);
    stream.seekg(sizeof(Prefix));
    if (read_crc(stream, token_bytes()) != prefix.tokens_crc) {
      bad_file(path, "is damaged: the checksum of its tokens doesn't match");
    }
    if (read_crc(stream, tail_bytes(prefix)) != prefix.tail_crc) {
      bad_file(path, "is damaged: the checksum of its document table and header doesn't match");
    }
  }

  // What stands there, as many as the rows are; gives what comes after it.
  template <typename T>
  static const char* read_rows(const char* at, std::vector<T>& rows) {
    const size_t bytes = rows.size() * sizeof(T);
    if (bytes > 0) std::memcpy(rows.data(), at, bytes);
    return at + bytes;
  }

  void read_tail() {
    std::vector<DocumentRow> rows(prefix.documents);
    const char* at = read_rows(tokens() + token_bytes(), rows);
    int64_t name_begin = 0;
    for (const DocumentRow& row : rows) {
      const auto length = static_cast<size_t>(row.name_end - name_begin);
      documents.push_back({row.first_token, row.tokens, row.bytes, row.characters, row.words,
                           std::string(at + name_begin, length)});
      name_begin = row.name_end;
    }
    at += prefix.name_bytes;
    for (std::vector<int64_t>* table : {&sizes.bytes_V, &sizes.characters_V}) {
      table->resize(prefix.sizes);
      at = read_rows(at, *table);
    }
    header = nlohmann::json::parse(std::string_view(at, prefix.header_bytes));
    tokenizer_hash = header.at("tokenizer_hash").get<std::string>();
    text_hash = header.at("text_hash").get<std::string>();
  }
};

TokenFile TokenFile::open(const std::filesystem::path& path) {
  auto contents = std::make_shared<Contents>(path);
  contents->prefix = checked_prefix(path, contents->file.bytes());
  contents->check(path);
  contents->read_tail();
  TokenFile file;
  file.contents_ = std::move(contents);
  return file;
}

int64_t TokenFile::size() const { return static_cast<int64_t>(contents_->prefix.tokens); }
int64_t TokenFile::vocab_size() const { return static_cast<int64_t>(contents_->prefix.vocab_size); }

void TokenFile::copy(int64_t first, int64_t count, int64_t* out) const {
  LC_CHECK(first >= 0 && count >= 0 && first + count <= size());
  const auto widen = [&]<typename T>(T) {
    const char* at = contents_->tokens() + static_cast<size_t>(first) * sizeof(T);
    for (int64_t i = 0; i < count; ++i, at += sizeof(T)) {
      T id;
      std::memcpy(&id, at, sizeof(T));
      out[i] = id;
    }
  };
  switch (contents_->prefix.token_width) {
    case 1:
      return widen(uint8_t{});
    case 2:
      return widen(uint16_t{});
    default:
      return widen(uint32_t{});
  }
}

const std::vector<DocumentInfo>& TokenFile::documents() const { return contents_->documents; }
const TokenSizes& TokenFile::token_sizes() const { return contents_->sizes; }
const std::string& TokenFile::tokenizer_hash() const { return contents_->tokenizer_hash; }
const std::string& TokenFile::text_hash() const { return contents_->text_hash; }
const nlohmann::json& TokenFile::header() const { return contents_->header; }

nlohmann::json TokenFile::about(const DocumentInfo& document) const {
  const auto all = contents_->header.find("about");
  if (all == contents_->header.end()) return {};
  return all->value(document.name, nlohmann::json());
}

}  // namespace lc
