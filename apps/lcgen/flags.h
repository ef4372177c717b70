// The command line of lcgen.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/load_run.h"
#include "config/option_table.h"
#include "eval/evaluation_model.h"
#include "generate/sampler.h"

namespace lc {

struct GenFlags {
  std::string checkpoint;
  std::optional<std::string> prompt;
  std::optional<std::string> prompt_file;  // "-": stdin
  int64_t tokens = 256;
  SamplingSettings sampling;
  std::optional<int64_t> segment;  // none: as in training
  RuntimeValues runtime;
  MachineFlags machine;
  bool echo = false;
  bool json = false;
};

// Error(kUsage) for what can't be understood, is out of range or excludes each other.
GenFlags read_flags(int argc, char** argv, const OptionTable& table);

}  // namespace lc
