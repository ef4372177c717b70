// What the kinds of corpora share in finding their files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/corpora/corpus.h"

namespace lc {

// All inputs below path whose file name (without folders and ".gz") is the one given, or the single
// file that path names. Error(kData) if there is none, or more than one.
InputFile one_file(const std::filesystem::path& path, const std::string& file_name);

std::string file_name_of(const InputFile& file);    // the last part of its name
std::string folder_name_of(const InputFile& file);  // the part before that, or ""

// Whether these 90, 5 and 5 million bytes are those of the published cut of 10^8 bytes.
std::optional<bool> is_cut_of_hundred_million(const std::string& split, const TextCounts& counts,
                                              int64_t documents);

}  // namespace lc
