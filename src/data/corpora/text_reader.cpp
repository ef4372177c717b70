#include "data/corpora/text_reader.h"

#include <algorithm>
#include <array>

#include "core/error.h"
#include "core/file_io.h"
#include "core/utf8_check.h"

namespace lc {
namespace {

constexpr size_t kTextAtOnce = size_t{1} << 18;
constexpr int64_t kControlsTolerated = 100;  // bytes to one control character

bool is_control(unsigned char byte) {
  return (byte < 32 && (byte < 9 || byte > 13) && byte != 0x1A && byte != 0x1B) || byte == 0x7F;
}

// CR LF and CR become LF, in pieces that may be cut between the two.
class NewlineFilter {
 public:
  std::string_view apply(std::string_view piece) {
    if (!after_cr_ && piece.find('\r') == std::string_view::npos) return piece;
    out_.clear();
    for (const char byte : piece) {
      if (!(after_cr_ && byte == '\n')) out_ += byte == '\r' ? '\n' : byte;
      after_cr_ = byte == '\r';
    }
    return out_;
  }

 private:
  std::string out_;
  bool after_cr_ = false;
};

class Checker {
 public:
  Checker(const InputFile& file, const TextRules& rules, TextFindings& findings)
      : file_(file), rules_(rules), findings_(findings) {}

  void raw(std::string_view piece) {
    for (size_t at = piece.find('\n'); !findings_.cr_lf && at != std::string_view::npos;
         at = piece.find('\n', at + 1)) {
      findings_.cr_lf = at > 0 ? piece[at - 1] == '\r' : last_ == '\r';
    }
    if (!piece.empty()) last_ = piece.back();
    if (!rules_.any_bytes) find_binary(piece);
    raw_bytes_ += static_cast<int64_t>(piece.size());
  }
  // The text that is used, which begins `skipped` bytes and lines into the file.
  void text(std::string_view piece) {
    if (!utf8_.add(piece)) not_utf8("isn't UTF-8");
  }
  void skip(std::string_view piece) {
    skipped_ += static_cast<int64_t>(piece.size());
    skipped_lines_ += std::count(piece.begin(), piece.end(), '\n');
  }
  void end() {
    if (findings_.utf8 && !utf8_.end()) not_utf8("ends inside a UTF-8 character");
    if (controls_ * kControlsTolerated > raw_bytes_) {
      binary(std::to_string(controls_) + " control characters in " + std::to_string(raw_bytes_) +
             " bytes");
    }
  }

 private:
  void find_binary(std::string_view piece) {
    const size_t nul = piece.find('\0');
    if (nul != std::string_view::npos) {
      binary("a NUL at byte " + std::to_string(raw_bytes_ + static_cast<int64_t>(nul)));
    }
    controls_ += std::count_if(piece.begin(), piece.end(), [](char byte) {
      return is_control(static_cast<unsigned char>(byte));
    });
  }
  [[noreturn]] void binary(const std::string& found) const {
    throw Error(ErrorKind::kData, file_.shown(), "looks like binary data, not text: " + found,
                "name a text file (only the corpus enwik8 takes any bytes)");
  }
  void not_utf8(const std::string& what) {
    findings_.utf8 = false;
    if (!rules_.utf8) return;
    throw Error(ErrorKind::kData, file_.shown(),
                what + " at byte " + std::to_string(skipped_ + utf8_.fault_byte()) + ", line " +
                    std::to_string(skipped_lines_ + utf8_.fault_line() + 1),
                "convert the file to UTF-8 (for example with iconv), or use the byte tokenizer");
  }

  const InputFile& file_;
  const TextRules& rules_;
  TextFindings& findings_;
  Utf8Check utf8_;
  char last_ = 0;
  int64_t raw_bytes_ = 0;
  int64_t controls_ = 0;
  int64_t skipped_ = 0;
  int64_t skipped_lines_ = 0;
};

}  // namespace

void read_part(const InputPart& part, const TextRules& rules, TextFindings& findings,
               const std::function<void(std::string_view)>& on_text) {
  const auto stream = open_input(part.file);
  Checker checker(part.file, rules, findings);
  NewlineFilter newlines;
  std::string buffer(kTextAtOnce, '\0');
  int64_t to_skip = part.first;
  int64_t left = part.bytes;
  while (left != 0) {
    const size_t count = stream->read(buffer.data(), buffer.size());
    if (count == 0) break;
    std::string_view piece(buffer.data(), count);
    checker.raw(piece);
    if (rules.newlines_to_lf) piece = newlines.apply(piece);
    const auto skipped =
        static_cast<size_t>(std::min<int64_t>(to_skip, static_cast<int64_t>(piece.size())));
    checker.skip(piece.substr(0, skipped));
    to_skip -= static_cast<int64_t>(skipped);
    piece.remove_prefix(skipped);
    if (left >= 0) {
      piece = piece.substr(0, static_cast<size_t>(left));
      left -= static_cast<int64_t>(piece.size());
    }
    if (piece.empty()) continue;
    checker.text(piece);
    on_text(piece);
  }
  checker.end();
}

InputDigest digest_input(const InputFile& file, const TextRules& rules, SymbolCount count_symbols) {
  const auto stream = open_input(file);
  Sha256 hash;
  NewlineFilter newlines;
  std::string buffer(kTextAtOnce, '\0');
  InputDigest digest;
  std::array<bool, 256> seen{};
  for (size_t count = 0; (count = stream->read(buffer.data(), buffer.size())) > 0;) {
    const std::string_view piece(buffer.data(), count);
    hash.update(piece);
    if (count_symbols == SymbolCount::kWanted) {
      for (const char byte : piece) seen[static_cast<unsigned char>(byte)] = true;
    }
    digest.bytes +=
        static_cast<int64_t>(rules.newlines_to_lf ? newlines.apply(piece).size() : piece.size());
  }
  digest.sha256 = hash.hex();
  digest.symbols = std::count(seen.begin(), seen.end(), true);
  return digest;
}

}  // namespace lc
