#include "lcgen/flags.h"

#include <CLI/CLI.hpp>

#include "common/app_main.h"
#include "common/runtime_flags.h"
#include "common/value_checks.h"
#include "core/error.h"

namespace lc {
namespace {

constexpr const char* kAbout =
    "Writes text: goes on from a prompt with a trained model, whose memory is carried on.\n"
    "stdout carries the text alone, without the prompt, as it is made. Without --prompt and\n"
    "--prompt-file the prompt is what stdin gives, unless that is a terminal.\n"
    "Exit codes: 0 done; 1 run-time failure; 2 usage; 3 prompt or checkpoint missing or bad;\n"
    "4 out of memory.";

void add_prompt_flags(CLI::App& app, GenFlags& flags) {
  app.add_option("--checkpoint", flags.checkpoint, "Run folder (best, else last) or step folder")
      ->check(not_empty_path())
      ->type_name("RUN");
  auto* prompt = app.add_option_function<std::string>(
      "--prompt", [&flags](const std::string& text) { flags.prompt = text; },
      "The text to go on from; begins with a dash: --prompt=-TEXT");
  prompt->type_name("TEXT");
  app.add_option("--prompt-file", flags.prompt_file, "A file with that text; - for stdin")
      ->check(not_empty_path())
      ->type_name("FILE")
      ->excludes(prompt);
}

void add_sampling_flags(CLI::App& app, GenFlags& flags) {
  app.add_option("--tokens", flags.tokens, "How many tokens to write")
      ->check(whole_number_from(0))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--temperature", flags.sampling.temperature,
                 "Below 1 more certain, above 1 more varied; 0: always the most probable token")
      ->check(finite_number())
      ->type_name("X")
      ->capture_default_str();
  app.add_option("--top-k", flags.sampling.top_k, "Draw from the K most probable tokens; 0: all")
      ->check(whole_number_from(0))
      ->type_name("K")
      ->capture_default_str();
  app.add_option("--top-p", flags.sampling.top_p,
                 "Draw from the fewest tokens that together have the probability P")
      ->check(finite_number())
      ->type_name("P")
      ->capture_default_str();
  app.add_option("--seed", flags.sampling.seed, "Seed of the draws: the same seed, the same text")
      ->check(whole_number_from(0))
      ->type_name("N")
      ->capture_default_str();
}

}  // namespace

GenFlags read_flags(int argc, char** argv, const OptionTable& table) {
  CLI::App app{kAbout, "lcgen"};
  GenFlags flags;
  add_prompt_flags(app, flags);
  add_sampling_flags(app, flags);
  app.add_option("--segment", flags.segment,
                 "Segment length, instead of that in training; the window of a model without "
                 "memory")
      ->check(whole_number_from(1))
      ->type_name("N");
  add_runtime_flags(app, table, flags.runtime);
  app.add_flag("--echo", flags.echo, "Write the prompt before the text");
  app.add_flag("--json", flags.json, "One JSON object on stdout: prompt, text, tokens ...");
  add_machine_flags(app, flags.machine);
  add_common_flags(app);
  parse_flags(app, argc, argv);
  if (flags.checkpoint.empty()) {
    throw Error(ErrorKind::kUsage, "--checkpoint", "names no run",
                "give a run folder, such as --checkpoint runs/xl");
  }
  check_sampling(flags.sampling);
  return flags;
}

}  // namespace lc
