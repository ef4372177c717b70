// Real texts for tests, found through LC_DATA_DIR; without them tests pass on generated texts alone
// and say so once.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>

// The file below LC_DATA_DIR; nothing where the variable is unset or the file is absent. Each test
// that goes without is counted, and the count is printed when the program ends.
inline std::optional<std::filesystem::path> real_data(const std::string& relative) {
  struct Missing {
    int count = 0;
    ~Missing() {
      if (count == 0) return;
      std::cout << count
                << " checks on real texts were left out: set LC_DATA_DIR to their folder\n";
    }
  };
  static Missing missing;
  const char* folder = std::getenv("LC_DATA_DIR");
  if (folder != nullptr && *folder != '\0') {
    const std::filesystem::path path = std::filesystem::path(folder) / relative;
    if (std::filesystem::exists(path)) return path;
  }
  ++missing.count;
  return {};
}
