#include "data/corpora/locate.h"

#include <algorithm>

#include "core/error.h"

namespace lc {

std::string file_name_of(const InputFile& file) {
  return std::filesystem::path(file.name).filename().string();
}

std::string folder_name_of(const InputFile& file) {
  return std::filesystem::path(file.name).parent_path().filename().string();
}

InputFile one_file(const std::filesystem::path& path, const std::string& file_name) {
  std::vector<InputFile> files = list_inputs(path);
  if (files.size() == 1) return files.front();
  std::erase_if(files, [&](const InputFile& file) { return file_name_of(file) != file_name; });
  if (files.size() != 1) {
    throw Error(ErrorKind::kData, path.string(),
                "holds " + std::to_string(files.size()) + " files named " + file_name,
                "name the file itself in data.path");
  }
  return files.front();
}

std::map<std::string, OfficialCounts> cut_of_hundred_million() {
  return {{"train", {.bytes = 90'000'000, .documents = 1}},
          {"valid", {.bytes = 5'000'000, .documents = 1}},
          {"test", {.bytes = 5'000'000, .documents = 1}}};
}

}  // namespace lc
