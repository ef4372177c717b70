// A temporary folder with texts and a cache, and configs of section data, for tests.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/file_io.h"
#include "data/prepare.h"

class DataFixture {
 public:
  DataFixture() {
    static int number = 0;
    root_ = std::filesystem::temp_directory_path() /
            ("lctrain_data_" + std::to_string(getpid()) + "_" + std::to_string(number++));
    std::filesystem::create_directories(root_);
  }
  ~DataFixture() { std::filesystem::remove_all(root_); }
  DataFixture(const DataFixture&) = delete;
  DataFixture& operator=(const DataFixture&) = delete;

  std::filesystem::path path(const std::string& name) const { return root_ / name; }
  std::filesystem::path write(const std::string& name, std::string_view content) const {
    lc::write_file_atomically(path(name), content);
    return path(name);
  }
  // settings: "corpus=text", below data.
  lc::Config config(const std::vector<std::string>& settings) const {
    lc::OptionTable table;
    table.add(lc::data_options());
    std::vector<std::string> overrides{"data.cache_dir=" + path("cache").string()};
    for (const std::string& setting : settings) overrides.push_back("data." + setting);
    return lc::Config::read(table, "{}", "test", overrides);
  }
  lc::PreparedData prepare(const std::vector<std::string>& settings) const {
    return lc::prepare_data(config(settings));
  }
  // The error that preparing ends in.
  struct Fault {
    std::optional<lc::ErrorKind> kind;  // none: it ended well
    std::string message;
  };
  Fault fault(const std::vector<std::string>& settings) const {
    try {
      prepare(settings);
    } catch (const lc::Error& error) {
      return {error.kind(), error.what()};
    }
    return {};
  }

 private:
  std::filesystem::path root_;
};

inline std::vector<int64_t> all_ids(const lc::TokenFile& tokens) {
  std::vector<int64_t> ids(static_cast<size_t>(tokens.size()));
  tokens.copy(0, tokens.size(), ids.data());
  return ids;
}
