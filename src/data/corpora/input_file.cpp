#include "data/corpora/input_file.h"

#include <glob.h>
#include <zip.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "core/error.h"

namespace lc {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void cannot_read(const InputFile& file, const std::string& why) {
  throw Error(ErrorKind::kData, file.shown(), "can't be read: " + why,
              "check the file, or fetch it again");
}

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && text.ends_with(end);
}

std::string without_gz(std::string name) {
  if (ends_with(name, ".gz")) name.resize(name.size() - 3);
  return name;
}

class PlainStream : public ByteStream {
 public:
  explicit PlainStream(const InputFile& file) : file_(file) {
    stream_ = std::fopen(file.path.c_str(), "rb");
    if (stream_ == nullptr) cannot_read(file, std::strerror(errno));
  }
  ~PlainStream() override { std::fclose(stream_); }
  size_t read(char* out, size_t capacity) override {
    const size_t count = std::fread(out, 1, capacity, stream_);
    if (count < capacity && std::ferror(stream_) != 0) cannot_read(file_, std::strerror(errno));
    return count;
  }

 private:
  InputFile file_;
  std::FILE* stream_;
};

class GzipStream : public ByteStream {
 public:
  explicit GzipStream(const InputFile& file) : file_(file) {
    stream_ = gzopen(file.path.c_str(), "rb");
    if (stream_ == nullptr) cannot_read(file, std::strerror(errno));
    gzbuffer(stream_, 1U << 17);
  }
  ~GzipStream() override { gzclose(stream_); }
  size_t read(char* out, size_t capacity) override {
    const int count = gzread(stream_, out, static_cast<unsigned>(capacity));
    int code = Z_OK;
    const char* message = gzerror(stream_, &code);
    if (count < 0 || (count == 0 && code == Z_BUF_ERROR)) {
      cannot_read(file_, std::string("its gzip data are damaged or cut short (") + message + ")");
    }
    return static_cast<size_t>(count);
  }

 private:
  InputFile file_;
  gzFile stream_;
};

class ZipArchive {
 public:
  explicit ZipArchive(const fs::path& path) {
    int code = 0;
    archive_ = zip_open(path.c_str(), ZIP_RDONLY, &code);
    if (archive_ == nullptr) {
      zip_error_t error;
      zip_error_init_with_code(&error, code);
      const std::string why = zip_error_strerror(&error);
      zip_error_fini(&error);
      cannot_read({path, "", ""}, "it is no readable zip archive (" + why + ")");
    }
  }
  ~ZipArchive() { zip_discard(archive_); }
  ZipArchive(const ZipArchive&) = delete;
  ZipArchive& operator=(const ZipArchive&) = delete;
  zip_t* get() const { return archive_; }

 private:
  zip_t* archive_;
};

class ZipStream : public ByteStream {
 public:
  explicit ZipStream(const InputFile& file) : file_(file), archive_(file.path) {
    stream_ = zip_fopen(archive_.get(), file.member.c_str(), 0);
    if (stream_ == nullptr) cannot_read(file, zip_strerror(archive_.get()));
  }
  ~ZipStream() override { zip_fclose(stream_); }
  size_t read(char* out, size_t capacity) override {
    const zip_int64_t count = zip_fread(stream_, out, capacity);
    if (count < 0) {
      cannot_read(file_, std::string("its zip data are damaged (") +
                             zip_error_strerror(zip_file_get_error(stream_)) + ")");
    }
    return static_cast<size_t>(count);
  }

 private:
  InputFile file_;
  ZipArchive archive_;
  zip_file_t* stream_;
};

bool hidden(const fs::path& relative) {
  return std::any_of(relative.begin(), relative.end(), [](const fs::path& part) {
    return part.string().starts_with(".") || part == "__MACOSX";
  });
}

void sort_by_name(std::vector<InputFile>& files) {
  std::sort(files.begin(), files.end(),
            [](const InputFile& a, const InputFile& b) { return a.name < b.name; });
}

std::vector<InputFile> archive_members(const fs::path& path) {
  const ZipArchive archive(path);
  std::vector<InputFile> files;
  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const char* name = zip_get_name(archive.get(), static_cast<zip_uint64_t>(i), 0);
    if (name == nullptr) cannot_read({path, "", ""}, "a name in the archive can't be read");
    const std::string member = name;
    if (!member.ends_with("/") && !hidden(member)) files.push_back({path, member, member});
  }
  return files;
}

std::vector<InputFile> folder_files(const fs::path& folder) {
  std::vector<InputFile> files;
  try {
    for (const auto& entry : fs::recursive_directory_iterator(
             folder, fs::directory_options::follow_directory_symlink)) {
      const fs::path relative = entry.path().lexically_relative(folder);
      if (!entry.is_regular_file() || hidden(relative)) continue;
      files.push_back({entry.path(), "", without_gz(relative.generic_string())});
    }
  } catch (const fs::filesystem_error& error) {
    cannot_read({folder, "", ""}, error.code().message());
  }
  return files;
}

}  // namespace

std::string InputFile::shown() const {
  return member.empty() ? path.string() : path.string() + ":" + member;
}

std::vector<InputFile> list_inputs(const fs::path& path) {
  std::error_code fault;
  const fs::file_status status = fs::status(path, fault);
  if (status.type() == fs::file_type::none) cannot_read({path, "", ""}, fault.message());
  if (!fs::exists(status)) {
    throw Error(ErrorKind::kData, path.string(), "doesn't exist",
                "check the path; relative ones are taken from the folder you are in, " +
                    fs::current_path().string());
  }
  std::vector<InputFile> files;
  if (fs::is_directory(status)) {
    files = folder_files(path);
  } else if (path.extension() == ".zip") {
    files = archive_members(path);
  } else {
    files.push_back({path, "", without_gz(path.filename().string())});
  }
  if (files.empty()) {
    throw Error(ErrorKind::kData, path.string(), "holds no files",
                "name a folder or archive that holds the texts");
  }
  sort_by_name(files);
  return files;
}

std::vector<InputFile> list_pattern(const std::string& pattern) {
  std::error_code unknown;
  if (fs::exists(pattern, unknown) || pattern.find_first_of("*?[") == std::string::npos) {
    return list_inputs(pattern);
  }
  glob_t found{};
  const int code = glob(pattern.c_str(), 0, nullptr, &found);
  std::vector<InputFile> files;
  for (size_t i = 0; code == 0 && i < found.gl_pathc; ++i) {
    for (InputFile& file : list_inputs(found.gl_pathv[i])) files.push_back(std::move(file));
  }
  globfree(&found);
  if (files.empty()) {
    throw Error(ErrorKind::kData, pattern, "matches no file",
                "check the pattern; relative ones are taken from the folder you are in, " +
                    fs::current_path().string());
  }
  return files;
}

std::unique_ptr<ByteStream> open_input(const InputFile& file) {
  if (file.make) return file.make();
  if (!file.member.empty()) return std::make_unique<ZipStream>(file);
  if (ends_with(file.path.string(), ".gz")) return std::make_unique<GzipStream>(file);
  return std::make_unique<PlainStream>(file);
}

}  // namespace lc
