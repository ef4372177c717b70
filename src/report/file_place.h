// Where the files of results go, and how their names begin.
#pragma once

#include <filesystem>
#include <string>

namespace lc {

struct FilePlace {
  std::filesystem::path folder;
  std::string begin;  // "test", "text", "passkey"

  // folder/BEGINrest, such as "_sweep.json".
  std::filesystem::path file(const std::string& rest) const { return folder / (begin + rest); }
};

// The results of one run that need no other: where they are written unless --out says otherwise.
struct OwnFiles {
  std::filesystem::path folder;  // RUN/eval
  std::string split;             // or what else their names begin with
  bool as_trained = true;        // false: flags changed the model, its numbers or what is scored
};

// There names that begin with SPLIT are of the run as it was trained, those of all else with
// SPLIT_other, so that neither is written over the other.
FilePlace own_place(const OwnFiles& files);

}  // namespace lc
