#include "apps/lctrain_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

#include "catch.h"
#include "core/rng.h"

namespace lctrain {
namespace {

// Words drawn from a small list: something to learn, the same on every machine.
std::string generated_text(size_t length, uint64_t seed) {
  const std::vector<std::string> words{"the ",   "river ", "runs ", "under ", "a ",    "stone ",
                                       "bridge", ", ",     "and ",  "then ",  "west.", "\n"};
  std::string text;
  for (uint64_t i = 0; text.size() < length; ++i) {
    text += words[lc::hash_bits(lc::combine_keys(seed, i)) % words.size()];
  }
  text.resize(length);
  return text;
}

void write_text(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

int open_for_writing(const fs::path& path) {
  return open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
}

}  // namespace

Workplace::Workplace() {
  static std::atomic<int> number{0};
  path_ = fs::temp_directory_path() /
          ("lc_train_test_" + std::to_string(getpid()) + "_" + std::to_string(number++));
  fs::remove_all(path_);
  fs::create_directories(path_);
  write_text(path_ / "train.txt", generated_text(30000, 1));
  write_text(path_ / "valid.txt", generated_text(3000, 2));
}

Workplace::~Workplace() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

fs::path Workplace::write(const std::string& name, const Json& config) const {
  write_text(path_ / name, config.dump(2));
  return path_ / name;
}

Json Workplace::config(const std::string& run_name) const {
  return {{"run", {{"out_dir", run(run_name).string()}, {"device", "cpu"}, {"threads", 1}}},
          {"data",
           {{"corpus", "text"},
            {"train", (path_ / "train.txt").string()},
            {"valid", (path_ / "valid.txt").string()},
            {"tokenizer", {{"type", "byte"}}}}},
          {"model",
           {{"type", "transformer_xl"},
            {"layers", 2},
            {"d_model", 16},
            {"heads", 2},
            {"d_inner", 32},
            {"dropout", 0.1},
            {"attention_dropout", 0.1},
            {"transformer_xl", {{"memory_length", 24}}}}},
          {"optim",
           {{"lr", 0.003},
            {"clip_norm", 0.25},
            {"schedule", {{"name", "cosine"}, {"warmup_steps", 10}, {"total_steps", 400}}}}},
          {"train", {{"lanes", 4}, {"segment_length", 16}, {"steps", 40}}},
          {"eval", {{"every", 20}, {"tokens", 600}}},
          {"checkpoint", {{"every", 10}, {"keep_last", 2}}},
          {"log", {{"every", 5}}}};
}

Process::Process(const Workplace& place, const std::vector<std::string>& arguments,
                 const std::string& before) {
  static std::atomic<int> number{0};
  const std::string name = "process" + std::to_string(number++);
  out_ = place.path() / (name + ".out");
  err_ = place.path() / (name + ".err");
  std::vector<std::string> words{LC_BIN_DIR "/lctrain"};
  if (!before.empty()) words = {"/bin/bash", "-c", before + R"(; exec "$0" "$@")", words[0]};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const std::string cache = (place.path() / "cache").string();

  pid_ = fork();
  REQUIRE(pid_ >= 0);
  if (pid_ == 0) {
    dup2(open_for_writing(out_), STDOUT_FILENO);
    dup2(open_for_writing(err_), STDERR_FILENO);
    setenv("LCTRAIN_CACHE", cache.c_str(), 1);
    execv(argv[0], argv.data());
    _exit(127);
  }
}

Process::~Process() {
  if (!running()) return;
  send(SIGKILL);
  waitpid(pid_, &status_, 0);
}

void Process::send(int signal) const { kill(pid_, signal); }

bool Process::running() {
  if (!ended_) ended_ = waitpid(pid_, &status_, WNOHANG) == pid_;
  return !ended_;
}

Result Process::wait() {
  if (!ended_) waitpid(pid_, &status_, 0);
  ended_ = true;
  Result result;
  if (WIFEXITED(status_)) result.exit_code = WEXITSTATUS(status_);
  if (WIFSIGNALED(status_)) result.signal = WTERMSIG(status_);
  result.out = bytes(out_);
  result.err = bytes(err_);
  return result;
}

Result run(const Workplace& place, const std::vector<std::string>& arguments,
           const std::string& before) {
  return Process(place, arguments, before).wait();
}

std::vector<Json> metrics(const fs::path& run_folder) {
  std::istringstream text(bytes(run_folder / "metrics.jsonl"));
  std::vector<Json> lines;
  for (std::string line; std::getline(text, line);) {
    lines.push_back(Json::parse(line));
    lines.back().erase("seconds");
    lines.back().erase("tokens_per_second");
  }
  return lines;
}

std::vector<std::string> checkpoints(const fs::path& run_folder) {
  std::vector<std::string> names;
  std::error_code absent;
  for (const auto& entry : fs::directory_iterator(run_folder / "checkpoints", absent)) {
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string pointer(const fs::path& run_folder, const std::string& name) {
  std::string text = bytes(run_folder / "checkpoints" / name);
  text.erase(std::remove(text.begin(), text.end(), '\n'), text.end());
  return text;
}

Json state(const fs::path& step_folder) {
  Json result = Json::parse(bytes(step_folder / "state.json")).at("state");
  result.erase("seconds");
  result.at("window").erase("seconds");
  return result;
}

std::string bytes(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace lctrain
