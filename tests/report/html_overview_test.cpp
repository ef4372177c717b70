// Cards of runs: the headline says what an evaluation did otherwise than the run's settings.
#include <string>

#include "catch.h"
#include "report/html/overview.h"

namespace {

std::string card_with(const nlohmann::json& protocol) {
  lc::ReportedRun run;
  run.settings = {"run", nlohmann::ordered_json::parse(R"({
    "data": {"boundaries": "stream"}, "train": {"segment_length": 32},
    "model": {"type": "transformer_xl", "positions": {"clamp_length": null},
              "transformer_xl": {"memory_length": 128}}})")};
  run.results = {
      {"test", {{"nats_per_token", 2.0}, {"tokens_scored", 300}, {"protocol", protocol}}, "", ""}};
  return lc::html_card(run);
}

TEST_CASE("An evaluation as the run was trained has nothing to add") {
  const std::string card = card_with({{"memory", 128},
                                      {"clamp", nullptr},
                                      {"segment", 32},
                                      {"boundaries", "stream"},
                                      {"tokens_limit", nullptr}});
  CHECK(card.find("test, 300 tokens<") != std::string::npos);
}

TEST_CASE("What an evaluation changed stands beside its number") {
  const std::string card = card_with({{"memory", 0},
                                      {"clamp", 64},
                                      {"segment", 16},
                                      {"boundaries", "reset"},
                                      {"data", "a<b>.txt"},
                                      {"tokens_limit", 300}});
  for (const char* part : {"; memory 0 instead of 128", "; clamp 64 instead of -",
                           "; segment 16 instead of 32", "; boundaries reset instead of stream",
                           "; text a&lt;b&gt;.txt", "; its first tokens only"}) {
    CAPTURE(part);
    CHECK(card.find(part) != std::string::npos);
  }
}

}  // namespace
