// What lctrain shows while it trains: the lines on stderr, beside the same numbers in
// metrics.jsonl.
#include <cmath>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "apps/lctrain_process.h"
#include "catch.h"

namespace {

using lctrain::Json;
using lctrain::Workplace;

struct ShownLine {
  std::string step;
  double loss;
  std::string unit;
  double measure;  // in that unit
  double lr;
  double grad_norm;
};

// The lines of training updates; each must have the whole documented form.
std::vector<ShownLine> shown_lines(const std::string& err) {
  const std::regex begin(R"(\d\d:\d\d:\d\d info step \d+/.*)");
  const std::regex form(
      R"(\d\d:\d\d:\d\d info step (\d+/\d+) \| loss (\d+\.\d{4}) \| (bpc|ppl) (\d+\.\d+) \| )"
      R"(lr ([0-9.e+-]+) \| grad norm ([0-9.e+-]+) \| [0-9.]+k? tokens/s \| )"
      R"(ETA (?:\d+s|\d+m\d\ds|\d+h\d\dm))");
  std::vector<ShownLine> shown;
  std::istringstream stream(err);
  for (std::string line; std::getline(stream, line);) {
    if (!std::regex_match(line, begin)) continue;
    std::smatch found;
    CAPTURE(line);
    REQUIRE(std::regex_match(line, found, form));
    const auto number = [&](size_t group) { return std::stod(found[group].str()); };
    shown.push_back({found[1], number(2), found[3], number(4), number(5), number(6)});
  }
  return shown;
}

// Trains ten updates, with a line after every fifth.
std::vector<ShownLine> shown_in_ten_steps(const Workplace& place, Json config) {
  config["train"]["steps"] = 10;
  config["eval"]["every"] = 0;
  const auto result = lctrain::run(place, {"--config", place.write("shown.json", config).string()});
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  CHECK(result.out.empty());
  const std::vector<ShownLine> shown = shown_lines(result.err);
  REQUIRE(shown.size() == 2);
  CHECK(shown[0].step == "5/10");
  CHECK(shown[1].step == "10/10");
  return shown;
}

}  // namespace

TEST_CASE("a line of training shows step, loss, bits, rate, gradient norm, speed and what is left",
          "[lctrain]") {
  const Workplace place;
  const std::vector<ShownLine> shown = shown_in_ten_steps(place, place.config("bytes"));
  const std::vector<Json> metrics = lctrain::metrics(place.run("bytes"));
  REQUIRE(metrics.size() == shown.size());
  for (size_t i = 0; i < shown.size(); ++i) {
    const auto value = [&](const char* key) { return metrics[i].at(key).get<double>(); };
    CHECK(shown[i].loss == Approx(value("loss_nats_per_token")).margin(6e-5));
    CHECK(shown[i].unit == "bpc");
    CHECK(shown[i].measure == Approx(value("loss_nats_per_token") / std::log(2.0)).margin(6e-5));
    CHECK(shown[i].lr == Approx(value("lr")).epsilon(0.006));
    CHECK(shown[i].grad_norm == Approx(value("grad_norm")).epsilon(0.006));
  }
}

TEST_CASE("with tokens of more than a byte a line of training shows perplexity", "[lctrain]") {
  const Workplace place;
  Json config = place.config("words");
  config["data"]["tokenizer"] = {{"type", "word"}, {"unknown", "unk"}};
  for (const ShownLine& line : shown_in_ten_steps(place, config)) {
    CHECK(line.unit == "ppl");
    CHECK(line.measure == Approx(std::exp(line.loss)).epsilon(1e-3));
  }
}
