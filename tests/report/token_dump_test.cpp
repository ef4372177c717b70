// The file with one line for each scored token.
#include "report/token_dump.h"

#include <cmath>
#include <sstream>

#include "core/file_io.h"
#include "data/data_fixture.h"
#include "eval/piece_text.h"
#include "eval/token_text.h"

namespace {

using namespace lc;

std::string dump_of(const PieceText& text, const TokenScores& scores, bool lossless = true) {
  const DataFixture folder;
  PieceText written = text;
  written.text.header["lossless"] = lossless;
  const PieceTokenizer tokenizer = written.tokenizer();
  const TokenFile tokens = written.file(tokenizer);
  dump_token_scores({tokens, tokenizer}, scores, folder.path("sub/dump.csv"));
  return read_file(folder.path("sub/dump.csv"));
}

TEST_CASE("Texts become one line, and nothing is lost") {
  CHECK(visible_text("plain \xC3\xA9 \xE2\x82\xAC") == "plain \xC3\xA9 \xE2\x82\xAC");
  CHECK(visible_text("a\nb\r\tc\\") == "a\\nb\\r\\tc\\\\");
  CHECK(visible_text(std::string_view("\0\x7F", 2)) == "\\x00\\x7F");
  // A part of a character, an overlong form, a surrogate.
  CHECK(visible_text("\xE2\x82") == "\\xE2\\x82");
  CHECK(visible_text("\xC0\xAF") == "\\xC0\\xAF");
  CHECK(visible_text("\xED\xA0\x80") == "\\xED\\xA0\\x80");
}

TEST_CASE("A line says where a token stands, what it is and what it costs") {
  const PieceText text =
      PieceText().add({"a", "\n", "\xE2", "b,\""}).add({"x"}).add({" long", "a", ""});
  CHECK(dump_of(text, {{1, 2, 3, 6, 7}, {0.5, 1, 1.0 / 3, 2.25, INFINITY}}) ==
        "document,position,byte_offset,token_id,text,nll_nats\n"
        "1,1,1,1,\\n,0.5\n"
        "1,2,2,2,\\xE2,1\n"
        "1,3,3,3,\"b,\"\"\",0.3333333333333333\n"
        "3,1,5,0,a,2.25\n"
        "3,2,6,6,,inf\n");
}

TEST_CASE("Tokens without bytes of their own have no offset") {
  const PieceText text = PieceText().add({"a ", "b "});
  CHECK(dump_of(text, {{1}, {2}}, false) ==
        "document,position,byte_offset,token_id,text,nll_nats\n1,1,,1,b ,2\n");
}

TEST_CASE("A long document is written whole, offsets from its own start") {
  std::vector<std::string> pieces;
  for (int i = 0; i < 150'000; ++i) pieces.emplace_back(i % 2 == 0 ? "ab" : "c");
  const PieceText text = PieceText().add({"first"}).add(pieces);
  TokenScores scores;
  for (int64_t t = 1; t <= 150'000; t += 3) {
    scores.targets.push_back(t);
    scores.nll.push_back(static_cast<double>(t % 1000));
  }
  std::istringstream lines(dump_of(text, scores));
  std::string line;
  std::getline(lines, line);
  size_t rows = 0;
  for (; std::getline(lines, line); ++rows) {
    const int64_t target = scores.targets.at(rows);
    const int64_t position = target - 1;
    const int64_t offset = position / 2 * 3 + position % 2 * 2;
    REQUIRE(line == "2," + std::to_string(position) + "," + std::to_string(offset) + "," +
                        (position % 2 == 0 ? "1,ab," : "2,c,") + std::to_string(target % 1000));
  }
  CHECK(rows == scores.targets.size());
}

}  // namespace
