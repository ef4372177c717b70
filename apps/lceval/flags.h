// The command line of lceval.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/load_run.h"
#include "config/option_table.h"
#include "eval/evaluation_model.h"
#include "eval/run_request.h"

namespace CLI {
class App;
}

namespace lc {

// Groups of flags in the help, which a verb may take as a whole.
inline constexpr const char* kModelGroup = "Values of the model";
inline constexpr const char* kDynamicGroup = "Dynamic evaluation";
inline constexpr const char* kMachineGroup = "Machine";

// As typed. Numbers that aren't given stay as they are by default.
struct DynamicFlags {
  std::string rule;  // empty: no dynamic evaluation
  std::optional<double> learning_rate;
  std::optional<double> decay;
  std::optional<double> epsilon;
  std::optional<int64_t> statistics;
};

struct EvalFlags {
  std::string command;  // the whole line, as a shell takes it
  std::vector<std::string> checkpoints;
  std::string split;  // empty: test if there is one, else valid
  std::string data;
  std::string records;
  EvaluationRequest request;
  std::string contexts;
  std::string context_mode;  // empty: strict
  RuntimeValues runtime;
  std::vector<std::string> settings;  // of --set, as typed
  bool json = false;
  std::vector<std::string> sweep;  // "memory=0,64", as typed
  DynamicFlags dynamic;
  std::string csv;
  std::string plot;
  std::string dump_nll;
  std::string out;
  MachineFlags machine;
};

// Adds the flags; each runtime row that some model has becomes a flag of its own. Words without a
// flag are runs.
void add_flags(CLI::App& app, const OptionTable& table, EvalFlags& flags);

// What flags say as text, made into the request. Error(kUsage).
void finish_flags(EvalFlags& flags);

// Error(kUsage) for a mode of context lengths where there are none.
void check_context_mode(const EvalFlags& flags);

// What only the whole command line shows, where no verb is called: flags that need or exclude each
// other. Error(kUsage).
void check_evaluation_flags(const EvalFlags& flags);

// The Error(kUsage) for a command line without a run.
[[noreturn]] void refuse_without_run();

}  // namespace lc
