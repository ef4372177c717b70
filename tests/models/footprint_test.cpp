// Footprints of published sizes: table 1 of Munkhdalai et al. (2024) and the counts in their
// table 2.
#include <ATen/ATen.h>

#include "catch.h"
#include "models/registry.h"

namespace {

using Json = nlohmann::json;
using lc::MemoryUse;

constexpr int64_t kSegment = 2048;

// Twelve layers of 8 heads of 128, as in the paper, without storage.
lc::Footprint footprint(Json model, int64_t segment_length = kSegment) {
  model.update(Json{{"layers", 12}, {"d_model", 1024}, {"heads", 8}});
  lc::OptionTable table;
  table.add(lc::model_options());
  const auto config = lc::Config::read(table, Json{{"model", model}}.dump(), "test", {});
  return lc::build_model(config, {32, {at::kFloat, at::kMeta, 1}})
      ->footprint(segment_length, MemoryUse::kInference);
}

}  // namespace

TEST_CASE("Transformer-XL carries (d_k + d_v) H N l numbers and reaches N l tokens") {
  const auto held =
      footprint({{"type", "transformer_xl"}, {"transformer_xl", {{"memory_length", kSegment}}}});
  CHECK(held.carried.numbers == 50'331'648);
  CHECK(held.carried.counters == 0);
  CHECK(held.carried.bytes == 4 * 50'331'648LL);
  CHECK(held.reach == kSegment * 12);
  // The segment's own keys and values are as many again; all heads attend to 4096 keys.
  CHECK(held.rows.numbers == 50'331'648);
  CHECK(held.attention.numbers == 8 * (2 * 4096 * 128 + 2048 * 4096));
  CHECK(held.in_segment().bytes == held.rows.bytes + held.attention.bytes);
}

TEST_CASE("Infini-attention carries d_k (d_v + 1) H l numbers, and a counter a layer") {
  for (const int64_t segment : {128, 2048}) {
    const auto held =
        footprint({{"type", "infini"}, {"positions", {{"scheme", "rotary"}}}}, segment);
    CHECK(held.carried.numbers == 1'585'152);
    CHECK(held.carried.counters == 12);
    CHECK(held.carried.bytes == 4 * 1'585'152LL + 8 * 12);
    CHECK_FALSE(held.reach.has_value());
  }
}

TEST_CASE("the Compressive Transformer carries d_model (C + M) l numbers") {
  const Json sizes{{"memory_length", 2048}, {"compressed_length", 1024}, {"rate", 4}};
  Json model{{"type", "compressive"}, {"compressive", sizes}};
  const auto held = footprint(model);
  CHECK(held.carried.numbers == 1024 * (1024 + 2048) * 12);
  CHECK(held.reach == (1024 * 4 + 2048) * 12);
  CHECK(held.carried.counters == 0);
  model["compressive"]["compressed_positions"] = "distance";
  CHECK(footprint(model).carried.counters == 1024 * 12);
}

TEST_CASE("a model without memory carries nothing") {
  const auto held = footprint({{"type", "vanilla"}}, 512);
  CHECK(held.carried.bytes == 0);
  CHECK(held.reach == 0);
  CHECK(held.rows.numbers == 2 * 1024 * 512 * 12);
}
