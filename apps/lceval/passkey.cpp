#include "lceval/passkey.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "common/load_run.h"
#include "common/value_checks.h"
#include "config/json_text.h"
#include "eval/number_list.h"
#include "eval/passkey/grid.h"
#include "lceval/output.h"
#include "lceval/runs.h"
#include "report/passkey_report.h"

namespace lc {
namespace {

// As typed.
struct PasskeyFlags {
  std::string format = "newline";
  std::string lengths;
  std::string depths = "0,0.25,0.5,0.75,1";
  int64_t samples = 50;
  uint64_t seed = 1;
};

void add_passkey_flags(CLI::App& own, PasskeyFlags& flags) {
  own.add_option("--lengths", flags.lengths, "Lengths of the prompt in bytes: 1000,4000")
      ->required()
      ->check(not_empty_list())
      ->type_name("LIST");
  own.add_option("--depths", flags.depths,
                 "Where the number stands, from 0 (start) to 1 (end); 0,0.25,0.5,0.75,1")
      ->check(not_empty_list())
      ->type_name("LIST");
  own.add_option("--samples", flags.samples, "Prompts of each length and depth (50)")
      ->check(whole_number_from(1))
      ->type_name("N");
  own.add_option("--format", flags.format, "newline (default), space or toy")->type_name("FORMAT");
  own.add_option("--seed", flags.seed, "Seed of the prompts (1)")
      ->check(whole_number_from(0))
      ->type_name("N");
}

// Each once.
template <typename T>
std::vector<T> ascending(std::vector<T> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

PasskeyRequest request_of(const PasskeyFlags& flags) {
  PasskeyRequest request;
  request.format = passkey_format(flags.format, "--format");
  request.lengths = ascending(parse_whole_numbers(flags.lengths, "--lengths", "length in bytes"));
  request.depths = ascending(parse_numbers(flags.depths, "--depths", "depth"));
  request.samples = flags.samples;
  request.seed = flags.seed;
  check_passkey(request);
  return request;
}

void write_passkey_files(const PasskeyGrid& grid, const std::string& name, const OwnFiles& files,
                         const EvalFlags& flags) {
  if (!flags.csv.empty()) write_result_file(flags.csv, passkey_csv(grid));
  if (!flags.plot.empty()) {
    write_result_file(flags.plot, svg_heat_map(passkey_heat_map(grid, name)));
  }
  const auto write = [&](const FilePlace& place) {
    return write_passkey_report(grid, name, place);
  };
  write_files_of_run(write, files, flags);
}

void score_passkey(const PasskeyRequest& request, const OptionTable& table,
                   const EvalFlags& flags) {
  const NamedRun run = asked_run("passkey", table, flags);
  const ReadyModel ready =
      make_ready(load_model(table, {run.path, flags.machine}), run, table, flags);
  const SegmentLength length =
      segment_of(requested_settings(ready.config, flags.request), flags.request);
  check_segment_length(ready.config, length);
  PasskeyGrid grid = passkey_grid({*ready.model, *ready.loaded.tokenizer, length.tokens}, request);
  grid.protocol.update(model_protocol(ready.config));
  grid.protocol.update(ready.source);
  if (flags.json) {
    print_result(json_text(grid.to_json(), -1) + "\n");
  } else {
    print_result(passkey_table(grid) + "\n");
    print_protocol(run.name, grid.protocol);
  }
  write_passkey_files(grid, run.name,
                      {ready.loaded.folder.evaluations(), "passkey", ready.as_trained}, flags);
}

}  // namespace

EvalVerb passkey_verb() {
  const auto own_flags = std::make_shared<PasskeyFlags>();
  EvalVerb verb;
  verb.name = "passkey";
  verb.says = "Whether a number hidden in a long prompt is found again, by length and depth";
  verb.takes = {"--checkpoint", "--segment", "--set",  kModelGroup, kMachineGroup,
                "--json",       "--csv",     "--plot", "--out"};
  verb.reason = "makes its own prompts and reads each of them whole";
  verb.add_flags = [own_flags](CLI::App& own) { add_passkey_flags(own, *own_flags); };
  verb.run = [own_flags](const OptionTable& table, const EvalFlags& flags) {
    score_passkey(request_of(*own_flags), table, flags);
  };
  return verb;
}

}  // namespace lc
