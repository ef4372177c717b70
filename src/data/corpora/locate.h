// What the kinds of corpora share in finding their files.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "data/corpora/corpus.h"
#include "data/corpora/official.h"

namespace lc {

// All inputs below path whose file name (without folders and ".gz") is the one given, or the single
// file that path names. Error(kData) if there is none, or more than one.
InputFile one_file(const std::filesystem::path& path, const std::string& file_name);

std::string file_name_of(const InputFile& file);    // the last part of its name
std::string folder_name_of(const InputFile& file);  // the part before that, or ""

// The published cut of 10^8 bytes: 90, 5 and 5 million, one document each.
std::map<std::string, OfficialCounts> cut_of_hundred_million();

}  // namespace lc
