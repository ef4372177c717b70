// The toy of passkey retrieval learned from scratch, as configs/infini/passkey_toy.json sets it up,
// on samples of two segments: the key in the first, the question in the second. A memory that
// gradients flow through learns to tell it; without memory a model guesses.
#include <string>

#include "apps/lceval_process.h"
#include "catch.h"

namespace lceval {
namespace {

constexpr int64_t kSteps = 800;

// The shipped config; what is changed is how long it trains, and on how long samples.
Json toy_config(const Workplace& place, const std::string& type) {
  const fs::path shipped = fs::path(LC_SOURCE_DIR) / "configs/infini/passkey_toy.json";
  Json config = Json::parse(lctrain::bytes(shipped));
  config["run"] = {{"out_dir", place.run(type).string()}, {"device", "cpu"}, {"threads", 1}};
  config["model"]["type"] = type;
  Json& train = config["train"];
  config["data"]["passkey"]["samples"] = train["lanes"].get<int64_t>() * kSteps;
  config["data"]["passkey"]["length"] = 2 * train["segment_length"].get<int64_t>();
  train["bptt_segments"] = 2;
  train["steps"] = kSteps;
  config["eval"]["every"] = 0;
  config["checkpoint"]["every"] = 0;
  return config;
}

// The cell of depth 0, where the key begins the first segment.
Json retrieval(const Workplace& place, const std::string& name) {
  const Json json = json_of(place, {"passkey", "--checkpoint", "runs/" + name, "--format", "toy",
                                    "--lengths", "64", "--depths", "0", "--samples", "128"});
  const Json cell = json["cells"][0];
  CHECK(cell["compressions"] == 1.0);
  return cell;
}

}  // namespace

TEST_CASE("gradients through memory teach it to keep a key, without memory none is told",
          "[passkey]") {
  const Workplace place;
  train(place, "infini", toy_config(place, "infini"));
  const Json learned = retrieval(place, "infini");
  CHECK(learned["digit_accuracy"] > 0.6);
  CHECK(learned["memory_zeroed"]["digit_accuracy"] < 0.25);

  train(place, "vanilla", toy_config(place, "vanilla"));
  CHECK(retrieval(place, "vanilla")["digit_accuracy"] < 0.25);
}

}  // namespace lceval
