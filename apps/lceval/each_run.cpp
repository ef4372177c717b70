#include "lceval/each_run.h"

#include "core/error.h"
#include "core/log.h"

namespace lc {
namespace {

std::string naming_run(const NamedRun& run, const std::string& message) {
  const std::string path = run.path.string();
  const bool named =
      message.find(path) != std::string::npos || message.starts_with(run.name + ": ");
  return named || !run.one_of_several ? message : path + ": " + message;
}

}  // namespace

std::string fault_of_run(const NamedRun& run, UselessRun useless,
                         const std::function<void()>& work) {
  try {
    work();
    return "";
  } catch (const Error& error) {
    const std::string message = naming_run(run, error.what());
    const bool left_out = useless == UselessRun::kLeftOut && run.of_folder;
    if (!left_out || error.kind() != ErrorKind::kData) throw Error(error.kind(), "", message, "");
    log_warning("left out: " + message);
    return message;
  }
}

void refuse_without_useful_run(const std::string& fault) {
  throw Error(ErrorKind::kData, "--checkpoint", "names no run that can be used; " + fault, "");
}

}  // namespace lc
