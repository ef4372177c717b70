#include "core/file_io.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/error.h"

namespace lc {
namespace fs = std::filesystem;
namespace {

// needed: bytes that the file was to have in all, as far as is known; 0: doesn't matter.
[[noreturn]] void cannot_write(const fs::path& path, const std::string& doing, int64_t needed = 0) {
  const int code = errno;
  if (code == ENOSPC || code == EDQUOT || code == EFBIG) {
    throw Error(
        ErrorKind::kRuntime, path.string(),
        doing + " failed: " + std::strerror(code) +
            (needed > 0 ? " (" + std::to_string(needed) + " bytes or more are needed)" : ""),
        "free some space and run again; what was there before is untouched");
  }
  if (code == ENAMETOOLONG) {
    throw Error(ErrorKind::kUsage, path.string(), doing + " failed: " + std::strerror(code),
                "choose a shorter one");
  }
  throw Error(ErrorKind::kRuntime, path.string(), doing + " failed: " + std::strerror(code),
              "check the folder and its permissions");
}

[[noreturn]] void cannot_read(const fs::path& path, const std::string& why) {
  throw Error(ErrorKind::kData, path.string(), "can't be read: " + why,
              "check the path and its permissions");
}

// The file that writing to the path replaces.
fs::path replaced_by(const fs::path& path) {
  std::error_code unknown;
  const fs::file_type type = fs::status(path, unknown).type();
  if (type == fs::file_type::block || type == fs::file_type::character ||
      type == fs::file_type::fifo || type == fs::file_type::socket) {
    throw Error(ErrorKind::kUsage, path.string(), "is a device or a pipe, which can't be replaced",
                "name a file");
  }
  const fs::path target = fs::is_symlink(path, unknown) ? fs::canonical(path, unknown) : path;
  return target.empty() ? path : target;
}

}  // namespace

AtomicFile::AtomicFile(fs::path path)
    : path_(replaced_by(path)), temporary_(path_.string() + ".tmp" + std::to_string(getpid())) {
  std::error_code ignored;
  if (path_.has_parent_path()) fs::create_directories(path_.parent_path(), ignored);
  file_ = std::fopen(temporary_.c_str(), "wb");
  if (file_ == nullptr) cannot_write(path_, "creating the file");
}

AtomicFile::~AtomicFile() {
  if (file_ != nullptr) std::fclose(file_);
  if (!temporary_.empty()) {
    std::error_code ignored;
    fs::remove(temporary_, ignored);
  }
}

void AtomicFile::write(const void* data, size_t bytes) {
  const int64_t end = position_ + static_cast<int64_t>(bytes);
  if (bytes > 0 && std::fwrite(data, 1, bytes, file_) != bytes) cannot_write(path_, "writing", end);
  position_ = end;
}

void AtomicFile::write_at(int64_t offset, const void* data, size_t bytes) {
  LC_CHECK(offset + static_cast<int64_t>(bytes) <= position_);
  if (std::fseek(file_, static_cast<long>(offset), SEEK_SET) != 0 ||
      std::fwrite(data, 1, bytes, file_) != bytes || std::fseek(file_, 0, SEEK_END) != 0) {
    cannot_write(path_, "writing");
  }
}

void AtomicFile::commit() {
  if (std::fflush(file_) != 0 || fsync(fileno(file_)) != 0) {
    cannot_write(path_, "writing", position_);
  }
  const int closed = std::fclose(std::exchange(file_, nullptr));
  if (closed != 0) cannot_write(path_, "writing", position_);
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) cannot_write(path_, "renaming");
  temporary_.clear();
  sync_folder(path_.has_parent_path() ? path_.parent_path() : fs::path("."));
}

void write_file_atomically(const fs::path& path, std::string_view content) {
  AtomicFile file(path);
  file.write(content);
  file.commit();
}

std::string read_file(const fs::path& path) {
  const MappedFile file(path);
  return std::string(file.bytes());
}

void sync_folder(const fs::path& folder) {
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY);
  if (descriptor < 0) cannot_write(folder, "opening the folder");
  const int result = fsync(descriptor);
  close(descriptor);
  if (result != 0 && errno != EINVAL) cannot_write(folder, "syncing the folder");
}

MappedFile::MappedFile(const fs::path& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) cannot_read(path, std::strerror(errno));
  struct stat info {};
  if (fstat(descriptor, &info) != 0 || S_ISDIR(info.st_mode)) {
    close(descriptor);
    cannot_read(path, "it is no file");
  }
  size_ = static_cast<size_t>(info.st_size);
  if (size_ > 0) {
    void* data = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
    const int code = errno;
    close(descriptor);
    if (data == MAP_FAILED) cannot_read(path, std::strerror(code));
    data_ = static_cast<const char*>(data);
  } else {
    close(descriptor);
  }
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) munmap(const_cast<char*>(data_), size_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  LC_CHECK(context_ != nullptr);
  LC_CHECK(EVP_DigestInit_ex(static_cast<EVP_MD_CTX*>(context_), EVP_sha256(), nullptr) == 1);
}

Sha256::~Sha256() { EVP_MD_CTX_free(static_cast<EVP_MD_CTX*>(context_)); }

void Sha256::update(const void* data, size_t bytes) {
  LC_CHECK(EVP_DigestUpdate(static_cast<EVP_MD_CTX*>(context_), data, bytes) == 1);
}

std::string Sha256::hex() {
  unsigned char digest[32];
  LC_CHECK(EVP_DigestFinal_ex(static_cast<EVP_MD_CTX*>(context_), digest, nullptr) == 1);
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : digest) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::string sha256_of(std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.hex();
}

std::string sha256_of_file(const fs::path& path) { return sha256_of(MappedFile(path).bytes()); }

}  // namespace lc
