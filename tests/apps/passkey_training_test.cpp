// The toy of passkey retrieval learned from scratch: samples of two segments, the key in the first,
// the question in the second. What reaches the key learns to tell it; what doesn't, guesses.
#include <string>

#include "apps/lceval_process.h"
#include "catch.h"

namespace lceval {
namespace {

Json toy_config(const Workplace& place, const std::string& name) {
  return {{"run", {{"out_dir", place.run(name).string()}, {"device", "cpu"}, {"threads", 1}}},
          {"data",
           {{"corpus", "passkey"},
            {"boundaries", "reset"},
            {"passkey", {{"samples", 32 * 800}, {"eval_samples", 100}, {"length", 64}}}}},
          {"model",
           {{"layers", 2},
            {"d_model", 64},
            {"heads", 2},
            {"d_head", 32},
            {"d_inner", 256},
            {"norm", "pre"},
            {"init_std", 0.1},
            {"projection_init_std", 0.1},
            {"final_norm", true},
            {"positions", {{"scheme", "rotary"}}}}},
          {"optim", {{"lr", 1e-3}, {"betas", {0.9, 0.98}}, {"clip_norm", 1.0}}},
          {"train", {{"lanes", 32}, {"segment_length", 32}, {"bptt_segments", 2}, {"steps", 800}}},
          {"eval", {{"every", 0}}},
          {"checkpoint", {{"every", 0}}}};
}

// Digit accuracy at depth 0: the key begins the first segment.
double accuracy(const Workplace& place, const std::string& name, const char* memory) {
  const Json json = json_of(place, {"passkey", "--checkpoint", "runs/" + name, "--format", "toy",
                                    "--lengths", "64", "--depths", "0", "--samples", "128"});
  const Json& cell = json["cells"][0];
  CHECK(cell["compressions"] == 1.0);
  return (std::string(memory) == "carried" ? cell : cell["memory_zeroed"])
      .at("digit_accuracy")
      .get<double>();
}

}  // namespace

TEST_CASE("a memory that reaches the key begins to tell it, none guesses", "[slow]") {
  const Workplace place;
  for (const int64_t memory : {0, 32}) {
    const std::string name = "memory" + std::to_string(memory);
    Json config = toy_config(place, name);
    config["model"]["type"] = "transformer_xl";
    config["model"]["transformer_xl"]["memory_length"] = memory;
    train(place, name, config);
  }
  CHECK(accuracy(place, "memory32", "carried") > 0.25);
  CHECK(accuracy(place, "memory32", "zeroed") < 0.2);
  CHECK(accuracy(place, "memory0", "carried") < 0.2);
}

}  // namespace lceval
