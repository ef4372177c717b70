// From what a user names as a checkpoint to a model that is ready, with its tokenizer and texts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "checkpoint/run_folder.h"
#include "config/config.h"
#include "data/prepare.h"
#include "models/registry.h"
#include "train/known_texts.h"

namespace CLI {
class App;
}

namespace lc {

// --device, --threads, --precision: each sets its key of section run.
struct MachineFlags {
  std::optional<std::string> device;
  std::optional<int64_t> threads;
  std::optional<std::string> precision;
};
void add_machine_flags(CLI::App& app, MachineFlags& flags);
Config with_machine_flags(const OptionTable& table, const Config& config,
                          const MachineFlags& flags);

// Sets the number of threads that the config asks for; gives kind, place and seed of its weights.
// Error(kUsage) if the device isn't there.
ParameterSetup parameter_setup(const Config& config);

// Another text than the run's own.
struct OtherText {
  std::filesystem::path path;
  Records records = Records::kFiles;
};

struct LoadedRun {
  RunFolder folder;
  std::filesystem::path step_folder;
  int64_t step;
  Config config;          // of the run, with the flags
  std::string precision;  // that it was trained in
  std::unique_ptr<LanguageModel> model;
  std::shared_ptr<const Tokenizer> tokenizer;
  std::map<std::string, TokenFile> splits;  // or the other text alone, as "text"
  KnownTexts texts;                         // those of its own splits, as the checkpoint knows them
};

struct RunRequest {
  std::filesystem::path checkpoint;  // run folder (best, else last) or step folder
  MachineFlags flags{};
  std::optional<OtherText> text{};
};

// The run's own splits, prepared anew where the cache lacks them, or the other text, encoded by the
// run's tokenizer. Errors: kData for a checkpoint that is absent, damaged or not fitting, a run
// without vocabulary or text, or a tokenizer that isn't the one it was trained with; what
// prepare_data() throws.
LoadedRun load_run(const OptionTable& table, const RunRequest& request);

// Error(kData) if this isn't the text of the split that the run was started with, as far as its
// checkpoint knows; otherwise: what else to do than to put that back.
void require_own_text(const LoadedRun& run, const std::string& split, const KnownText& text,
                      const std::string& otherwise);

// What a run is without its texts, and without its weights where its tokenizer tells how large the
// vocabulary is.
struct RunOutline {
  RunFolder folder;
  Config config;  // with the flags
  int64_t vocab_size;
};
// Error(kData) for a checkpoint that is absent, or damaged where its weights are read.
RunOutline outline_run(const OptionTable& table, const RunRequest& request);

// The weights and the tokenizer alone, for generation; splits are empty.
LoadedRun load_model(const OptionTable& table, const RunRequest& request);

// Fills the model that config builds with the weights of run.init_from, a run folder (best, else
// last) or step folder; what else the checkpoint holds is left. Error(kUsage) that lists every
// value under which the weights computed something else, old -> new; Error(kData) that lists every
// name and shape that doesn't fit. Another tokenizer than the checkpoint's is a warning.
void begin_with_weights(const OptionTable& table, const Config& config, const Tokenizer& tokenizer,
                        LanguageModel& model);

// The copy in the run folder that later programs read, so that a run is whole without its corpus.
void store_tokenizer(const RunFolder& folder, const Tokenizer& tokenizer);
// Null: there is none. Error(kData) if it is damaged.
std::shared_ptr<const Tokenizer> stored_tokenizer(const RunFolder& folder);

// Error(kData) if the checkpoint was trained with a tokenizer of another hash; "": it isn't known.
void check_tokenizer(const std::filesystem::path& step_folder, const std::string& trained,
                     const std::string& found);

}  // namespace lc
