#include "lceval/speed.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "common/value_checks.h"
#include "config/json_text.h"
#include "core/error.h"
#include "lceval/output.h"
#include "lceval/runs.h"
#include "report/speed_report.h"

namespace lc {
namespace {

void write_speed_files(const SpeedTest& test, const std::string& name, const OwnFiles& files,
                       const EvalFlags& flags) {
  if (!flags.csv.empty()) write_result_file(flags.csv, speed_csv(test));
  if (!flags.plot.empty()) write_result_file(flags.plot, svg_plot(speed_plot(test, name)));
  const auto write = [&](const FilePlace& place) { return write_speed(test, name, place); };
  write_files_of_run(write, files, flags);
}

void measure_speed(int64_t repetitions, const OptionTable& table, const EvalFlags& given) {
  EvalFlags flags = given;
  if (flags.request.contexts.empty()) {
    throw Error(ErrorKind::kUsage, "--context", "names no context to measure at",
                "give lengths, such as --context 64,256,1024");
  }
  if (!flags.machine.threads) flags.machine.threads = 1;
  const NamedRun run = asked_run("speed", table, flags);
  const auto [ready, tokens, files] = with_text(run, table, flags);
  check_contexts(flags.request, tokens);
  SpeedSettings settings;
  settings.contexts = flags.request.contexts;
  settings.repetitions = repetitions;
  settings.evaluation = requested_settings(ready.config, flags.request);
  check_segment_length(ready.config, segment_of(settings.evaluation, flags.request));
  SpeedTest test = speed_test({table, ready.config, *ready.model}, tokens, settings);
  test.protocol.update(ready.source);
  if (flags.json) {
    print_result(json_text(test.to_json(), -1) + "\n");
  } else {
    print_result(speed_table(test) + "\n");
    print_protocol(run.name, test.protocol);
  }
  write_speed_files(test, run.name, files, flags);
}

}  // namespace

EvalVerb speed_verb() {
  const auto repetitions = std::make_shared<int64_t>(5);
  EvalVerb verb;
  verb.name = "speed";
  verb.says = "Seconds a token of evaluation with memory and of a sliding window, by context";
  verb.takes = {"--checkpoint", "--split", "--data", "--context", "--tokens",
                "--segment",    "--set",   "--json", kModelGroup, kMachineGroup,
                "--csv",        "--plot",  "--out"};
  verb.reason = "times two ways to score the same targets";
  verb.add_flags = [repetitions](CLI::App& own) {
    own.add_option("--repeat", *repetitions, "Timed repetitions, of which the median counts (5)")
        ->check(whole_number_from(1))
        ->type_name("N");
  };
  verb.run = [repetitions](const OptionTable& table, const EvalFlags& flags) {
    measure_speed(*repetitions, table, flags);
  };
  return verb;
}

}  // namespace lc
