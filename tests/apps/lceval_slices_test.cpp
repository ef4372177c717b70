// lceval slices, lceval --dump-nll and the tokens of lceval compare, on runs that were just
// trained.
#include <cmath>
#include <filesystem>
#include <sstream>

#include "apps/lceval_process.h"
#include "catch.h"

namespace lceval {
namespace {

double sum_of(const Json& slices, const char* key) {
  double sum = 0;
  for (const Json& slice : slices) sum += slice.at(key).get<double>();
  return sum;
}

double total_nats(const Json& slices) {
  double nats = 0;
  for (const Json& slice : slices) {
    if (slice.at("tokens") == 0) continue;
    nats += slice.at("tokens").get<double>() * slice.at("nats_per_token").get<double>();
  }
  return nats;
}

std::vector<std::string> lines_of(const fs::path& file) {
  std::istringstream text(lctrain::bytes(file));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

// Two books a split, of 2,500 and 500 bytes of the generated text.
void write_books(const Workplace& place) {
  const auto book = [&](const std::string& name, const char* from, size_t first, size_t count) {
    fs::create_directories((place.path() / "pg" / name).parent_path());
    write(place.path() / "pg" / name, lctrain::bytes(place.path() / from).substr(first, count));
  };
  book("train/1.txt", "train.txt", 0, 9000);
  book("train/2.txt", "train.txt", 9000, 9000);
  book("validation/3.txt", "valid.txt", 0, 1000);
  book("test/20.txt", "valid.txt", 0, 2500);
  book("test/4.txt", "valid.txt", 2500, 500);
  write(place.path() / "pg" / "metadata.csv",
        "4,Four by Someone,1904,http://x\n20,\"Twenty, in all\",1820,http://y\n");
}

}  // namespace

TEST_CASE("lceval slices: every kind sums up to the whole, for one run and several") {
  const Workplace place;
  train_xl(place);
  train_vanilla(place);
  const Json plain = json_of(place, {"--checkpoint", "runs/xl"});
  for (const char* by : {"frequency", "subword", "recurrence", "position", "document"}) {
    INFO(by);
    const Json json = json_of(place, {"slices", "--checkpoint", "runs/xl", "--by", by});
    CHECK(json["by"] == by);
    CHECK(json["whole"]["nats_per_token"].get<double>() ==
          Approx(plain["nats_per_token"].get<double>()).epsilon(1e-9));
    CHECK(sum_of(json["slices"], "tokens") == 2999);
    CHECK(sum_of(json["slices"], "share_of_tokens") == Approx(1));
    CHECK(total_nats(json["slices"]) / 2999 ==
          Approx(plain["nats_per_token"].get<double>()).epsilon(1e-9));
    CHECK(json["protocol"]["split"] == "valid");
    CHECK(json["protocol"]["slices"]["by"] == by);
    const fs::path eval = place.run("xl") / "eval";
    CHECK(Json::parse(lctrain::bytes(eval / (std::string("valid_slices_") + by + ".json"))) ==
          json);
    CHECK(fs::exists(eval / (std::string("valid_slices_") + by + ".csv")));
    CHECK(fs::exists(eval / (std::string("valid_slices_") + by + ".svg")));
  }
  const Json both =
      json_of(place, {"slices", "--checkpoint", "runs/xl", "--checkpoint", "runs/vanilla", "--by",
                      "recurrence", "--within", "document", "--bounds", "1,10,100", "--csv",
                      "both.csv", "--plot", "both.svg"});
  REQUIRE(both["runs"].size() == 2);
  CHECK(both["runs"][0]["slices"].size() == 4);
  CHECK(both["runs"][1]["protocol"]["slices"]["within"] == "document");
  for (size_t s = 0; s < 4; ++s) {
    CHECK(both["runs"][0]["slices"][s]["tokens"] == both["runs"][1]["slices"][s]["tokens"]);
  }
  CHECK(lines_of(place.path() / "both.csv").size() == 1 + 2 * 5);
  CHECK(lctrain::bytes(place.path() / "both.svg").find(">vanilla</text>") != std::string::npos);
  const lctrain::Result table =
      run_lceval(place, {"slices", "--checkpoint", "runs", "--by", "frequency"});
  CHECK(table.exit_code == 0);
  CHECK(table.out.find("nats per token\nfrequency ") == 0);
  CHECK(table.out.find("frequency: occurrences of the token's word in train") != std::string::npos);
  CHECK(table.out.find("\nprotocol of vanilla: ") != std::string::npos);
}

TEST_CASE("lceval slices: words of another text are looked up in the run's train split") {
  const Workplace place;
  train_xl(place);
  write(place.path() / "other.txt", "river unheard-of river\n");
  const Json json = json_of(place, {"slices", "--checkpoint", "runs/xl", "--data", "other.txt",
                                    "--by", "frequency", "--bounds", "1,100", "--out", "sliced"});
  REQUIRE(json["slices"].size() == 4);
  CHECK(json["slices"][0]["tokens"] == 10);  // unheard-of
  CHECK(json["slices"][1]["tokens"] == 0);
  CHECK(json["slices"][2]["tokens"] == 4 + 5);  // river, its first byte is not scored
  CHECK(json["slices"][3]["tokens"] == 3);
  CHECK(fs::exists(place.path() / "sliced" / "text_slices_frequency.json"));
}

TEST_CASE("PG-19: word perplexity book by book, in the stream or with memory reset") {
  const Workplace place;
  write_books(place);
  Json config = place.config("books");
  config["data"] = {{"corpus", "pg19"},
                    {"path", (place.path() / "pg").string()},
                    {"tokenizer", {{"type", "byte"}}}};
  train(place, "books", config);
  const std::vector<std::string> by_book = {"slices", "--checkpoint", "runs/books", "--by",
                                            "document"};
  const Json stream = json_of(place, by_book);
  REQUIRE(stream["slices"].size() == 2);
  const Json& four = stream["slices"][0];
  CHECK(four["slice"] == "4: Four by Someone");
  CHECK(four["id"] == "4");
  CHECK(four["title"] == "Four by Someone");
  CHECK(four["year"] == 1904);
  CHECK(four["tokens"] == 499);  // the very first token of the split is not predicted
  const Json& twenty = stream["slices"][1];
  CHECK(twenty["title"] == "Twenty, in all");
  CHECK(twenty["year"] == 1820);
  CHECK(twenty["tokens"] == 2500);
  for (const Json& book : stream["slices"]) {
    CHECK(book["word_perplexity"].get<double>() ==
          Approx(std::exp(book["tokens"].get<double>() * book["nats_per_token"].get<double>() /
                          book["words"].get<double>())));
  }
  std::vector<std::string> reset_flags = by_book;
  reset_flags.insert(reset_flags.end(), {"--set", "data.boundaries=reset"});
  const Json reset = json_of(place, reset_flags);
  CHECK(reset["slices"][1]["tokens"] == 2499);
  CHECK(reset["protocol"]["boundaries"] == "reset");

  // Two books are no official split: words are counted here, and that is said.
  const Json whole = json_of(place, {"--checkpoint", "runs/books"});
  CHECK(whole["protocol"]["official"] == false);
  CHECK(whole["protocol"]["units"]["words"] ==
        four["words"].get<int64_t>() + twenty["words"].get<int64_t>());
  CHECK(whole["protocol"]["units"]["words_own"] == whole["protocol"]["units"]["words"]);
  const lctrain::Result table = run_lceval(place, {"--checkpoint", "runs/books"});
  CHECK(table.out.find("(words of the scored documents, counted here)") != std::string::npos);
}

TEST_CASE("lceval --dump-nll writes a line for each scored token") {
  const Workplace place;
  train_xl(place);
  const Json json = json_of(place, {"--checkpoint", "runs/xl", "--dump-nll", "dump/nll.csv"});
  const auto lines = lines_of(place.path() / "dump" / "nll.csv");
  REQUIRE(lines.size() == 1 + 2999);
  CHECK(lines[0] == "document,position,byte_offset,token_id,text,nll_nats");
  const std::string text = lctrain::bytes(place.path() / "valid.txt");
  double nats = 0;
  for (size_t i = 1; i < lines.size(); ++i) {
    const std::string place_of_byte = std::to_string(i);
    const std::string id = std::to_string(static_cast<unsigned char>(text[i]));
    REQUIRE(lines[i].rfind("1," + place_of_byte + "," + place_of_byte + "," + id + ",", 0) == 0);
    nats += std::stod(lines[i].substr(lines[i].rfind(',') + 1));
  }
  CHECK(nats / 2999 == Approx(json["nats_per_token"].get<double>()).epsilon(1e-12));
}

TEST_CASE("lceval compare says which words and tokens gain") {
  const Workplace place;
  train_xl(place);
  train_vanilla(place);
  const Json ab = json_of(place, {"compare", "runs/xl", "runs/vanilla", "--top", "1000", "--out",
                                  "compared", "--csv", "both.csv", "--plot", "both.svg"});
  const Json& gains = ab.at("gains");
  const double total = 2999 * ab["difference"]["nats_per_token"].get<double>();
  for (const char* kind : {"words", "tokens"}) {
    const double sum =
        sum_of(gains[kind]["a"], "nats_total") + sum_of(gains[kind]["b"], "nats_total");
    CHECK(sum == Approx(total).margin(1e-8));
  }
  CHECK(sum_of(gains["frequency"], "nats_total") == Approx(total).margin(1e-8));
  CHECK(sum_of(gains["frequency"], "tokens") == 2999);
  CHECK(lines_of(place.path() / "both_tokens.csv")[0].rfind("kind,text,id,", 0) == 0);
  CHECK(fs::exists(place.path() / "both.csv"));
  CHECK(fs::exists(place.path() / "both.svg"));
  CHECK(fs::exists(place.path() / "compared" / "compare_valid_tokens.csv"));
  CHECK(fs::exists(place.path() / "compared" / "compare_valid.svg"));
  const lctrain::Result text = run_lceval(place, {"compare", "runs/xl", "runs/vanilla"});
  CHECK(text.out.find("by frequency, xl minus vanilla\n") != std::string::npos);
}

TEST_CASE("lceval slices and --dump-nll refuse bad input with one sentence and exit code 2") {
  const Workplace place;
  train_xl(place);
  const auto slices = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"slices", "--checkpoint", "runs/xl"});
    return refusal(place, 2, more);
  };
  CHECK(slices({}).find("--by") != std::string::npos);
  CHECK(slices({"--by", "colour"}).find("colour") != std::string::npos);
  CHECK(slices({"--by", "position", "--within", "stream"}).find("--within") != std::string::npos);
  CHECK(slices({"--by", "document", "--bounds", "1,2"}).find("--bounds") != std::string::npos);
  CHECK(slices({"--by", "position", "--bounds", "1,x"}).find("--bounds") != std::string::npos);
  CHECK(slices({"--by", "position", "--context", "0,8"}).find("--context") != std::string::npos);
  CHECK(slices({"--by", "position", "--dump-nll", "x"}).find("--dump-nll") != std::string::npos);
  refusal(place, 2, {"slices", "--by", "position"});
  CHECK(refusal(place, 2, {"--checkpoint", "runs/xl", "--checkpoint", "runs/xl", "--dump-nll", "x"})
            .find("takes one run") != std::string::npos);
  CHECK(refusal(place, 2,
                {"--checkpoint", "runs/xl", "--data", "valid.txt", "--records", "lines",
                 "--dump-nll", "x"})
            .find("--dump-nll") != std::string::npos);
  CHECK(refusal(place, 2,
                {"slices", "--checkpoint", "runs/xl", "--checkpoint", "runs/xl", "--by", "position",
                 "--data", "valid.txt", "--split", "test"})
            .find("--split") != std::string::npos);
}

}  // namespace lceval
