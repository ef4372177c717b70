#include "train/known_texts.h"

#include "core/error.h"
#include "core/number_text.h"

namespace lc {
namespace {

constexpr const char* kTexts = "texts";
constexpr const char* kHash = "text_hash";

}  // namespace

KnownText known_text(const TokenFile& tokens) { return {tokens.text_hash(), tokens.size()}; }

nlohmann::json texts_json(const KnownTexts& texts) {
  nlohmann::json list = nlohmann::json::object();
  for (const auto& [split, text] : texts) {
    list[split] = {{kHash, text.text_hash}, {"tokens", text.tokens}};
  }
  return {{kTexts, std::move(list)}};
}

KnownTexts texts_in(const nlohmann::json& state, const std::string& source) {
  KnownTexts texts;
  try {
    if (!state.contains(kTexts)) return texts;
    for (const auto& [split, text] : state.at(kTexts).items()) {
      if (!text.contains(kHash)) continue;
      texts[split] = {text.at(kHash).get<std::string>(), text.at("tokens").get<int64_t>()};
    }
  } catch (const nlohmann::json::exception& error) {
    throw Error(
        ErrorKind::kData, source,
        "what it knows of the run's texts can't be read (" + std::string(error.what()) + ")",
        "use the version that wrote it");
  }
  return texts;
}

std::string text_change(const KnownTexts& known, const std::string& split, const KnownText& now) {
  const auto then = known.find(split);
  if (then == known.end() || then->second.text_hash == now.text_hash) return "";
  const std::string change = "isn't the text that the run was started with";
  const int64_t before = then->second.tokens;
  if (before == now.tokens) {
    return change + ": some of its " + grouped(before) +
           " tokens are others, or stand in other documents";
  }
  return change + ": it has " + grouped(now.tokens) + " tokens, and had " + grouped(before);
}

void require_known_texts(const KnownTexts& known, const KnownTexts& now,
                         const std::string& source) {
  for (const auto& [split, text] : known) {
    const auto found = now.find(split);
    const std::string change = found == now.end() ? "that the run was started with isn't there"
                                                  : text_change(known, split, found->second);
    if (change.empty()) continue;
    throw Error(ErrorKind::kData, source, "the " + split + " split " + change,
                "give back the same files and tokenizer, or start anew with --restart");
  }
}

}  // namespace lc
