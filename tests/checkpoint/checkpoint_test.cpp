#include "checkpoint/checkpoint.h"

#include <ATen/ATen.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <fstream>

#include "catch.h"
#include "core/error.h"
#include "core/file_io.h"
#include "core/temporary_folder.h"

namespace lc {
namespace {

namespace fs = std::filesystem;

Checkpoint sample(double value) {
  return {.model = {{"weight", at::full({3, 4}, value, at::kFloat)}},
          .optimizer = {{"weight.m", at::full({3, 4}, value + 1, at::kDouble)}},
          .memory = {{"fill", at::arange(5, at::kLong)}},
          .state = {{"seconds", 0.1}, {"cursor", 7}},
          .tokenizer_hash = "abc"};
}

std::string message_of(const fs::path& step_folder) {
  try {
    load_checkpoint(step_folder);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kData);
    return error.what();
  }
  return "";
}

void overwrite(const fs::path& file, const std::string& content) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << content;
}

}  // namespace

TEST_CASE("A checkpoint gives back every number", "[checkpoint]") {
  const TemporaryFolder temporary;
  RunFolder folder(temporary.path() / "run");
  save_checkpoint(folder, 12, sample(0.1));
  CHECK(folder.step_folder(12).filename() == "step_000012");
  const Checkpoint loaded = load_checkpoint(*folder.last());
  REQUIRE(loaded.model.size() == 1);
  CHECK(loaded.model[0].first == "weight");
  CHECK(at::equal(loaded.model[0].second, sample(0.1).model[0].second));
  CHECK(at::equal(loaded.optimizer[0].second, sample(0.1).optimizer[0].second));
  CHECK(at::equal(loaded.memory[0].second, sample(0.1).memory[0].second));
  CHECK(loaded.state == sample(0.1).state);
  CHECK(loaded.tokenizer_hash == "abc");
  const Checkpoint weights = load_checkpoint(*folder.last(), CheckpointParts::kWeights);
  CHECK(weights.model.size() == 1);
  CHECK(weights.optimizer.empty());
}

TEST_CASE("A step saved again replaces the one before and leaves nothing beside", "[checkpoint]") {
  const TemporaryFolder temporary;
  RunFolder folder(temporary.path());
  save_checkpoint(folder, 5, sample(1));
  save_checkpoint(folder, 5, sample(2));
  CHECK(load_checkpoint(*folder.last()).model[0].second[0][0].item<double>() == 2);
  int64_t entries = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder.checkpoints())) ++entries;
  CHECK(entries == 2);  // the step folder and `last`
}

TEST_CASE("Every flipped byte and every truncation of a checkpoint is found", "[checkpoint]") {
  const TemporaryFolder temporary;
  RunFolder folder(temporary.path());
  save_checkpoint(folder, 1, sample(1));
  const fs::path step = *folder.last();
  for (const char* name : {"model.safetensors", "optimizer.safetensors", "memory.safetensors"}) {
    const std::string intact = read_file(step / name);
    for (size_t i = 0; i < intact.size(); i += 3) {
      std::string flipped = intact;
      flipped[i] = static_cast<char>(flipped[i] ^ 1);
      overwrite(step / name, flipped);
      const std::string message = message_of(step);
      REQUIRE(message.find(name) != std::string::npos);
      REQUIRE(message.find("damaged") != std::string::npos);
    }
    overwrite(step / name, intact.substr(0, intact.size() / 2));
    CHECK(message_of(step).find("bytes, and") != std::string::npos);
    fs::remove(step / name);
    CHECK(message_of(step).find("missing") != std::string::npos);
    overwrite(step / name, intact);
  }
  CHECK(message_of(step).empty());
}

TEST_CASE("A damaged state.json is refused, or says the same", "[checkpoint]") {
  const TemporaryFolder temporary;
  RunFolder folder(temporary.path());
  save_checkpoint(folder, 1, sample(1));
  const fs::path file = *folder.last() / "state.json";
  const std::string intact = read_file(file);
  for (size_t i = 0; i < intact.size(); ++i) {
    std::string flipped = intact;
    flipped[i] = static_cast<char>(flipped[i] ^ 1);
    overwrite(file, flipped);
    try {
      const Checkpoint loaded = load_checkpoint(*folder.last());
      REQUIRE(loaded.state == sample(1).state);
      REQUIRE(loaded.tokenizer_hash == "abc");
    } catch (const Error& error) {
      REQUIRE(error.kind() == ErrorKind::kData);
    }
    overwrite(file, intact.substr(0, i));
    if (i + 1 < intact.size()) REQUIRE_FALSE(message_of(*folder.last()).empty());
  }
}

TEST_CASE("A checkpoint of another format version is refused with both versions", "[checkpoint]") {
  const TemporaryFolder temporary;
  RunFolder folder(temporary.path());
  save_checkpoint(folder, 1, sample(1));
  const fs::path file = *folder.last() / "state.json";
  auto state = nlohmann::json::parse(read_file(file));
  state["format_version"] = 2;
  state.erase("sha256");
  state["sha256"] = sha256_of(state.dump());
  overwrite(file, state.dump());
  const std::string message = message_of(*folder.last());
  CHECK(message.find("format version 2, and this program reads version 1") != std::string::npos);
}

TEST_CASE("Rotation keeps the newest, the last and the best", "[checkpoint]") {
  const TemporaryFolder temporary;
  RunFolder folder(temporary.path());
  for (int64_t step = 1; step <= 6; ++step) {
    save_checkpoint(folder, step, sample(1));
    if (step == 2) folder.mark_best(step);
    rotate(folder, 2);
  }
  CHECK(folder.steps() == std::vector<int64_t>{2, 5, 6});
  CHECK(folder.best()->filename() == "step_000002");
  CHECK(folder.last()->filename() == "step_000006");
  rotate(folder, 0);
  CHECK(folder.steps() == std::vector<int64_t>{2, 6});
}

TEST_CASE("A checkpoint is named by its run, by its step folder, or refused", "[checkpoint]") {
  const TemporaryFolder temporary;
  RunFolder folder(temporary.path() / "run");
  CHECK_THROWS_AS(resolve_checkpoint(folder.path()), Error);
  save_checkpoint(folder, 1, sample(1));
  save_checkpoint(folder, 2, sample(1));
  CHECK(resolve_checkpoint(folder.path()) == folder.step_folder(2));
  folder.mark_best(1);
  CHECK(resolve_checkpoint(folder.path() / "") == folder.step_folder(1));
  CHECK(resolve_checkpoint(folder.step_folder(2) / "") == folder.step_folder(2));
  CHECK(run_of(folder.step_folder(2)).path() == folder.path());
  fs::create_directories(temporary.path() / "empty");
  CHECK_THROWS_AS(resolve_checkpoint(temporary.path() / "empty"), Error);
}

TEST_CASE("A full disk leaves the checkpoint of before and says so", "[checkpoint]") {
  const TemporaryFolder temporary;
  RunFolder folder(temporary.path());
  save_checkpoint(folder, 1, sample(1));
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{64, 64};
    setrlimit(RLIMIT_FSIZE, &limit);
    try {
      save_checkpoint(folder, 1, sample(2));
    } catch (const Error& error) {
      const std::string message = error.what();
      const bool clear = error.kind() == ErrorKind::kRuntime &&
                         message.find("model.safetensors") != std::string::npos &&
                         message.find("free some space") != std::string::npos;
      _exit(clear ? 0 : 2);
    }
    _exit(1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(load_checkpoint(*folder.last()).model[0].second[0][0].item<double>() == 1);
  CHECK_FALSE(fs::exists(folder.checkpoints() / ".step_000001.tmp"));
}

}  // namespace lc
