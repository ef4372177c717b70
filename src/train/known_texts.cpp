#include "train/known_texts.h"

#include "core/error.h"
#include "core/number_text.h"
#include "data/text_fingerprint.h"

namespace lc {
namespace {

constexpr const char* kTexts = "texts";
constexpr const char* kOlderTrain = "train_text";  // its fingerprint, in older states

}  // namespace

KnownText known_text(const TokenFile& tokens) { return {text_fingerprint(tokens), tokens.size()}; }

nlohmann::json texts_json(const KnownTexts& texts) {
  nlohmann::json list = nlohmann::json::object();
  for (const auto& [split, text] : texts) {
    list[split] = {{"sha256", text.fingerprint}};
    if (text.tokens) list[split]["tokens"] = *text.tokens;
  }
  return {{kTexts, std::move(list)}};
}

KnownTexts texts_in(const nlohmann::json& state, const std::string& source) {
  KnownTexts texts;
  try {
    if (state.contains(kOlderTrain)) {
      texts["train"] = {state.at(kOlderTrain).get<std::string>(), {}};
    }
    if (!state.contains(kTexts)) return texts;
    for (const auto& [split, text] : state.at(kTexts).items()) {
      KnownText& known = texts[split];
      text.at("sha256").get_to(known.fingerprint);
      if (text.contains("tokens")) known.tokens = text.at("tokens").get<int64_t>();
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
  if (then == known.end() || then->second.fingerprint == now.fingerprint) return "";
  const std::string change = "isn't the text that the run was started with";
  const auto& before = then->second.tokens;
  if (!before || !now.tokens) return change;
  if (*before == *now.tokens) {
    return change + ": some of its " + grouped(*before) + " tokens are others";
  }
  return change + ": it has " + grouped(*now.tokens) + " tokens, and had " + grouped(*before);
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
