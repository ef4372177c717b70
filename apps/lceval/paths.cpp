#include "lceval/paths.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/error.h"

namespace lc {
namespace {

namespace fs = std::filesystem;

// The path itself, or what is there of the folders above it.
fs::path nearest_there(const fs::path& path) {
  std::error_code unknown;
  fs::path place = fs::absolute(path, unknown);
  while (!fs::exists(place, unknown) && place.has_relative_path()) place = place.parent_path();
  return place;
}

// What stands in the way of an output of that kind; "": nothing.
std::string obstacle(fs::file_type there, Output output) {
  if (there == fs::file_type::not_found) return "";
  if (output == Output::kFolder) {
    return there == fs::file_type::directory ? "" : "is no folder; name a folder";
  }
  if (there == fs::file_type::directory) return "is a folder; name a file";
  return there == fs::file_type::regular ? "" : "is a device or a pipe; name a file";
}

}  // namespace

void check_output(const std::string& flag, const fs::path& path, Output output) {
  const std::string place = flag + " " + path.string();
  std::error_code fault;
  const fs::file_type there = fs::status(path, fault).type();
  if (there == fs::file_type::none) {
    throw Error(ErrorKind::kUsage, place, "can't be written: " + fault.message(),
                "choose another path");
  }
  const std::string in_the_way = obstacle(there, output);
  if (!in_the_way.empty()) throw Error(ErrorKind::kUsage, place, in_the_way, "");
  const fs::path absolute = fs::absolute(path, fault);
  const fs::path folder =
      nearest_there(output == Output::kFolder ? absolute : absolute.parent_path());
  if (!fs::is_directory(folder, fault)) {
    throw Error(ErrorKind::kUsage, place, folder.string() + " is no folder", "choose another path");
  }
  if (access(folder.c_str(), W_OK) != 0) {
    throw Error(ErrorKind::kRuntime, place,
                folder.string() + " can't be written to: " + std::strerror(errno),
                "check its permissions, or choose another path");
  }
}

void check_output_files(const EvalFlags& flags) {
  for (const auto& [flag, path] :
       {std::pair{"--csv", flags.csv}, {"--plot", flags.plot}, {"--dump-nll", flags.dump_nll}}) {
    if (!path.empty()) check_output(flag, path, Output::kFile);
  }
}

}  // namespace lc
