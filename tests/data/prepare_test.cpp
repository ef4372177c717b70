#include "catch.h"
#include "data/data_fixture.h"
#include "data/token_file_writer.h"

namespace {

using lc::ErrorKind;

// That there is a fault of that kind, and what its message says.
bool is_fault(const DataFixture::Fault& fault, ErrorKind kind,
              std::initializer_list<const char*> parts) {
  if (!fault.kind || *fault.kind != kind) {
    UNSCOPED_INFO((fault.kind ? "of another kind: " + fault.message : "no fault"));
    return false;
  }
  for (const char* part : parts) {
    if (fault.message.find(part) == std::string::npos) {
      UNSCOPED_INFO(fault.message << " lacks " << part);
      return false;
    }
  }
  return true;
}

}  // namespace

TEST_CASE("a config names its text by files, or by a corpus that makes its own") {
  const DataFixture folder;
  CHECK(!lc::names_text(folder.config({})));
  CHECK(!lc::names_text(folder.config({"corpus=enwik8", "valid=[]"})));
  CHECK(lc::names_text(folder.config({"path=t"})));
  CHECK(lc::names_text(folder.config({"test=t"})));
  CHECK(lc::names_text(folder.config({"corpus=passkey"})));
}

TEST_CASE("prepared texts are found again, and never when anything that matters changed") {
  const DataFixture folder;
  const auto text = folder.write("t", "a text\nof two lines\n").string();
  const auto first = folder.prepare({"train=" + text});
  CHECK_FALSE(first.cached);
  const auto second = folder.prepare({"train=" + text});
  CHECK(second.cached);
  CHECK(second.folder == first.folder);
  // The same size and, where the clock is coarse, the same time.
  folder.write("t", "A text\nof two lines\n");
  const auto changed = folder.prepare({"train=" + text});
  CHECK_FALSE(changed.cached);
  CHECK(changed.tokenizer->decode(all_ids(changed.splits.at("train"))).starts_with("A text"));
  folder.write("t", "a text\nof two lines\n");
  CHECK(folder.prepare({"train=" + text}).cached);
  CHECK_FALSE(folder.prepare({"train=" + text, "newlines=lf"}).cached);
  CHECK_FALSE(folder.prepare({"train=" + text, "tokenizer.type=word"}).cached);
  CHECK_FALSE(folder.prepare({"train=" + text, "corpus=enwik8"}).cached);
  CHECK_FALSE(folder.prepare({"valid=" + text}).cached);
  // What says how tokens are walked through makes no other tokens.
  CHECK(folder.prepare({"train=" + text, "boundaries=reset"}).cached);
}

TEST_CASE("a damaged file in the cache is made anew") {
  const DataFixture folder;
  const auto text = folder.write("t", "some words here\n").string();
  const std::vector<std::string> settings{"train=" + text, "tokenizer.type=word"};
  const auto first = folder.prepare(settings);
  for (const char* name : {"train.lctok", "tokenizer.lctokenizer"}) {
    const auto path = first.folder / name;
    const std::string good = lc::read_file(path);
    std::string bad = good;
    bad[good.size() / 2] = static_cast<char>(bad[good.size() / 2] ^ 1);
    for (const std::string& content : {bad, good.substr(0, good.size() - 3), std::string()}) {
      lc::write_file_atomically(path, content);
      const auto again = folder.prepare(settings);
      CHECK_FALSE(again.cached);
      CHECK(all_ids(again.splits.at("train")) == all_ids(first.splits.at("train")));
      CHECK(lc::read_file(path) == good);
    }
  }
}

TEST_CASE("another text is encoded with a tokenizer that exists, by files or by lines") {
  const DataFixture folder;
  const auto train = folder.write("train", "a b c\n").string();
  const auto config = folder.config({"train=" + train, "tokenizer.type=word"});
  const auto data = lc::prepare_data(config);
  const auto other = folder.write("other", "c b\n\na\n");
  const auto whole = lc::prepare_text(config, *data.tokenizer, other, lc::Records::kFiles);
  CHECK(data.tokenizer->decode(all_ids(whole)) == "c b \n\na \n");
  CHECK(whole.documents().size() == 1);
  const auto lines = lc::prepare_text(config, *data.tokenizer, other, lc::Records::kLines);
  REQUIRE(lines.documents().size() == 2);
  CHECK(lines.documents()[1].name == "other:3");
  CHECK(lines.documents()[1].tokens == 2);
  CHECK(lines.header().at("lines") == nlohmann::json({1, 3}));
  CHECK_FALSE(whole.header().contains("lines"));
  const auto full = lc::prepare_text(config, *data.tokenizer, folder.write("full", "a\nb\nc"),
                                     lc::Records::kLines);
  CHECK(full.documents().size() == 3);
  CHECK_FALSE(full.header().contains("lines"));  // each document is the line of its own number
  CHECK(lines.header().at("split") == "text");
  CHECK(lines.tokenizer_hash() == data.tokenizer->hash());
}

TEST_CASE("bad texts are refused in one sentence with place, value and remedy") {
  const DataFixture folder;
  const auto bad_text = [&](const std::vector<std::string>& settings,
                            std::initializer_list<const char*> parts) {
    return is_fault(folder.fault(settings), ErrorKind::kData, parts);
  };
  CHECK(bad_text({"train=" + folder.path("absent").string()},
                 {"absent", "doesn't exist", "check the path"}));
  CHECK(bad_text({"train=" + folder.path("*.none").string()}, {"*.none", "no file"}));
  const auto empty = folder.write("empty", "").string();
  CHECK(bad_text({"train=" + empty}, {"empty", "0 bytes", "holds text"}));
  const auto binary = folder.write("binary", std::string("ab\0c", 4)).string();
  CHECK(bad_text({"train=" + binary}, {"binary", "NUL at byte 2"}));
  std::string controls;
  for (int i = 0; i < 300; ++i) controls += static_cast<char>(1 + i % 8);
  const auto noise = folder.write("noise", controls).string();
  CHECK(bad_text({"train=" + noise}, {"noise", "300 control characters"}));
  const auto latin = folder.write("latin", "line one\nna\xEFve\n").string();
  for (const char* type : {"word", "sentencepiece"}) {
    CHECK(bad_text({"train=" + latin, std::string("tokenizer.type=") + type},
                   {"latin", "isn't UTF-8 at byte 11, line 2", "iconv"}));
  }
  CHECK_FALSE(folder.fault({"train=" + latin}).kind);  // bytes may be any
  const auto word = folder.write("huge", "a\n" + std::string(70'000, 'x')).string();
  CHECK(bad_text({"train=" + word, "tokenizer.type=word"},
                 {"the train split, line 2", "longer than 65536 bytes"}));
  CHECK(bad_text({"valid=" + latin, "tokenizer.type=sentencepiece"}, {"data.train"}));
}

TEST_CASE("a config that names a text twice, never or with nothing to train on is refused") {
  const DataFixture folder;
  const auto text = folder.write("t", "a text\n").string();
  const auto bad_config = [&](const std::vector<std::string>& settings,
                              std::initializer_list<const char*> parts) {
    return is_fault(folder.fault(settings), ErrorKind::kUsage, parts);
  };
  CHECK(bad_config({}, {"data.path", "data.train"}));
  CHECK(bad_config({"train=" + text, "path=" + text}, {"data.path", "either"}));
  CHECK(bad_config({"path=" + text, "valid_fraction=0.6", "test_fraction=0.5"},
                   {"data.valid_fraction", "less than 1"}));
  CHECK(bad_config({"train=" + text, "valid_fraction=0.5"},
                   {"data.valid_fraction", "comes with its splits", "leave the fractions out"}));
}

TEST_CASE("the characters of a text that isn't UTF-8 are not defined, its bytes are") {
  const DataFixture folder;
  const auto latin = folder.write("latin", "na\xEFve\n").string();
  const auto data = folder.prepare({"train=" + latin});
  const auto& sizes = data.splits.at("train").token_sizes();
  CHECK(sizes.bytes_V.at('a') == 1);
  CHECK(sizes.characters_V.at('a') == -1);
}

TEST_CASE("a huge line is no hindrance, and CR LF is kept with a warning unless asked for") {
  const DataFixture folder;
  const std::string line(5'000'000, 'y');
  const auto huge = folder.write("huge", line).string();
  CHECK(folder.prepare({"train=" + huge}).splits.at("train").size() == 5'000'000);
  const auto crlf = folder.write("crlf", "a\r\nb\rc\n").string();
  const auto kept = folder.prepare({"train=" + crlf});
  CHECK(kept.tokenizer->decode(all_ids(kept.splits.at("train"))) == "a\r\nb\rc\n");
  const auto made_lf = folder.prepare({"train=" + crlf, "newlines=lf"});
  CHECK(made_lf.tokenizer->decode(all_ids(made_lf.splits.at("train"))) == "a\nb\nc\n");
}

TEST_CASE("where prepared texts are kept follows option, then environment") {
  const DataFixture folder;
  CHECK(lc::cache_folder(folder.config({})) == folder.path("cache"));
  lc::OptionTable table;
  table.add(lc::data_options());
  const auto config = lc::Config::read(table, "{}", "test", {});
  setenv("LCTRAIN_CACHE", "/here", 1);
  CHECK(lc::cache_folder(config) == "/here");
  unsetenv("LCTRAIN_CACHE");
  setenv("XDG_CACHE_HOME", "/there", 1);
  CHECK(lc::cache_folder(config) == "/there/lctrain");
  unsetenv("XDG_CACHE_HOME");
}
