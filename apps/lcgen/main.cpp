// lcgen: writes text with a trained model.
//
//   lcgen --checkpoint RUN [--prompt TEXT | --prompt-file FILE | < FILE] [flags]
#include <memory>
#include <string>
#include <vector>

#include "common/app_main.h"
#include "common/full_option_table.h"
#include "common/load_run.h"
#include "common/output.h"
#include "common/runtime_flags.h"
#include "config/json_text.h"
#include "core/log.h"
#include "eval/evaluation_model.h"
#include "generate/generate.h"
#include "lcgen/flags.h"
#include "lcgen/output.h"
#include "lcgen/prompt.h"
#include "models/registry.h"

namespace lc {
namespace {

// Everything that the text depends on.
nlohmann::json settings_json(const GenFlags& flags, const Config& config, int64_t segment_length) {
  nlohmann::json settings = model_protocol(config);
  settings.update({{"segment", segment_length},
                   {"temperature", flags.sampling.temperature},
                   {"top_k", flags.sampling.top_k},
                   {"top_p", flags.sampling.top_p},
                   {"seed", flags.sampling.seed}});
  return settings;
}

void write_json(const LoadedRun& run, const Prompt& prompt, const GenerationRequest& request,
                TextReader& reader, nlohmann::json settings) {
  std::vector<int64_t> tokens;
  generate(reader, request, [&](int64_t token) { tokens.push_back(token); });
  settings["checkpoint"] = run.step_folder.string();
  settings["step"] = run.step;
  const nlohmann::json object{{"prompt", prompt.text},
                              {"text", run.tokenizer->decode(tokens)},
                              {"prompt_tokens", request.prompt.size()},
                              {"tokens", tokens.size()},
                              {"token_ids", tokens},
                              {"settings", std::move(settings)}};
  print_result(json_text(object, -1) + "\n");
}

void go_on(const OptionTable& table, const GenFlags& flags) {
  const Prompt prompt = read_prompt(flags);
  const LoadedRun run = load_model(table, {.checkpoint = flags.checkpoint, .flags = flags.machine});
  const Config config = with_runtime_values(table, run.config, flags.runtime);
  std::unique_ptr<LanguageModel> rebuilt;
  if (!flags.runtime.empty()) rebuilt = rebuild(*run.model, config);
  const LanguageModel& model = rebuilt ? *rebuilt : *run.model;

  const int64_t segment = flags.segment.value_or(config.get<int64_t>("train.segment_length"));
  check_segment_length(config, {segment, flags.segment ? "--segment" : "train.segment_length"});
  const GenerationRequest request{encode_prompt(*run.tokenizer, prompt), flags.tokens,
                                  flags.sampling};
  TextReader reader(model, segment);
  const nlohmann::json settings = settings_json(flags, config, segment);
  log_info("a prompt of " + std::to_string(request.prompt.size()) + " tokens, " + settings.dump());
  if (flags.json) return write_json(run, prompt, request, reader, settings);
  if (flags.echo) print_result(prompt.text);
  TextOutput output;
  generate(reader, request, [&](int64_t token) { output.add(run.tokenizer->token_text(token)); });
  output.end();
}

int run_lcgen(int argc, char** argv) {
  const OptionTable table = full_option_table();
  const GenFlags flags = read_flags(argc, argv, table);
  naming_flags(flags.runtime, [&] { go_on(table, flags); });
  return 0;
}

}  // namespace
}  // namespace lc

int main(int argc, char** argv) { return lc::run_app(argc, argv, lc::run_lcgen); }
