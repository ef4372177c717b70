// Input files as users have them: plain, .gz, or a member of a .zip, read as a stream of bytes; and
// texts that the program makes by itself, read in the same way.
// Errors: Error(kData) that names the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace lc {

class ByteStream;

struct InputFile {
  std::filesystem::path path;  // of the file, or of the archive
  std::string member;          // of the archive; empty: none
  std::string name;            // below the folder or archive it was found in, "/" between parts,
                               // without ".gz": the name of its document
  // Of a text that is made, not found: a stream that gives it; path says what it is in messages.
  std::function<std::unique_ptr<ByteStream>()> make{};
  // What the corpus knows of the document beside its name: {id, title, year}; null: nothing.
  nlohmann::json about{};

  std::string shown() const;  // for messages: "path" or "path:member"
};

// What a path stands for: a folder's files (all below it, in the order of their names, hidden ones
// left out), an archive's members, a file itself. pattern: also a glob pattern.
std::vector<InputFile> list_inputs(const std::filesystem::path& path);
std::vector<InputFile> list_pattern(const std::string& pattern);

// The unpacked bytes of a file, from its beginning.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  virtual size_t read(char* out, size_t capacity) = 0;  // 0 at the end
};
std::unique_ptr<ByteStream> open_input(const InputFile& file);

}  // namespace lc
