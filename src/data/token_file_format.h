// The layout of a token file (data/README.md): what reader and writer share.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace lc::token_format {

static_assert(std::endian::native == std::endian::little, "token files are little-endian");

constexpr std::array<char, 8> kMagic = {'L', 'C', 'T', 'O', 'K', 'E', 'N', 'S'};
constexpr uint32_t kVersion = 2;

// The first bytes of the file. After it stand the tokens, then the tail: documents, their names,
// sizes of tokens (bytes, then characters), the JSON header.
struct Prefix {
  std::array<char, 8> magic = kMagic;
  uint32_t version = kVersion;
  uint32_t token_width = 0;  // bytes a token: 1, 2 or 4
  uint64_t tokens = 0;
  uint64_t vocab_size = 0;
  uint64_t documents = 0;
  uint64_t name_bytes = 0;
  uint64_t sizes = 0;  // entries of each of the two size tables: vocab_size or 0
  uint64_t header_bytes = 0;
  uint32_t tokens_crc = 0;  // CRC-32 of the tokens
  uint32_t tail_crc = 0;    // of everything behind them
  uint32_t unused = 0;
  uint32_t prefix_crc = 0;  // of the bytes of this prefix before this field
};
static_assert(sizeof(Prefix) == 80);
constexpr uint64_t kPrefixCrcBytes = 76;

struct DocumentRow {
  int64_t first_token;
  int64_t tokens;
  int64_t bytes;
  int64_t characters;
  int64_t words;
  int64_t name_end;  // in the names, where this document's name ends
};
static_assert(sizeof(DocumentRow) == 48);

constexpr uint32_t token_width(int64_t vocab_size) {
  return vocab_size <= 256 ? 1 : vocab_size <= 65536 ? 2 : 4;
}

}  // namespace lc::token_format
