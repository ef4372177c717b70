// Starts lctrain as users do, stops it, and reads what it left: for the tests of the program.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace lctrain {

using Json = nlohmann::json;
namespace fs = std::filesystem;

// A folder of its own for one test, removed at the end.
class Workplace {
 public:
  Workplace();
  ~Workplace();
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;

  fs::path path() const { return path_; }
  // Written as JSON under that name; gives its path.
  fs::path write(const std::string& name, const Json& config) const;
  // A config of a small Transformer-XL with dropout on a generated text, in runs/NAME.
  Json config(const std::string& run) const;
  fs::path run(const std::string& name) const { return path_ / "runs" / name; }

 private:
  fs::path path_;
};

struct Result {
  int exit_code = -1;  // -1: ended by a signal
  int signal = 0;
  std::string out;
  std::string err;
};

class Process {
 public:
  // before: shell commands run first in the same process ("ulimit -f 1"); empty: none.
  Process(const Workplace& place, const std::vector<std::string>& arguments,
          const std::string& before = "");
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void send(int signal) const;
  bool running();  // gathers the exit state as soon as there is one
  Result wait();

 private:
  fs::path out_;
  fs::path err_;
  pid_t pid_ = -1;
  bool ended_ = false;
  int status_ = 0;
};

Result run(const Workplace& place, const std::vector<std::string>& arguments,
           const std::string& before = "");

// metrics.jsonl without what differs from call to call (seconds, tokens_per_second).
std::vector<Json> metrics(const fs::path& run_folder);
// Step folders, by name, ascending.
std::vector<std::string> checkpoints(const fs::path& run_folder);
// The step that the `last` or `best` pointer names.
std::string pointer(const fs::path& run_folder, const std::string& name);
// The trainer's state in a step folder, without times.
Json state(const fs::path& step_folder);
std::string bytes(const fs::path& file);

}  // namespace lctrain
