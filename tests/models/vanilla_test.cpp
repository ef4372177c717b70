#include "catch.h"
#include "config/config.h"
#include "core/error.h"
#include "models/registry.h"

namespace {

using Json = nlohmann::json;

std::string fault_of_segment(const std::string& scheme, const std::string& origin, int64_t length) {
  lc::OptionTable table;
  table.add(lc::model_options());
  const Json model{{"type", "vanilla"},
                   {"positions", {{"scheme", scheme}, {"max_positions", 700}}},
                   {"vanilla", {{"positions", origin}}}};
  const auto config = lc::Config::read(table, Json{{"model", model}}.dump(), "test", {});
  try {
    lc::check_segment_length(config, {length, "train.segment_length"});
  } catch (const lc::Error& error) {
    CHECK(error.kind() == lc::ErrorKind::kUsage);
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a segment has no more positions than a learned table has rows", "[models]") {
  for (const std::string scheme : {"learned", "learned_per_layer"}) {
    CHECK(fault_of_segment(scheme, "segment", 700).empty());
    CHECK(fault_of_segment(scheme, "segment", 701) ==
          "train.segment_length: 701 tokens have more positions than the table has rows, 700; "
          "raise model.positions.max_positions before training, or ask for fewer tokens");
    // Positions of the stream are counted over segments.
    CHECK(fault_of_segment(scheme, "stream", 701).empty());
  }
  CHECK(fault_of_segment("rotary", "segment", 701).empty());
}
