#include <zip.h>
#include <zlib.h>

#include <fstream>

#include "catch.h"
#include "core/utf8_check.h"
#include "data/corpora/document_splitter.h"
#include "data/data_fixture.h"
#include "real_data.h"

namespace {

struct Collector : lc::DocumentSink {
  std::vector<std::pair<std::string, std::string>> documents;
  void begin_document(const std::string& name) override { documents.emplace_back(name, ""); }
  void text(std::string_view piece) override { documents.back().second += piece; }
  void end_document() override {}
};

using Documents = std::vector<std::pair<std::string, std::string>>;

Documents split(lc::DocumentRule rule, std::string_view text, size_t piece) {
  Collector sink;
  const auto splitter = lc::make_splitter(rule, "file", sink);
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) {
    splitter->add(text.substr(0, piece));
  }
  splitter->end();
  return sink.documents;
}

std::string text_of(const lc::PreparedData& data, const std::string& name) {
  return data.tokenizer->decode(all_ids(data.splits.at(name)));
}

void write_gzip(const std::filesystem::path& path, const std::string& content) {
  const gzFile file = gzopen(path.c_str(), "wb");
  REQUIRE(gzwrite(file, content.data(), static_cast<unsigned>(content.size())) ==
          static_cast<int>(content.size()));
  REQUIRE(gzclose(file) == Z_OK);
}

void write_zip(const std::filesystem::path& path,
               const std::vector<std::pair<std::string, std::string>>& members) {
  int error = 0;
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &error);
  REQUIRE(archive != nullptr);
  for (const auto& [name, content] : members) {
    zip_source_t* source = zip_source_buffer(archive, content.data(), content.size(), 0);
    REQUIRE(zip_file_add(archive, name.c_str(), source, ZIP_FL_ENC_UTF_8) >= 0);
  }
  REQUIRE(zip_close(archive) == 0);
}

}  // namespace

TEST_CASE("WikiText articles begin at headings between blank lines, wherever pieces are cut") {
  const std::string first =
      " \n = One = \n \n text = \n = Not one = \n more \n \n = = Part = = \n \n";
  const std::string second = " = Two = of = \n\n a \n \n = Three \n \n";
  for (const size_t piece : {1, 2, 3, 17, 1000}) {
    CHECK(split(lc::DocumentRule::kWikiArticle, first + second, piece) ==
          Documents{{"One", first}, {"Two = of", second}});
  }
  const std::string long_line = "\n" + std::string(10'000, 'x') + "\n\n = A = \n\n";
  CHECK(split(lc::DocumentRule::kWikiArticle, long_line, 7).size() == 2);
  CHECK(split(lc::DocumentRule::kWikiArticle, "\n\n", 1) == Documents{{"file", "\n\n"}});
  CHECK(split(lc::DocumentRule::kWikiArticle, "\n = A = ", 1) == Documents{{"file", "\n = A = "}});
}

TEST_CASE("records are lines without their ends; empty ones are none") {
  for (const size_t piece : {1, 2, 100}) {
    CHECK(split(lc::DocumentRule::kLine, "a b\n\nc\rd\r\ne", piece) ==
          Documents{{"file:1", "a b"}, {"file:3", "c\rd"}, {"file:4", "e"}});
  }
}

TEST_CASE("records tell which line of their file they are, in each file from 1 on") {
  struct Lines : lc::DocumentSink {
    std::vector<int64_t> lines;
    void begin_document(const std::string&) override { lines.push_back(0); }
    void begin_line(const std::string&, int64_t line) override { lines.push_back(line); }
    void text(std::string_view) override {}
    void end_document() override {}
  } sink;
  for (const std::string_view text : {"\na\r\n\r\nb\n\n", "c\nd"}) {
    const auto splitter = lc::make_splitter(lc::DocumentRule::kLine, "file", sink);
    splitter->add(text);
    splitter->end();
  }
  CHECK(sink.lines == std::vector<int64_t>{2, 4, 1, 2});
}

TEST_CASE("UTF-8 is checked as RFC 3629 says, with the place of the fault") {
  const auto fault = [](std::string_view text) -> int64_t {
    lc::Utf8Check check;
    for (size_t i = 0; i < text.size(); ++i) {
      if (!check.add(text.substr(i, 1))) return check.fault_byte();
    }
    return check.end() ? -1 : check.fault_byte();
  };
  CHECK(fault("a\xC2\x80\xDF\xBF\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xF0\x90\x80\x80\xF4\x8F\xBF"
              "\xBF") == -1);
  CHECK(fault("ab\x80") == 2);
  CHECK(fault("ab\xC1\x80") == 2);         // overlong
  CHECK(fault("a\xE0\x9F\x80") == 1);      // overlong
  CHECK(fault("a\xED\xA0\x80") == 1);      // surrogate
  CHECK(fault("a\xF0\x8F\x80\x80") == 1);  // overlong
  CHECK(fault("a\xF4\x90\x80\x80") == 1);  // past U+10FFFF
  CHECK(fault("\xF5\x80\x80\x80") == 0);
  CHECK(fault("abc\xE4\xB8") == 3);  // cut short
}

TEST_CASE("enwik8 and text8 are cut 90/5/5 by bytes, and say that another size isn't official") {
  const DataFixture folder;
  std::string content;
  for (int i = 0; i < 1000; ++i) content += static_cast<char>('a' + i % 26);
  const auto path = folder.write("enwik8", content).string();
  for (const char* corpus : {"enwik8", "text8"}) {
    const auto data = folder.prepare({std::string("corpus=") + corpus, "path=" + path});
    CHECK(text_of(data, "train") == content.substr(0, 900));
    CHECK(text_of(data, "valid") == content.substr(900, 50));
    CHECK(text_of(data, "test") == content.substr(950));
    CHECK(data.splits.at("test").header().at("official") == false);
  }
  const auto other =
      folder.prepare({"corpus=enwik8", "path=" + path, "valid_fraction=0.2", "test_fraction=0"});
  CHECK(text_of(other, "valid") == content.substr(800));
  CHECK_FALSE(other.splits.contains("test"));
}

TEST_CASE("a folder of texts is split by documents, none lost, each split with one at least") {
  const DataFixture folder;
  std::string all;
  for (int i = 0; i < 20; ++i) {
    const std::string content = "work " + std::to_string(i) + " " + std::string(90, 'x') + "\n";
    folder.write("works/" + std::string(1, static_cast<char>('a' + i)) + ".txt", content);
    all += content;
  }
  folder.write("works/.hidden", "no");
  const auto path = folder.path("works");
  const auto data = folder.prepare({"path=" + path.string()});
  CHECK(text_of(data, "train") + text_of(data, "valid") + text_of(data, "test") == all);
  CHECK(data.splits.at("train").documents().size() == 18);
  CHECK(data.splits.at("valid").documents().size() == 1);
  CHECK(data.splits.at("test").documents().at(0).name == "t.txt");
  const auto same = folder.prepare({"path=" + (path / "*.txt").string()});
  CHECK(text_of(same, "train") == text_of(data, "train"));
  const auto few = folder.prepare({"path=" + (path / "[abc].txt").string()});
  for (const char* name : {"train", "valid", "test"}) {
    CHECK(few.splits.at(name).documents().size() == 1);
  }
}

TEST_CASE("one long text is cut at line ends") {
  const DataFixture folder;
  std::string content;
  for (int i = 0; i < 100; ++i) content += "line " + std::to_string(i) + "\n";
  const auto data = folder.prepare({"path=" + folder.write("t", content).string()});
  CHECK(text_of(data, "train") + text_of(data, "valid") + text_of(data, "test") == content);
  CHECK(text_of(data, "train").back() == '\n');
  CHECK(text_of(data, "valid").starts_with("line"));
}

TEST_CASE("gzip and zip inputs give what the plain files give") {
  const DataFixture folder;
  std::string content;
  for (int i = 0; i < 50'000; ++i) content += std::to_string(i * 7919 % 1000) + "\n";
  folder.write("plain/a.txt", content);
  folder.write("plain/b.txt", "second\n");
  const auto plain = folder.prepare({"train=" + folder.path("plain").string()});
  write_gzip(folder.path("a.txt.gz"), content);
  const auto gz = folder.prepare({"train=" + folder.path("a.txt.gz").string()});
  CHECK(text_of(gz, "train") == content);
  CHECK(gz.splits.at("train").documents().at(0).name == "a.txt");
  write_zip(folder.path("z.zip"), {{"b.txt", "second\n"}, {"a.txt", content}});
  const auto zip = folder.prepare({"train=" + folder.path("z.zip").string()});
  CHECK(text_of(zip, "train") == text_of(plain, "train"));
  CHECK(zip.cached);  // the same names and contents, so nothing had to be made

  const std::string packed = lc::read_file(folder.path("a.txt.gz"));
  const auto cut = folder.write("cut.gz", packed.substr(0, packed.size() / 2)).string();
  const auto no_zip = folder.write("no.zip", "nothing").string();
  for (const auto& [path, message] :
       {std::pair(cut, "cut short"), {no_zip, "no readable zip archive"}}) {
    const DataFixture::Fault fault = folder.fault({"train=" + path});
    INFO(fault.message);
    CHECK(fault.kind == lc::ErrorKind::kData);
    CHECK(fault.message.find(message) != std::string::npos);
  }
}

TEST_CASE("PG-19: CR LF becomes LF, titles come from metadata.csv, books go by number") {
  const DataFixture folder;
  folder.write("pg/metadata.csv", "9,\"A \"\"B\"\", C\",1900,http://x\n10,Plain,1901,http://y\n");
  folder.write("pg/train/10.txt", "one\r\ntwo\rthree\n");
  folder.write("pg/train/9.txt", "nine");
  folder.write("pg/validation/11.txt", "eleven \xC3\xA9\r\n");
  const auto data = folder.prepare({"corpus=pg19", "path=" + folder.path("pg").string()});
  CHECK(text_of(data, "train") == "nineone\ntwo\nthree\n");
  const auto& books = data.splits.at("train").documents();
  CHECK(books.at(0).name == "9: A \"B\", C");
  CHECK(books.at(1).name == "10: Plain");
  CHECK(books.at(1).bytes == 14);
  CHECK(books.at(1).words == 3);
  const lc::TokenFile& train = data.splits.at("train");
  CHECK(train.about(books.at(0)) ==
        nlohmann::json{{"id", "9"}, {"title", "A \"B\", C"}, {"year", 1900}});
  CHECK(train.about(books.at(1)).at("year") == 1901);
  CHECK(data.splits.at("valid").about(data.splits.at("valid").documents().at(0)).is_null());
  const auto& valid = data.splits.at("valid").documents().at(0);
  CHECK(valid.bytes == 10);
  CHECK(valid.characters == 9);
  CHECK(valid.words == 2);
}

TEST_CASE(
    "PG-19: another year in metadata.csv is another text; a file that isn't UTF-8 is refused") {
  const DataFixture folder;
  const std::vector<std::string> settings = {"corpus=pg19", "path=" + folder.path("pg").string()};
  const auto year_with = [&](const std::string& metadata) {
    folder.write("pg/metadata.csv", metadata);
    const lc::TokenFile train = folder.prepare(settings).splits.at("train");
    return train.about(train.documents().at(0)).at("year");
  };
  folder.write("pg/train/10.txt", "ten");
  CHECK(year_with("10,Plain,1901,http://y\n") == 1901);
  CHECK(year_with("10,Plain,1902,http://y\r\n") == 1902);
  CHECK(year_with("10,Plain\n").is_null());
  folder.write("pg/metadata.csv", "10,Pla\xE9n,1901,http://y\n");
  const DataFixture::Fault fault = folder.fault(settings);
  CHECK(fault.kind == lc::ErrorKind::kData);
  CHECK(fault.message.find("isn't UTF-8, from byte 6 on") != std::string::npos);
}

TEST_CASE("PG-19 takes the books of each split as they are named") {
  const DataFixture folder;
  const auto late = folder.write("books/10.txt", "one\r\ntwo\rthree\n").string();
  const auto early = folder.write("books/9.txt", "nine").string();
  const auto other = folder.write("books/11.txt", "eleven\r\n").string();
  const auto data = folder.prepare({"corpus=pg19", "train=[\"" + late + "\", \"" + early + "\"]",
                                    "valid=" + other, "test=" + folder.path("books").string()});
  CHECK(text_of(data, "train") == "one\ntwo\nthree\nnine");
  CHECK(text_of(data, "valid") == "eleven\n");
  CHECK(text_of(data, "test") == "one\ntwo\nthree\neleven\nnine");
  const auto& books = data.splits.at("train").documents();
  REQUIRE(books.size() == 2);
  CHECK(books.at(0).name == "10.txt");
  CHECK(books.at(0).bytes == 14);
  CHECK(books.at(1).words == 1);
  CHECK(data.splits.at("test").documents().size() == 3);
  CHECK(data.splits.at("train").header().at("official") == false);
}

TEST_CASE("WikiText in one file is cut by fractions, at articles") {
  const DataFixture folder;
  std::vector<std::string> articles;
  for (int i = 0; i < 10; ++i) {
    const std::string number = std::to_string(i);
    articles.push_back(" = Article " + number + " = \n \n" + std::string(80, 'x') + " \n \n");
  }
  articles.front().insert(0, " \n");
  const auto joined = [&](size_t first, size_t past) {
    std::string text;
    for (size_t i = first; i < past; ++i) text += articles[i];
    return text;
  };
  const auto path = folder.write("some_articles.txt", joined(0, 10)).string();
  const auto data = folder.prepare(
      {"corpus=wikitext103", "path=" + path, "valid_fraction=0.2", "test_fraction=0.3"});
  CHECK(text_of(data, "train") == joined(0, 5));
  CHECK(text_of(data, "valid") == joined(5, 7));
  CHECK(text_of(data, "test") == joined(7, 10));
  CHECK(data.splits.at("train").documents().size() == 5);
  CHECK(data.splits.at("test").documents().at(0).name == "Article 7");
  // Five words, and one more for each of the four line ends.
  CHECK(data.splits.at("valid").documents().at(0).words == 9);
  CHECK(data.splits.at("valid").header().at("official") == false);
}

TEST_CASE("PG-19 in one folder is cut by fractions, at books; what comes with splits is not") {
  const DataFixture folder;
  std::string metadata;
  for (int i = 1; i <= 10; ++i) {
    const std::string id = std::to_string(i);
    folder.write("pg/" + id + ".txt", "book\r\n" + std::string(94, 'x') + "\n");
    metadata.append(id).append(",Book ").append(id).append(",1900,http://x\n");
  }
  folder.write("pg/metadata.csv", metadata);
  folder.write("pg/LICENSE.txt", "no book");
  std::vector<std::string> settings = {"corpus=pg19", "path=" + folder.path("pg").string(),
                                       "valid_fraction=0.2", "test_fraction=0.3"};
  const auto data = folder.prepare(settings);
  CHECK(data.splits.at("train").documents().size() == 5);
  CHECK(data.splits.at("valid").documents().size() == 2);
  CHECK(data.splits.at("test").documents().size() == 3);
  CHECK(data.splits.at("train").documents().at(1).name == "2: Book 2");
  CHECK(data.splits.at("test").documents().at(2).name == "10: Book 10");
  CHECK(data.splits.at("test").about(data.splits.at("test").documents().at(0)).at("id") == "8");
  CHECK(text_of(data, "valid") ==
        "book\n" + std::string(94, 'x') + "\nbook\n" + std::string(94, 'x') + "\n");
  CHECK(data.splits.at("test").header().at("official") == false);

  // A folder of splits is taken by its splits, whatever lies beside them.
  folder.write("pg/train/11.txt", "eleven");
  folder.write("pg/test/12.txt", "twelve");
  const DataFixture::Fault fault = folder.fault(settings);
  CHECK(fault.kind == lc::ErrorKind::kUsage);
  CHECK(fault.message.find("comes with its splits") != std::string::npos);
  settings.resize(2);
  const auto by_folders = folder.prepare(settings);
  CHECK(text_of(by_folders, "train") == "eleven");
  CHECK(text_of(by_folders, "test") == "twelve");
  CHECK_FALSE(by_folders.splits.contains("valid"));

  // A split is not cut into others, and a folder without books has none.
  settings.back() = "path=" + folder.path("pg/test").string();
  const DataFixture::Fault split = folder.fault(settings);
  CHECK(split.kind == lc::ErrorKind::kUsage);
  CHECK(split.message.find("one of the published splits") != std::string::npos);
  folder.write("none/README.txt", "no book");
  settings.back() = "path=" + folder.path("none").string();
  const DataFixture::Fault none = folder.fault(settings);
  CHECK(none.kind == lc::ErrorKind::kData);
  CHECK(none.message.find("holds no books") != std::string::npos);
}

TEST_CASE("the real WikiText has the published counts under every tokenizer") {
  const auto tokens = real_data("wikitext-103");
  const auto raw = real_data("wikitext-raw");
  if (!tokens || !raw) return;
  const DataFixture folder;
  for (const auto& [path, type] : {std::pair(*tokens, "byte"), {*raw, "byte"}}) {
    const auto data = folder.prepare(
        {"corpus=wikitext103", "path=" + path.string(), std::string("tokenizer.type=") + type});
    CHECK(data.splits.at("test").header().at("counts").at("words") == 245'569);
    CHECK(data.splits.at("valid").header().at("counts").at("words") == 217'646);
    CHECK(data.splits.at("test").header().at("official") == true);
    CHECK(data.splits.at("test").documents().size() == 60);
    CHECK(data.splits.at("valid").documents().size() == 60);
  }
  const auto valid = (*tokens / "wiki.valid.tokens").string();
  const auto test = (*tokens / "wiki.test.tokens").string();
  const auto words = folder.prepare({"corpus=wikitext103", "train=" + valid, "valid=" + test,
                                     "tokenizer.type=word", "tokenizer.unknown=unk"});
  CHECK(words.splits.at("train").size() == 217'646);
  CHECK(words.splits.at("valid").size() == 245'569);
  CHECK(words.tokenizer->vocab_size() == 18'891);  // 18,890 types and <eos>
}

TEST_CASE("real PG-19 books have the published words, and their line ends are LF") {
  const auto path = real_data("pg19");
  if (!path) return;
  const DataFixture folder;
  const auto data = folder.prepare({"corpus=pg19", "path=" + path->string()});
  CHECK(data.splits.at("test").header().at("counts").at("words") == 719'039);
  CHECK(data.splits.at("valid").header().at("counts").at("words") == 259'466);
  CHECK(data.splits.at("train").header().at("counts").at("words") == 1'296'041);
  CHECK(data.splits.at("train").documents().size() == 20);
  const auto& book = data.splits.at("test").documents().at(0);
  CHECK(book.name == "860: Baby Mine by Margaret Mayo");
  CHECK(data.splits.at("test").about(book).at("year") == 1910);
  CHECK(text_of(data, "valid").find('\r') == std::string::npos);
}
