#include "generate/prompt.h"

#include <algorithm>

#include "core/error.h"
#include "core/log.h"
#include "core/utf8_check.h"
#include "data/tokenizers/registry.h"

namespace lc {
namespace {

bool reads_characters(const Tokenizer& tokenizer) {
  const auto& kinds = tokenizer_kinds();
  const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const TokenizerKind& one) {
    return one.name == tokenizer.type();
  });
  LC_CHECK(kind != kinds.end());
  return kind->needs_utf8;
}

void require_utf8(const Tokenizer& tokenizer, const Prompt& prompt) {
  Utf8Check check;
  check.add(prompt.text);
  if (check.end()) return;
  throw Error(ErrorKind::kData, prompt.source,
              "is not UTF-8 at byte " + std::to_string(check.fault_byte()) + " (line " +
                  std::to_string(check.fault_line() + 1) + "), and the run's tokenizer of type " +
                  tokenizer.type() + " reads characters",
              "convert it to UTF-8");
}

void warn_of_unknown(const EncodingReport& report, const Prompt& prompt, size_t tokens) {
  if (report.unknown == 0) return;
  std::string examples;
  for (const std::string& word : report.unknown_examples) {
    examples += (examples.empty() ? "" : ", ") + word;
  }
  log_warning(prompt.source + ": " + std::to_string(report.unknown) + " of " +
              std::to_string(tokens) + " tokens are unknown to the vocabulary (" + examples + ")");
}

std::vector<int64_t> encoded(const Tokenizer& tokenizer, const Prompt& prompt, DocumentEnd how) {
  std::vector<int64_t> ids;
  const auto encoder = tokenizer.encoder();
  encoder->begin(prompt.source);
  encoder->add(prompt.text, ids);
  encoder->end(how, ids);
  warn_of_unknown(encoder->report(), prompt, ids.size());
  if (!encoder->report().cut.empty()) log_warning(encoder->report().cut);
  return ids;
}

}  // namespace

std::vector<int64_t> encode_prompt(const Tokenizer& tokenizer, const Prompt& prompt) {
  if (reads_characters(tokenizer)) require_utf8(tokenizer, prompt);
  std::vector<int64_t> ids = encoded(tokenizer, prompt, DocumentEnd::kNone);
  return ids.empty() ? start_tokens(tokenizer) : ids;
}

std::vector<int64_t> start_tokens(const Tokenizer& tokenizer) {
  std::vector<int64_t> ids = encoded(tokenizer, {"", "the start"}, DocumentEnd::kSeparator);
  if (ids.empty()) ids = encoded(tokenizer, {"\n", "the start"}, DocumentEnd::kNone);
  return ids.empty() ? std::vector<int64_t>{0} : ids;
}

}  // namespace lc
