// The command line of lceval.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/load_run.h"
#include "config/option_table.h"
#include "eval/evaluation_model.h"
#include "eval/passkey_grid.h"
#include "eval/run_request.h"

namespace CLI {
class App;
}

namespace lc {

// Of `lceval passkey`, as typed.
struct PasskeyFlags {
  std::string format = "newline";
  std::string lengths;
  std::string depths = "0,0.25,0.5,0.75,1";
  int64_t samples = 50;
  uint64_t seed = 1;
};

struct EvalFlags {
  std::vector<std::string> checkpoints;
  std::vector<std::string> compared;  // A and B of `lceval compare A B`
  std::string split;                  // empty: test if there is one, else valid
  std::string data;
  std::string records;
  EvaluationRequest request;
  std::string contexts;
  std::string context_mode;  // empty: strict
  RuntimeValues runtime;
  std::vector<std::string> settings;  // of --set, as typed
  bool memory_footprint = false;
  bool json = false;
  std::vector<std::string> sweep;  // "memory=0,64", as typed
  bool passkey = false;            // the subcommand was called
  PasskeyFlags passkey_flags;
  PasskeyRequest passkey_request;
  std::string csv;
  std::string plot;
  std::string out;
  MachineFlags machine;
};

// Adds the flags; each runtime row that some model has becomes a flag of its own.
void add_flags(CLI::App& app, const OptionTable& table, EvalFlags& flags);

// What only the whole command line shows: flags that need or exclude each other. Fills in the
// request. Error(kUsage).
void finish_flags(EvalFlags& flags);

}  // namespace lc
