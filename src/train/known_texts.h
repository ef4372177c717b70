// The texts of a run as its checkpoints know them: state.json keeps the hash of each split, so that
// a text that has changed since is neither trained on nor scored as the run's own.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "data/token_file.h"

namespace lc {

struct KnownText {
  std::string text_hash;  // TokenFile::text_hash()
  int64_t tokens = 0;
};
KnownText known_text(const TokenFile& tokens);

using KnownTexts = std::map<std::string, KnownText>;  // by split

// What state.json keeps: {"texts": {SPLIT: {"text_hash", "tokens"}}}.
nlohmann::json texts_json(const KnownTexts& texts);
// Those that a checkpoint's state knows: of an imported one none, nor of one that has no hashes.
// Error(kData) that names source where they can't be read.
KnownTexts texts_in(const nlohmann::json& state, const std::string& source);

// What makes the split's text another one than is known, after its name: "isn't the text that ...";
// empty: nothing, or nothing is known of it.
std::string text_change(const KnownTexts& known, const std::string& split, const KnownText& now);

// Error(kData) that names source and the split, where one that is known has changed or is gone.
void require_known_texts(const KnownTexts& known, const KnownTexts& now, const std::string& source);

}  // namespace lc
