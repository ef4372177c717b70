// Work on runs, one after the other, of which some may be of no use.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lceval/runs.h"

namespace lc {

// What becomes of a run whose files, vocabulary or text are missing or damaged (ErrorKind::kData).
enum class UselessRun {
  kRefused,  // it ends the work: what is found of one depends on all
  kLeftOut,  // one that was found in a folder of runs is left out, with a warning that says why
};

// Does the work for that run; gives why it is left out, "" if it isn't. An Error names the run,
// where it is one of several.
std::string fault_of_run(const NamedRun& run, UselessRun useless,
                         const std::function<void()>& work);

// The Error(kData) where no run is left, with the fault of the last.
[[noreturn]] void refuse_without_useful_run(const std::string& fault);

// What work gives for each run, in their order. fits throws where a result can't stand beside the
// first one.
template <typename Result>
std::vector<Result> for_each_run(
    const std::vector<NamedRun>& runs, UselessRun useless,
    const std::function<Result(const NamedRun&)>& work,
    const std::function<void(const Result& first, const Result& result)>& fits =
        [](const Result&, const Result&) {}) {
  std::vector<Result> results;
  std::string fault;
  for (const NamedRun& run : runs) {
    const std::string found = fault_of_run(run, useless, [&] { results.push_back(work(run)); });
    if (found.empty()) {
      fits(results.front(), results.back());
    } else {
      fault = found;
    }
  }
  if (results.empty()) refuse_without_useful_run(fault);
  return results;
}

}  // namespace lc
