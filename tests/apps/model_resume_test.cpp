// Each type of model, killed and resumed, ends in the bytes of a run that never stopped: what it
// carries, how gradients go back through that, what is learned beside the text.
#include <string>

#include "apps/lctrain_process.h"
#include "apps/resume_check.h"
#include "catch.h"

namespace {

using lctrain::Json;
using lctrain::Workplace;

// Chunks of lanes, and updates that change their size in the second half of a short run.
Json growing(const Workplace& place, const std::string& type, const Json& block) {
  Json config = place.config("run");
  config["model"].erase("transformer_xl");
  config["model"]["type"] = type;
  config["model"][type] = block;
  config["train"]["accumulation"] = 2;
  config["train"]["bptt_segments"] = Json::parse("[[0, 2], [13, 3]]");
  config["optim"]["update_period"] = Json::parse("[[0, 2], [52, 1]]");  // by segments
  return config;
}

// An auxiliary loss from the third segment on, slots that fill in the fifth.
Json compressive_block(const std::string& loss) {
  return {{"memory_length", 32},
          {"compressed_length", 12},
          {"rate", 4},
          {"compression_loss", loss}};
}

Json infini(const Workplace& place, const std::string& mode) {
  Json config = growing(place, "infini", {{"memory_update", "delta"}});
  config["model"]["positions"]["scheme"] = "rotary";
  config["data"]["sequence_segments"] = 7;
  config["optim"]["groups"]["gate"] = {{"lr", 0.03}, {"weight_decay", 0}};
  config["train"]["bptt_mode"] = mode;
  return config;
}

}  // namespace

TEST_CASE("a killed Transformer-XL resumes in the same bytes", "[lctrain]") {
  const Workplace place;
  const Json block{{"memory_length", 24}, {"initial_memory", "zeros"}};
  lctrain::check_resumed_after_kill(place, growing(place, "transformer_xl", block));
}

TEST_CASE("a killed vanilla model in reset mode resumes in the same bytes", "[lctrain]") {
  const Workplace place;
  Json config = place.config("run");
  config["model"]["type"] = "vanilla";
  config["data"]["boundaries"] = "reset";
  config["data"]["sequence_segments"] = 3;
  config["train"]["loss_part"] = "second_half";
  lctrain::check_resumed_after_kill(place, config);
}

TEST_CASE("a killed Compressive Transformer resumes in the same bytes", "[lctrain]") {
  const Workplace place;
  Json config = growing(place, "compressive", compressive_block("attention_reconstruction"));
  config["optim"]["groups"]["compressor"] = {{"lr", 0.001}, {"clip_norm", 0.1}};
  lctrain::check_resumed_after_kill(place, config);
  const Json first = lctrain::metrics(place.run("killed")).front();
  CHECK(first.dump().find("aux/attention_reconstruction") != std::string::npos);
}

TEST_CASE("a killed compressor learning through memory resumes in the same bytes", "[lctrain]") {
  const Workplace place;
  Json block = compressive_block("none");
  block["compressed_positions"] = "distance";  // ages of slots are carried beside them
  lctrain::check_resumed_after_kill(place, growing(place, "compressive", block));
}

TEST_CASE("a killed Infini-attention resumes in the same bytes, graphs kept", "[lctrain]") {
  const Workplace place;
  lctrain::check_resumed_after_kill(place, infini(place, "graph"));
}

TEST_CASE("a killed Infini-attention resumes in the same bytes, by replay", "[lctrain]") {
  const Workplace place;
  lctrain::check_resumed_after_kill(place, infini(place, "replay"));
}
