// PG-19 (Rae et al. 2020): books of before 1919, one file a book, in the folders train, validation
// and test; metadata.csv (id, title, year, link) names them.
#include <algorithm>
#include <charconv>

#include "core/error.h"
#include "core/log.h"
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

// The first two fields of each line: id and title, which may stand in double quotes.
std::map<std::string, std::string> titles_by_id(std::string_view csv) {
  std::map<std::string, std::string> titles;
  while (!csv.empty()) {
    const std::string_view line = csv.substr(0, csv.find('\n'));
    csv.remove_prefix(std::min(csv.size(), line.size() + 1));
    const size_t comma = line.find(',');
    if (comma == std::string_view::npos) continue;
    std::string_view rest = line.substr(comma + 1);
    const bool quoted = rest.starts_with('"');
    if (quoted) rest.remove_prefix(1);
    std::string title;
    for (size_t i = 0; i < rest.size(); ++i) {
      if (quoted && rest[i] == '"' && i + 1 < rest.size() && rest[i + 1] == '"') {
        ++i;
      } else if (rest[i] == (quoted ? '"' : ',')) {
        break;
      }
      title += rest[i];
    }
    titles.emplace(line.substr(0, comma), title);
  }
  return titles;
}

int64_t number_of(const std::string& id) {
  int64_t number = 0;
  std::from_chars(id.data(), id.data() + id.size(), number);
  return number;
}

std::string split_of(const InputFile& file) {
  const std::string folder = folder_name_of(file);
  if (folder == "train" || folder == "test" || folder == "valid") return folder;
  return folder == "validation" ? "valid" : "";
}

FilesBySplit locate_books(const std::filesystem::path& path) {
  FilesBySplit books;
  std::map<std::string, std::string> titles;
  for (InputFile& file : list_inputs(path)) {
    const std::string name = file_name_of(file);
    if (name == "metadata.csv") titles = titles_by_id(read_all(file));
    if (!name.ends_with(".txt") || split_of(file).empty()) continue;
    const std::string split = split_of(file);
    file.name = name.substr(0, name.size() - 4);
    books[split].push_back(std::move(file));
  }
  if (books.empty()) {
    throw Error(ErrorKind::kData, path.string(),
                "holds no books: no .txt files in folders train, validation and test",
                "name the folder of PG-19 in data.path, or the books in data.train, data.valid and "
                "data.test");
  }
  if (titles.empty()) log_warning(path.string() + ": no metadata.csv, so books have no titles");
  for (auto& [split, files] : books) {
    std::stable_sort(files.begin(), files.end(), [](const InputFile& a, const InputFile& b) {
      return number_of(a.name) < number_of(b.name);
    });
    for (InputFile& file : files) {
      const auto title = titles.find(file.name);
      if (title != titles.end()) file.name += ": " + title->second;
    }
  }
  return books;
}

std::optional<bool> official_books(const std::string& split, const TextCounts& /*counts*/,
                             int64_t documents) {
  return documents == (split == "train" ? 28'602 : split == "valid" ? 50 : 100);
}

std::optional<int64_t> official_words(const std::string& split) {
  return split == "train" ? 1'973'136'207 : split == "valid" ? 3'007'061 : 6'966'499;
}

}  // namespace

CorpusKind pg19_corpus() {
  CorpusKind kind;
  kind.name = "pg19";
  kind.says = "a folder of books with metadata.csv, in train, validation and test";
  kind.locate = locate_books;
  kind.newlines_to_lf = true;
  kind.official = official_books;
  kind.official_words = official_words;
  return kind;
}

}  // namespace lc
