#include "train/resume.h"

#include "core/error.h"
#include "core/file_io.h"

namespace lc {
namespace {

std::string line_of(const ConfigChange& change) {
  return change.path + ": " + change.before.dump() + " -> " + change.after.dump();
}

}  // namespace

Config read_stored_config(const OptionTable& table, const std::filesystem::path& config_file,
                          const std::string& otherwise) {
  const std::string text = read_file(config_file);
  try {
    return Config::read(table, text, config_file.string(), {});
  } catch (const Error& error) {
    throw Error(ErrorKind::kData, config_file.string(),
                "this version can't read the run's config (" + std::string(error.what()) + ")",
                "use the version that wrote it" + otherwise);
  }
}

std::vector<std::string> taken_changes(const OptionTable& table, const Config& stored,
                                       const Config& wanted) {
  std::vector<std::string> taken;
  std::string refused;
  for (const ConfigChange& change : changes(table, stored, wanted)) {
    if (change.rule == OnResume::kRefused) {
      refused += (refused.empty() ? "" : ", ") + line_of(change);
      continue;
    }
    taken.push_back(line_of(change));
    if (change.rule == OnResume::kTakenWithNote) {
      taken.back() += " (from here on results may differ in the last bits)";
    }
  }
  if (!refused.empty()) {
    throw Error(ErrorKind::kUsage, "resume", "the run was started with other values: " + refused,
                "undo the change, choose another run.out_dir, or start anew with --restart");
  }
  return taken;
}

}  // namespace lc
