// Files: written whole or not at all, mapped for reading, hashed.
// Every failure throws Error: kData for what is read; for what is written kRuntime (disk full), and
// kUsage where its name is too long or a device's.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

namespace lc {

// A file that appears under its name only when commit() is called: temporary file beside it,
// fsync, rename, fsync of the folder. Destroyed without commit, it leaves nothing behind. Where the
// name is a link, the file that it leads to is replaced, not the link.
class AtomicFile {
 public:
  // The folder is created if absent. Error(kUsage) for a device or pipe, which is never replaced.
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* data, size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }
  int64_t position() const { return position_; }
  // Overwrites bytes that were written before, for headers that are known last.
  void write_at(int64_t offset, const void* data, size_t bytes);
  void commit();

 private:
  std::filesystem::path path_;
  std::filesystem::path temporary_;
  std::FILE* file_ = nullptr;
  int64_t position_ = 0;
};

void write_file_atomically(const std::filesystem::path& path, std::string_view content);
std::string read_file(const std::filesystem::path& path);
void sync_folder(const std::filesystem::path& folder);  // fsync of the folder itself

// A read-only mapping of a whole file. Empty files map to an empty view.
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  std::string_view bytes() const { return {data_, size_}; }

 private:
  const char* data_ = nullptr;
  size_t size_ = 0;
};

// SHA-256, streaming; hex() may be called once, at the end.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  void update(const void* data, size_t bytes);
  void update(std::string_view text) { update(text.data(), text.size()); }
  std::string hex();

 private:
  void* context_;
};

std::string sha256_of(std::string_view bytes);
std::string sha256_of_file(const std::filesystem::path& path);

}  // namespace lc
