#include <sys/resource.h>

#include <csignal>

#include "catch.h"
#include "data/data_fixture.h"
#include "data/token_file_writer.h"

namespace {

lc::TokenFile write(const std::filesystem::path& path, int64_t vocab_size,
                    const std::vector<int64_t>& ids) {
  lc::TokenFileWriter writer(path, vocab_size);
  writer.add(ids);
  writer.end_document({0, 0, 7, 6, 5, "first \xC3\xA9"});
  writer.add({0});
  writer.end_document({0, 0, 1, 1, 1, ""});
  writer.finish({}, "abc", {{"corpus", "test"}});
  return lc::TokenFile::open(path);
}

std::string fault_of(const std::filesystem::path& path) {
  try {
    lc::TokenFile::open(path);
  } catch (const lc::Error& error) {
    CHECK(error.kind() == lc::ErrorKind::kData);
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a token file gives back ids at each width, documents and header") {
  const DataFixture folder;
  for (const int64_t vocab_size : std::vector<int64_t>{256, 257, 65536, 65537, 3'000'000'000}) {
    const std::vector<int64_t> ids{0, vocab_size - 1, 1, vocab_size / 2};
    const lc::TokenFile file = write(folder.path("t"), vocab_size, ids);
    CHECK(all_ids(file) == std::vector<int64_t>{0, vocab_size - 1, 1, vocab_size / 2, 0});
    CHECK(file.vocab_size() == vocab_size);
    REQUIRE(file.documents().size() == 2);
    CHECK(file.documents()[0].name == "first \xC3\xA9");
    CHECK(file.documents()[0].tokens == 4);
    CHECK(file.documents()[1].first_token == 4);
    CHECK(file.documents()[1].tokens == 1);
    CHECK(file.tokenizer_hash() == "abc");
    CHECK(file.header().at("corpus") == "test");
    CHECK(file.header().at("counts").at("tokens") == 5);
    CHECK(file.header().at("counts").at("bytes") == 8);
    int64_t third = 0;
    file.copy(2, 1, &third);
    CHECK(third == 1);
  }
}

TEST_CASE("a text's hash is of its tokens, the lengths of its documents and its tokenizer") {
  const DataFixture folder;
  // By Python's hashlib: tokens at their width, lengths and their count as 8 bytes, tokenizer.
  CHECK(write(folder.path("t"), 256, {0, 255, 1, 128}).text_hash() ==
        "20a4d17f9f810a72e90b35818b7e972d72e7df91581b8c51017782f5ee58a98b");
  CHECK(write(folder.path("t"), 257, {0, 256, 1, 128}).text_hash() ==
        "c8cc20a8900406d2e63876e6f41d899824a42b1705b622140c44471ef3a66ec3");

  const auto hash = [&](const std::vector<std::vector<int64_t>>& documents,
                        const std::string& tokenizer, const lc::DocumentInfo& info = {}) {
    lc::TokenFileWriter writer(folder.path("t"), 300);
    for (const std::vector<int64_t>& ids : documents) {
      writer.add(ids);
      writer.end_document(info);
    }
    writer.finish({}, tokenizer, {{"split", info.name}});
    return lc::TokenFile::open(folder.path("t")).text_hash();
  };
  const std::string own = hash({{1, 2}, {3}}, "abc");
  CHECK(hash({{1, 2}, {3}}, "abc", {0, 0, 7, 6, 5, "a name"}) == own);
  CHECK(hash({{1, 2}, {4}}, "abc") != own);
  CHECK(hash({{2, 1}, {3}}, "abc") != own);
  CHECK(hash({{1}, {2, 3}}, "abc") != own);
  CHECK(hash({{1, 2, 3}}, "abc") != own);
  CHECK(hash({{1, 2}, {3}, {}}, "abc") != own);
  CHECK(hash({{1, 2}, {3}}, "abd") != own);
}

TEST_CASE("every flipped bit and every truncation of a token file is found") {
  const DataFixture folder;
  write(folder.path("t"), 300, {1, 2, 299});
  const std::string good = lc::read_file(folder.path("t"));
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ (1 << (i % 8)));
    folder.write("bad", bad);
    INFO("byte " << i);
    CHECK_FALSE(fault_of(folder.path("bad")).empty());
    folder.write("bad", good.substr(0, i));
    CHECK_FALSE(fault_of(folder.path("bad")).empty());
  }
  CHECK(fault_of(folder.write("bad", good + "x")).find("truncated or damaged") !=
        std::string::npos);
  CHECK(fault_of(folder.write("bad", std::string(100, 'x'))).find("no token file") !=
        std::string::npos);
}

TEST_CASE("a writer that isn't finished, or a full disk, leaves nothing behind") {
  const DataFixture folder;
  { lc::TokenFileWriter(folder.path("out/t"), 256).add({1, 2, 3}); }
  CHECK(std::filesystem::is_empty(folder.path("out")));

  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{10'000, before.rlim_max};
  REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
  std::string message;
  try {
    lc::TokenFileWriter writer(folder.path("out/t"), 256);
    writer.add(std::vector<int64_t>(100'000, 1));
    writer.finish({}, "abc", {});
  } catch (const lc::Error& error) {
    CHECK(error.kind() == lc::ErrorKind::kRuntime);
    message = error.what();
  }
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  CHECK(message.find("free some space") != std::string::npos);
  CHECK(std::filesystem::is_empty(folder.path("out")));
}
