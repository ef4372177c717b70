// What lctrain takes, refuses and prints before it trains: flags, resume rules, bad input.
#include <cmath>
#include <string>

#include "apps/lctrain_process.h"
#include "catch.h"

namespace {

using lctrain::Json;
using lctrain::Workplace;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The same run with a memory of 16 inputs and 8 slots of 4 inputs each.
Json compressive_config(const Workplace& place, const std::string& run) {
  Json config = place.config(run);
  config["model"]["type"] = "compressive";
  config["model"]["compressive"] = {
      {"memory_length", 16}, {"compressed_length", 8}, {"rate", 4}, {"compression", "conv"}};
  return config;
}

// A run of ten steps, finished.
std::string finished_run(const Workplace& place) {
  Json config = place.config("run");
  config["train"]["steps"] = 10;
  config["eval"]["every"] = 0;
  const std::string path = place.write("run.json", config).string();
  const auto result = lctrain::run(place, {"--config", path});
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  return path;
}

}  // namespace

TEST_CASE("one process trains a SentencePiece model, encodes with it and trains on it",
          "[lctrain]") {
  const Workplace place;
  Json config = place.config("pieces");
  config["data"]["tokenizer"] = {{"type", "sentencepiece"}, {"vocab_size", 300}};
  const auto result = lctrain::run(place, {"--config", place.write("c.json", config).string()});
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  CHECK(lctrain::fs::exists(place.run("pieces") / "tokenizer.lctokenizer"));
  const auto metrics = lctrain::metrics(place.run("pieces"));
  const auto loss = [&](size_t line) { return metrics[line]["loss_nats_per_token"].get<double>(); };
  REQUIRE(metrics.front().contains("loss_nats_per_token"));
  CHECK(loss(0) < 1.2 * std::log(300.0));  // the first steps, from about ln 300
  CHECK(loss(0) > 0.8 * std::log(300.0));
  size_t last = metrics.size() - 1;
  while (!metrics[last].contains("loss_nats_per_token")) --last;
  CHECK(loss(last) < loss(0));
}

TEST_CASE("a finished run says so and exits 0", "[lctrain]") {
  const Workplace place;
  const std::string path = finished_run(place);
  const auto metrics = lctrain::bytes(place.run("run") / "metrics.jsonl");
  const auto again = lctrain::run(place, {"--config", path});
  CAPTURE(again.err);
  CHECK(again.exit_code == 0);
  CHECK(has(again.err, "finished"));
  CHECK(lctrain::bytes(place.run("run") / "metrics.jsonl") == metrics);
}

TEST_CASE("changed values are taken and printed, or refused with exit 2", "[lctrain]") {
  const Workplace place;
  const std::string path = finished_run(place);
  const auto taken = lctrain::run(
      place, {"--config", path, "--set", "train.steps=12", "--set", "optim.lr=0.001", "--set",
              "train.accumulation=2", "--set", "model.dropout=0.2", "--threads", "2"});
  CAPTURE(taken.err);
  CHECK(taken.exit_code == 0);
  CHECK(has(taken.err, "train.steps: 10 -> 12"));
  CHECK(has(taken.err, "optim.lr: 0.003 -> 0.001"));
  CHECK(has(taken.err, "train.accumulation: 1 -> 2"));
  CHECK(has(taken.err, "model.dropout: 0.1 -> 0.2"));
  CHECK(has(taken.err, "run.threads: 1 -> 2 (from here on results may differ"));
  CHECK(lctrain::pointer(place.run("run"), "last") == "step_000012");
  const Json stored = Json::parse(lctrain::bytes(place.run("run") / "config.json"));
  CHECK(stored.at("train").at("steps") == 12);

  const auto refused = lctrain::run(place, {"--config", path, "--set", "train.steps=14", "--set",
                                            "train.lanes=8", "--set", "model.d_model=32"});
  CAPTURE(refused.err);
  CHECK(refused.exit_code == 2);
  CHECK(has(refused.err, "train.lanes: 4 -> 8"));
  CHECK(has(refused.err, "model.d_model: 16 -> 32"));
  CHECK(has(refused.err, "--restart"));
  CHECK(lctrain::pointer(place.run("run"), "last") == "step_000012");
  CHECK(Json::parse(lctrain::bytes(place.run("run") / "config.json")) == stored);
}

TEST_CASE("flag --resume none refuses a folder in use, --restart moves it aside", "[lctrain]") {
  const Workplace place;
  const std::string path = finished_run(place);
  const auto refused = lctrain::run(place, {"--config", path, "--resume", "none"});
  CAPTURE(refused.err);
  CHECK(refused.exit_code == 2);
  CHECK(has(refused.err, "--restart"));

  const auto both = lctrain::run(place, {"--config", path, "--resume", "none", "--restart"});
  CAPTURE(both.err);
  CHECK(both.exit_code == 2);
  CHECK(has(both.err, "--restart: does not go with --resume none"));
  CHECK(lctrain::pointer(place.run("run"), "last") == "step_000010");

  const auto restarted =
      lctrain::run(place, {"--config", path, "--restart", "--set", "train.lanes=2"});
  CAPTURE(restarted.err);
  CHECK(restarted.exit_code == 0);
  const auto aside = place.run("run.old1");
  CHECK(lctrain::pointer(aside, "last") == "step_000010");
  CHECK(lctrain::pointer(place.run("run"), "last") == "step_000010");
  CHECK(Json::parse(lctrain::bytes(aside / "config.json")).at("train").at("lanes") == 4);
  CHECK(Json::parse(lctrain::bytes(place.run("run") / "config.json")).at("train").at("lanes") == 2);
}

TEST_CASE("a run's config from another version is refused in one sentence", "[lctrain]") {
  const Workplace place;
  const std::string path = finished_run(place);
  const auto file = place.run("run") / "config.json";
  Json stored = Json::parse(lctrain::bytes(file));
  stored["model"]["telepathy"] = true;
  place.write("runs/run/config.json", stored);
  const auto result = lctrain::run(place, {"--config", path});
  CAPTURE(result.err);
  CHECK(result.exit_code == 3);
  CHECK(has(result.err, file.string()));
  CHECK(has(result.err, "model.telepathy"));
  CHECK(has(result.err, "--restart"));
}

TEST_CASE("damaged checkpoints are refused with exit 3", "[lctrain]") {
  const Workplace place;
  const std::string path = finished_run(place);
  const auto folder = place.run("run") / "checkpoints" / "step_000010";
  lctrain::fs::resize_file(folder / "optimizer.safetensors", 100);
  const auto result = lctrain::run(place, {"--config", path, "--set", "train.steps=20"});
  CAPTURE(result.err);
  CHECK(result.exit_code == 3);
  CHECK(has(result.err, "optimizer.safetensors"));
}

TEST_CASE("faults of the command line and the config exit 2", "[lctrain]") {
  const Workplace place;
  Json config = place.config("run");
  const std::string path = place.write("run.json", config).string();
  CHECK(lctrain::run(place, {}).exit_code == 2);
  CHECK(lctrain::run(place, {"--config", path, "--no-such-flag"}).exit_code == 2);
  CHECK(lctrain::run(place, {"--config", (place.path() / "absent.json").string()}).exit_code == 2);

  const auto faults =
      lctrain::run(place, {"--config", path, "--set", "model.layrs=3", "--set", "train.lanes=0"});
  CHECK(faults.exit_code == 2);
  CHECK(has(faults.err, "model.layers"));
  CHECK(has(faults.err, "train.lanes"));

  const auto chunks = lctrain::run(place, {"--config", path, "--set", "train.accumulation=5"});
  CHECK(chunks.exit_code == 2);
  CHECK(has(chunks.err, "train.accumulation"));
  const auto endless = lctrain::run(place, {"--config", path, "--set", "train.steps=null"});
  CHECK(endless.exit_code == 2);
  CHECK(has(endless.err, "train.steps"));
  const auto device = lctrain::run(place, {"--config", path, "--device", "abacus"});
  CHECK(device.exit_code == 2);
  CHECK(has(device.err, "abacus"));

  const auto order =
      lctrain::run(place, {"--config", path, "--set", "data.shuffle_documents=true"});
  CAPTURE(order.err);
  CHECK(order.exit_code == 2);
  CHECK(has(order.err, "data.shuffle_documents: true orders the documents of reset mode, but"));
  CHECK_FALSE(lctrain::fs::exists(place.path() / "cache"));  // before any text is prepared

  const auto missing = lctrain::run(place, {"--config", path, "--set", "data.train=nowhere.txt"});
  CHECK(missing.exit_code == 3);
  CHECK(has(missing.err, "nowhere.txt"));
  CHECK_FALSE(lctrain::fs::exists(place.run("run") / "checkpoints"));
}

TEST_CASE("parameter groups that no model has are refused, those of another model are idle",
          "[lctrain]") {
  const Workplace place;
  Json config = place.config("run");
  config["optim"]["groups"] = {{"gat", {{"lr", 0.01}}}};
  const auto refused = lctrain::run(place, {"--config", place.write("gat.json", config).string()});
  CAPTURE(refused.err);
  CHECK(refused.exit_code == 2);
  CHECK(has(refused.err, "optim.groups.gat: unknown key; did you mean optim.groups.gate?"));
  const auto set = lctrain::run(place, {"--config", place.write("run.json", config).string(),
                                        "--set", "optim.groups.compresor.clip_norm=0.1"});
  CHECK(set.exit_code == 2);
  CHECK(has(set.err, "did you mean optim.groups.compressor"));
  CHECK(has(set.err, "did you mean optim.groups.gate?"));

  config["optim"]["groups"] = {{"gate", {{"lr", 0.01}}}, {"main", {{"lr", nullptr}}}};
  config["train"]["steps"] = 2;
  config["eval"]["every"] = 0;
  const auto idle = lctrain::run(place, {"--config", place.write("idle.json", config).string()});
  CAPTURE(idle.err);
  CHECK(idle.exit_code == 0);
}

TEST_CASE("a model that memory can't hold exits 4", "[lctrain]") {
  const Workplace place;
  Json config = place.config("run");
  config["model"]["d_inner"] = 2'000'000'000;  // two matrices of 128 GB
  const std::string path = place.write("run.json", config).string();
  const auto result = lctrain::run(place, {"--config", path}, "ulimit -v 40000000");
  CAPTURE(result.err);
  CHECK(result.exit_code == 4);
  CHECK(has(result.err, "out of memory"));
}

TEST_CASE("flag --dump-config gives a config that gives itself", "[lctrain]") {
  const Workplace place;
  const std::string path = place.write("run.json", place.config("run")).string();
  const auto first = lctrain::run(
      place, {"--config", path, "--dump-config", "--precision", "float64", "--out", "elsewhere"});
  REQUIRE(first.exit_code == 0);
  const Json dumped = Json::parse(first.out);
  CHECK(dumped.at("run").at("precision") == "float64");
  CHECK(dumped.at("run").at("out_dir") == "elsewhere");
  CHECK(dumped.at("train").at("max_nonfinite") == 10);
  const auto second = lctrain::run(
      place, {"--config", place.write("dumped.json", dumped).string(), "--dump-config"});
  CHECK(second.out == first.out);
  CHECK_FALSE(lctrain::fs::exists(place.run("run")));
}

TEST_CASE("flag --dry-run says what a run takes and leaves nothing", "[lctrain]") {
  const Workplace place;
  const std::string path = place.write("run.json", place.config("run")).string();
  const auto result = lctrain::run(place, {"--config", path, "--dry-run"});
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  for (const char* part : {"embedding", "layers.*", "weights", "gradients", "optimizer",
                           "activations", "carried memory", "tokens per step", "steps"}) {
    CAPTURE(part, result.out);
    CHECK(has(result.out, part));
  }
  // 2 layers of 24 inputs, or of their keys and values, 16 wide.
  CHECK(has(result.out, "training    transformer_xl       16              768          3,072"));
  CHECK(has(result.out, "evaluation  transformer_xl       16            1,536          6,144"));
  CHECK_FALSE(lctrain::fs::exists(place.run("run")));
}

TEST_CASE("a dry run's evaluation has the lengths that section eval asks for", "[lctrain]") {
  const Workplace place;
  Json config = place.config("run");
  config["eval"]["memory_length"] = 48;
  config["eval"]["segment_length"] = 32;
  const auto xl =
      lctrain::run(place, {"--config", place.write("xl.json", config).string(), "--dry-run"});
  CAPTURE(xl.out, xl.err);
  REQUIRE(xl.exit_code == 0);
  CHECK(has(xl.out, "training    transformer_xl       16              768          3,072"));
  // Keys and values of 48 inputs in 2 layers, 16 wide.
  CHECK(has(xl.out, "evaluation  transformer_xl       32            3,072         12,288"));

  config = compressive_config(place, "run");
  config["eval"]["memory_length"] = 24;
  config["eval"]["compressed_length"] = 40;
  const auto compressive = lctrain::run(
      place, {"--config", place.write("compressive.json", config).string(), "--dry-run"});
  CAPTURE(compressive.out, compressive.err);
  REQUIRE(compressive.exit_code == 0);
  // 2 layers of 16 inputs and 8 slots, in evaluation of 24 and 40, 16 wide.
  CHECK(has(compressive.out, "training    compressive       16              768          3,072"));
  CHECK(has(compressive.out, "evaluation  compressive       16            2,048          8,192"));

  // What no training would evaluate with is refused, unless nothing is evaluated.
  const auto dry = [&](const std::string& setting) {
    return lctrain::run(place, {"--config", place.write("other.json", config).string(), "--dry-run",
                                "--set", setting});
  };
  config["eval"]["memory_length"] = 26;
  const auto refused = dry("run.name=other");
  CAPTURE(refused.err);
  CHECK(refused.exit_code == 2);
  CHECK(has(refused.err, "26 is no multiple of model.compressive.rate 4"));
  CHECK(dry("eval.every=0").exit_code == 0);
  config["eval"]["memory_length"] = 24;
  const auto segment = dry("eval.segment_length=15");
  CHECK(segment.exit_code == 2);
  CHECK(has(segment.err, "eval.segment_length: 15 is no multiple"));
}

TEST_CASE("the check that losses keep apart says what it found, and where it found nothing",
          "[lctrain]") {
  const Workplace place;
  Json config = compressive_config(place, "apart");
  config["train"]["steps"] = 2;
  config["train"]["check_isolation"] = true;
  config["eval"]["every"] = 0;
  const auto apart = lctrain::run(place, {"--config", place.write("a.json", config).string()});
  CAPTURE(apart.err);
  CHECK(apart.exit_code == 0);
  CHECK(has(apart.err, "losses keep apart: the next token reaches"));
  CHECK(has(apart.err, "auxiliary losses 2 others"));  // a convolution in each of two layers
  CHECK_FALSE(has(apart.err, "shows nothing"));

  // Memory begins anew before it is full, so that nothing is ever compressed.
  config["run"]["out_dir"] = place.run("unmet").string();
  config["data"]["sequence_segments"] = 2;
  config["model"]["compressive"]["memory_length"] = 32;
  const auto unmet = lctrain::run(place, {"--config", place.write("b.json", config).string()});
  CAPTURE(unmet.err);
  CHECK(unmet.exit_code == 0);
  CHECK(has(unmet.err, "train.check_isolation shows nothing"));
  CHECK(has(unmet.err, "no auxiliary loss had a value in the first 64 segments"));
  CHECK_FALSE(has(unmet.err, "losses keep apart"));
}

TEST_CASE("output that is lost is a run-time failure", "[lctrain]") {
  const Workplace place;
  const std::string path = place.write("run.json", place.config("run")).string();
  for (const std::string flag : {"--dump-config", "--dry-run", "--help-config", "--help"}) {
    const auto result = lctrain::run(place, {"--config", path, flag}, "exec >/dev/full");
    CAPTURE(flag, result.err);
    CHECK(result.exit_code == 1);
    CHECK(has(result.err, "lctrain: stdout: can't be written: "));
  }
}

TEST_CASE("flag --help-config answers without a config", "[lctrain]") {
  const Workplace place;
  const auto help = lctrain::run(place, {"--help-config"});
  CHECK(help.exit_code == 0);
  CHECK(has(help.out, "train.bptt_segments"));
  CHECK(has(help.out, "checkpoint.keep_last"));
}

TEST_CASE("checkpoints rotate and the best one stays", "[lctrain]") {
  const Workplace place;
  Json config = place.config("run");
  config["eval"]["every"] = 10;
  const auto result = lctrain::run(place, {"--config", place.write("run.json", config).string()});
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  double lowest = 1e9;
  int64_t best = 0;
  int evaluations = 0;
  for (const Json& line : lctrain::metrics(place.run("run"))) {
    if (!line.contains("split")) continue;
    ++evaluations;
    if (line.at("nats_per_token").get<double>() < lowest) {
      lowest = line.at("nats_per_token").get<double>();
      best = line.at("step").get<int64_t>();
    }
  }
  CHECK(evaluations == 4);
  CHECK(lctrain::pointer(place.run("run"), "best") == "step_0000" + std::to_string(best));
  CHECK(lctrain::pointer(place.run("run"), "last") == "step_000040");
  CHECK(lctrain::checkpoints(place.run("run")).size() <= 3);
  const auto& state = lctrain::state(place.run("run") / "checkpoints" / "step_000040");
  CHECK(state.at("best").at("nats_per_token") == lowest);
}

TEST_CASE("two processes never train in one folder", "[lctrain]") {
  const Workplace place;
  Json config = place.config("run");
  config["train"]["steps"] = 1000000;
  const std::string path = place.write("run.json", config).string();
  lctrain::Process first(place, {"--config", path});
  while (first.running() && lctrain::bytes(place.run("run") / "metrics.jsonl").empty()) {
  }
  for (const std::string flag : {"--resume=auto", "--restart"}) {
    const auto second = lctrain::run(place, {"--config", path, flag});
    CAPTURE(flag, second.err);
    CHECK(second.exit_code == 2);
    CHECK(has(second.err, "is training in this folder"));
  }
  CHECK(first.running());
}
