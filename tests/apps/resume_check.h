// Stops runs of lctrain, resumes them, and compares what they end in with a run that never stopped.
#pragma once

#include <string>

#include "apps/lctrain_process.h"

namespace lctrain {

// Until the run has written something more into its log, or has ended.
void wait_for_progress(Process& process, const fs::path& run_folder);

// The last checkpoints are of the same step and equal: weights, optimizer and memory byte by byte,
// state, best and log.
void check_same_end(const fs::path& resumed, const fs::path& whole);

// Trains `config` for so many steps and then to its end, in runs/halves, and at one go, in
// runs/whole; both end the same. Gives what the second half printed.
Result check_two_halves(const Workplace& place, Json config, int64_t first_steps);

// Kills a run some steps after a checkpoint, at step N, and resumes it up to 2N, in runs/killed; as
// many steps at one go, in runs/whole, end the same. N is the last checkpoint's step, so that the
// moment of the kill decides nothing but that: config needs checkpoints.
void check_resumed_after_kill(const Workplace& place, Json config);

}  // namespace lctrain
