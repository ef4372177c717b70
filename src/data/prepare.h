// From the config's section data to token files: found in the cache or made, never stale.
//
// The cache is keyed by the content of the inputs (SHA-256 of the unpacked bytes), their names, the
// options that matter and the version of the format. A file in it that is damaged is made anew,
// with a warning. Place: data.cache_dir, else $LCTRAIN_CACHE, $XDG_CACHE_HOME/lctrain,
// ~/.cache/lctrain.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "config/config.h"
#include "data/token_file.h"
#include "data/tokenizers/tokenizer.h"

namespace lc {

struct PreparedData {
  std::map<std::string, TokenFile> splits;  // "train", "valid", "test": those that there are
  std::shared_ptr<const Tokenizer> tokenizer;
  std::filesystem::path folder;  // where they lie: SPLIT.lctok and tokenizer.lctokenizer
  bool cached = false;           // nothing had to be made
};

// Whether section data says which text: files, or a corpus that makes its own.
bool names_text(const Config& config);

// Errors: kUsage (options that contradict each other), kData (inputs missing, empty, binary, not
// UTF-8), kRuntime (disk full).
PreparedData prepare_data(const Config& config);

// The tokenizer alone, from the cache or made; token files are not.
std::shared_ptr<const Tokenizer> prepare_tokenizer(const Config& config);

enum class Records { kFiles, kLines };  // documents: each file, or each line that isn't empty

// Another text (file, folder or glob) with a tokenizer that exists, as one split named "text".
// Unknown words follow the tokenizer's policy. Cached as well.
TokenFile prepare_text(const Config& config, const Tokenizer& tokenizer,
                       const std::filesystem::path& text, Records records);

std::filesystem::path cache_folder(const Config& config);

std::vector<Option> data_options();  // the rows of section "data"

}  // namespace lc
