// PG-19 (Rae et al. 2020): books of before 1919, one file a book, in the folders train, validation
// and test; metadata.csv (id, title, year, link) names them. Books without those folders, files
// whose names are numbers, are a text to be cut.
#include <algorithm>
#include <charconv>

#include "core/error.h"
#include "core/log.h"
#include "core/utf8_check.h"
#include "data/corpora/locate.h"

namespace lc {
namespace {

std::string read_all(const InputFile& file) {
  const auto stream = open_input(file);
  std::string content;
  std::string buffer(size_t{1} << 16, '\0');
  for (size_t count = 0; (count = stream->read(buffer.data(), buffer.size())) > 0;) {
    content.append(buffer, 0, count);
  }
  return content;
}

int64_t number_of(const std::string& id) {
  int64_t number = 0;
  std::from_chars(id.data(), id.data() + id.size(), number);
  return number;
}

// The fields of a line; one that stands in double quotes may hold commas, and quotes twice.
std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const bool quote = line[i] == '"';
    if (quote && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += line[++i];
    } else if (quote && (quoted || fields.back().empty())) {
      quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += line[i];
    }
  }
  return fields;
}

// {id, title, year} of each line (id, title, year, link), by id; a year that is no number is null.
std::map<std::string, nlohmann::json> books_by_id(std::string_view csv) {
  std::map<std::string, nlohmann::json> books;
  while (!csv.empty()) {
    std::string_view line = csv.substr(0, csv.find('\n'));
    csv.remove_prefix(std::min(csv.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::vector<std::string> fields = fields_of(line);
    if (fields.size() < 2) continue;
    nlohmann::json book{{"id", fields[0]}, {"title", fields[1]}, {"year", nullptr}};
    const int64_t year = fields.size() < 3 ? 0 : number_of(fields[2]);
    if (year != 0) book["year"] = year;
    books.emplace(fields[0], std::move(book));
  }
  return books;
}

std::map<std::string, nlohmann::json> read_metadata(const InputFile& file) {
  const std::string content = read_all(file);
  Utf8Check check;
  if (check.add(content) && check.end()) return books_by_id(content);
  throw Error(ErrorKind::kData, file.shown(),
              "isn't UTF-8, from byte " + std::to_string(check.fault_byte()) + " on",
              "fetch the file again, or leave it out: books then have no titles and years");
}

constexpr const char* kUnsplit = "all";

std::string split_of(const std::string& folder) {
  if (folder == "train" || folder == "test" || folder == "valid") return folder;
  return folder == "validation" ? "valid" : kUnsplit;
}

bool is_number(const std::string& text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// What lies beside the splits belongs to none of them, and a split isn't cut into others.
void settle_unsplit(const std::filesystem::path& path, FilesBySplit& books) {
  const auto unsplit = books.find(kUnsplit);
  if (unsplit == books.end()) return;
  const std::string folder = std::filesystem::absolute(path / "").parent_path().filename().string();
  if (split_of(folder) != kUnsplit) {
    throw Error(ErrorKind::kUsage, path.string(), "is one of the published splits",
                "name the folder above it in data.path, or its books in data.train, data.valid "
                "and data.test");
  }
  if (books.size() == 1) return;
  log_warning(path.string() + ": " + std::to_string(unsplit->second.size()) +
              " books beside the splits are left out");
  books.erase(unsplit);
}

FilesBySplit locate_books(const std::filesystem::path& path) {
  FilesBySplit books;
  std::map<std::string, nlohmann::json> known;
  for (InputFile& file : list_inputs(path)) {
    const std::string name = file_name_of(file);
    if (name == "metadata.csv") known = read_metadata(file);
    if (!name.ends_with(".txt")) continue;
    const std::string split = split_of(folder_name_of(file));
    file.name = name.substr(0, name.size() - 4);
    if (split == kUnsplit && !is_number(file.name)) continue;  // a README.txt or the like
    books[split].push_back(std::move(file));
  }
  settle_unsplit(path, books);
  if (books.empty()) {
    throw Error(ErrorKind::kData, path.string(), "holds no books: no files such as 10018.txt",
                "name the folder of PG-19 in data.path, or the books in data.train, data.valid and "
                "data.test");
  }
  if (known.empty()) {
    log_warning(path.string() + ": no metadata.csv, so books have no titles and years");
  }
  for (auto& [split, files] : books) {
    std::stable_sort(files.begin(), files.end(), [](const InputFile& a, const InputFile& b) {
      return number_of(a.name) < number_of(b.name);
    });
    for (InputFile& file : files) {
      const auto book = known.find(file.name);
      if (book == known.end()) continue;
      file.about = book->second;
      file.name += ": " + book->second.at("title").get<std::string>();
    }
  }
  return books;
}

// The checksums are made of those of all books (scripts/data/pg19_files.tsv.gz), by number. Words
// are those of the paper; how they were counted isn't known.
OfficialCorpus official_books() {
  OfficialCorpus official;
  official.texts["train"] = {
      {.name = "28,602 books",
       .sha256 = "1bc21714df0c5d8f99cff479fee611b176fe42952167f3849ffc24b6f9c7d0b8"}};
  official.texts["valid"] = {
      {.name = "50 books",
       .sha256 = "36b9076642c3d887ece164fe3a9ed56740976efd69b3cb914c9d5f88685e0bea"}};
  official.texts["test"] = {
      {.name = "100 books",
       .sha256 = "73fcb1a137e73938c173afae6939d36cfcbace3fcc0b6b0fcfb68f059e4a6426"}};
  official.splits["train"] = {.documents = 28'602, .published_words = 1'973'136'207};
  official.splits["valid"] = {.documents = 50, .published_words = 3'007'061};
  official.splits["test"] = {.documents = 100, .published_words = 6'966'499};
  return official;
}

}  // namespace

CorpusKind pg19_corpus() {
  CorpusKind kind;
  kind.name = "pg19";
  kind.says = "a folder of books with metadata.csv, in train, validation and test or unsplit";
  kind.locate = locate_books;
  kind.newlines_to_lf = true;
  static const OfficialCorpus official = official_books();
  kind.official = &official;
  return kind;
}

}  // namespace lc
