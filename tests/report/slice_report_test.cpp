// Sliced losses as JSON, CSV, table and plot.
#include "report/slice_report.h"

#include <cmath>

#include "data/data_fixture.h"
#include "eval/piece_text.h"
#include "report/slice_table.h"
#include "report/svg_elements.h"

namespace {

using namespace lc;

// Two books of 4 and 3 bytes, 2 and 1 words, every token but the first scored.
PieceText two_books() {
  PieceText books;
  books.add({"a", " ", "b", "b"}, "7: Seven, a Book").add({"c", "c", "\n"}, "x");
  books.text.documents[0].words = 2;
  books.text.documents[1].words = 1;
  books.text.header["about"] = {
      {"7: Seven, a Book", {{"id", "7"}, {"title", "Seven, a Book"}, {"year", 1907}}}};
  return books;
}

const TokenScores kScores = {{1, 2, 3, 4, 5, 6}, {1, 2, 3, 0.5, 0.25, 0.75}};

SliceReport report_of(const std::string& by, int runs, const PieceText& books = two_books()) {
  const PieceTokenizer tokenizer = books.tokenizer();
  const TokenFile file = books.file(tokenizer);
  const ReadableText text{file, tokenizer};
  const SlicedText sliced{text, kScores.targets};
  SliceReport report{file,
                     by == "document" ? slice_by_document(sliced) : slice_by_position(sliced, {}),
                     "test",
                     {}};
  TokenScores scores = kScores;
  for (int run = 0; run < runs; ++run) {
    report.runs.push_back({"run" + std::to_string(run),
                           {{"mode", "memory"}},
                           score_slices(file, report.slicing, scores)});
    for (double& nll : scores.nll) nll *= 2;
  }
  return report;
}

TEST_CASE("A document's slice has its number, title, year, words and word perplexity") {
  const auto json = slices_json(report_of("document", 1));
  CHECK(json["by"] == "document");
  REQUIRE(json["slices"].size() == 2);
  const auto& first = json["slices"][0];
  CHECK(first["slice"] == "7: Seven, a Book");
  CHECK(first["document"] == 1);
  CHECK(first["id"] == "7");
  CHECK(first["title"] == "Seven, a Book");
  CHECK(first["year"] == 1907);
  CHECK(first["tokens"] == 3);
  CHECK(first["nats_per_token"] == 2.0);
  CHECK(first["perplexity"].get<double>() == Approx(std::exp(2.0)));
  CHECK(first["bits_per_byte"].get<double>() == Approx(6 / std::log(2.0) / 3));
  CHECK(first["share_of_tokens"] == 0.5);
  CHECK(first["share_of_nats"] == 0.8);
  CHECK(first["words"] == 2);
  CHECK(first["word_perplexity"].get<double>() == Approx(std::exp(6.0 / 2)));
  CHECK(first["nats_low"].is_null());
  CHECK(!first.contains("from"));
  CHECK(!json["slices"][1].contains("year"));
  CHECK(json["slices"][1]["word_perplexity"].get<double>() == Approx(std::exp(1.5)));
  CHECK(json["whole"]["tokens"] == 6);
  CHECK(json["whole"]["nats_per_token"] == 1.25);
  CHECK(json["protocol"]["mode"] == "memory");
  CHECK(json["protocol"]["slices"]["by"] == "document");
  CHECK(json["protocol"]["slices"]["interval_blocks"] == "1000 tokens");
  CHECK(json["protocol"]["slices"]["whole_interval_blocks"] == "1000 tokens");
}

TEST_CASE("A document's word perplexity has the interval of its losses, in its own unit") {
  SliceReport report = report_of("document", 1);
  report.runs[0].scores.slices[0].interval = Interval{1.5, 2.5};  // of 3 tokens, 2 words
  const auto json = slices_json(report);
  CHECK(json["slices"][0]["word_perplexity_low"].get<double>() == Approx(std::exp(1.5 * 3 / 2)));
  CHECK(json["slices"][0]["word_perplexity_high"].get<double>() == Approx(std::exp(2.5 * 3 / 2)));
  CHECK(json["slices"][1]["word_perplexity_low"].is_null());
  const std::string table = slices_table(report);
  CHECK(table.find("word perplexity  95% interval (word perplexity)\n") != std::string::npos);
  CHECK(table.find("20.086                 9.488 to 42.521\n") != std::string::npos);
  CHECK(
      slices_csv(report).find("words,word_perplexity,word_perplexity_low,word_perplexity_high\n") !=
      std::string::npos);
}

TEST_CASE("A document of as many pieces as words is no text of words") {
  PieceText books = two_books();
  books.text.documents[0].words = 4;  // and 4 tokens, 3 of them scored with 6 nats
  const auto perplexity = [&](const char* type) {
    books.text.header["tokenizer"] = {{"type", type}};
    const auto json = slices_json(report_of("document", 1, books));
    return json["slices"][0]["word_perplexity"].get<double>();
  };
  CHECK(perplexity("sentencepiece") == Approx(std::exp(6.0 / 4)));
  CHECK(perplexity("word") == Approx(std::exp(6.0 / 3)));
}

TEST_CASE("A document that is scored in part has no word perplexity") {
  SliceReport report = report_of("document", 1);
  report.runs[0].scores.slices[0].tokens = 2;
  CHECK(slices_json(report)["slices"][0]["word_perplexity"].is_null());
}

TEST_CASE("Buckets have bounds; several runs stand side by side") {
  const auto json = slices_json(report_of("position", 2));
  REQUIRE(json["runs"].size() == 2);
  CHECK(json["runs"][1]["name"] == "run1");
  const auto& slices = json["runs"][1]["slices"];
  REQUIRE(slices.size() == 3);
  CHECK(slices[0]["from"] == 0);
  CHECK(slices[0]["to"] == 0);
  CHECK(slices[2]["from"] == 2);
  CHECK(slices[2]["to"].is_null());
  CHECK(slices[0]["nats_per_token"] == 1.0);  // token 4 alone
  CHECK(slices[1]["nats_per_token"] == 1.25);
  CHECK(slices[2]["nats_per_token"].get<double>() == Approx(2 * 5.75 / 3));
}

TEST_CASE("CSV: one row a slice and run, the whole last, units in the column names") {
  CHECK(slices_csv(report_of("position", 2))
            .rfind("run,slice,from,to,tokens,share_of_tokens,share_of_nats,nats_per_token,nats_low,"
                   "nats_high,perplexity,bits_per_byte\nrun0,0,0,0,1,",
                   0) == 0);
  const std::string documents = slices_csv(report_of("document", 1));
  CHECK(documents.rfind("run,slice,document,id,title,year,tokens,", 0) == 0);
  CHECK(documents.find("\nrun0,\"7: Seven, a Book\",1,7,\"Seven, a Book\",1907,3,0.5,0.8,2,,,") !=
        std::string::npos);
  CHECK(documents.find("\nrun0,x,2,,,,3,") != std::string::npos);
  CHECK(documents.find("\nrun0,all,,,,,6,1,1,1.25,") != std::string::npos);
}

TEST_CASE("Tables: all numbers of one run, or several runs in columns") {
  const std::string one = slices_table(report_of("document", 1));
  CHECK(one.find("year") != std::string::npos);
  CHECK(one.find("7: Seven, a Book  1907       3") != std::string::npos);
  CHECK(one.find("20.086") != std::string::npos);  // exp(3)
  CHECK(one.find("\nall ") != std::string::npos);
  const std::string two = slices_table(report_of("position", 2));
  CHECK(two.rfind("nats per token\nposition   tokens    run0    run1\n", 0) == 0);
  CHECK(two.find("\n2 or more       3  1.9167  3.8333\n") != std::string::npos);
  CHECK(two.find("\nperplexity\n") != std::string::npos);
  CHECK(two.find("position: tokens before it in the document\n") != std::string::npos);
}

TEST_CASE("The plot has a row for each slice and a mark for each run") {
  const DotPlot plot = slices_plot(report_of("position", 2));
  CHECK(plot.rows == std::vector<std::string>{"0", "1", "2 or more"});
  REQUIRE(plot.series.size() == 2);
  CHECK(plot.series[0].dots[0].value == 0.5);
  CHECK(plot.series[1].dots[0].value == 1.0);
  CHECK(!std::isfinite(plot.series[0].dots[0].low));
}

TEST_CASE("Report files carry the split and the kind of slices in their names") {
  const DataFixture folder;
  const auto files = write_slice_report(report_of("position", 1), {folder.path("eval"), "test"});
  REQUIRE(files.size() == 3);
  CHECK(files[0] == folder.path("eval/test_slices_position.json"));
  CHECK(nlohmann::json::parse(read_file(files[0])) == slices_json(report_of("position", 1)));
  CHECK(read_file(files[1]) == slices_csv(report_of("position", 1)));
  svg::parse(read_file(files[2]));
}

}  // namespace
