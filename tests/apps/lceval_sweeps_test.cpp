// lceval recl, lceval speed and lceval --dynamic on runs that lctrain has just trained.
#include <sstream>

#include "apps/lceval_process.h"
#include "catch.h"

namespace lceval {
namespace {

int count_lines(const std::string& text) {
  std::istringstream stream(text);
  int lines = 0;
  for (std::string line; std::getline(stream, line);) ++lines;
  return lines;
}

// The weights of the last checkpoint, as they are on disk.
std::string weights_on_disk(const Workplace& place, const std::string& run) {
  return lctrain::bytes(place.run(run) / "checkpoints" / lctrain::pointer(place.run(run), "best") /
                        "model.safetensors");
}

}  // namespace

TEST_CASE("lceval recl gives the effective context of groups of runs, strict and by span") {
  const Workplace place;
  train_xl(place);
  train_vanilla(place);
  const std::vector<std::string> base = {"recl",         "--checkpoint", "runs/xl", "--checkpoint",
                                         "runs/vanilla", "--step",       "4",       "--longest",
                                         "12",           "--tokens",     "60"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), base.begin(), base.end());
    return more;
  };
  const Json json = json_of(place, with({"--shares", "0.5,1", "--csv", "recl.csv", "--plot",
                                         "recl.svg", "--out", "reports"}));
  REQUIRE(json["groups"].size() == 1);
  CHECK(json["groups"][0]["name"] == "all");
  REQUIRE(json["groups"][0]["runs"].size() == 2);
  for (const Json& run : json["groups"][0]["runs"]) {
    REQUIRE(run["lengths"].size() == 2);
    for (const Json& length : run["lengths"]) {
      CHECK(length["gains"].size() == 2);
      const int tokens = length["effective_context"].get<int>();
      CHECK((tokens == 4 || tokens == 8 || tokens == 12));
      CHECK(length["at_least"].get<bool>() == (tokens == 12));
    }
  }
  CHECK(json["groups"][0]["runs"][0]["lengths"][0]["targets"] == 30);
  CHECK(json["protocol"]["mode"] == "strict");
  CHECK(json["protocol"]["stride"] == 1);
  CHECK(json["protocol"]["targets"] == 60);
  CHECK(json["protocol"]["runs"]["xl"]["split"] == "valid");
  CHECK(count_lines(lctrain::bytes(place.path() / "recl.csv")) == 1 + 2 * 2 * 2);
  const fs::path reports = place.path() / "reports";
  CHECK(Json::parse(lctrain::bytes(reports / "valid_recl_strict.json")) == json);
  CHECK(lctrain::bytes(reports / "valid_recl_strict.svg") ==
        lctrain::bytes(place.path() / "recl.svg"));

  const lctrain::Result table = run_lceval(
      place, with({"--group", "first=xl,vanilla", "--group", "second=xl", "--stride", "3"}));
  INFO(table.err);
  CHECK(table.exit_code == 0);
  CHECK(table.out.find("\nsecond  xl ") != std::string::npos);
  CHECK(table.out.find("stride 3") != std::string::npos);
  CHECK(!fs::exists(place.run("xl") / "eval" / "valid_recl_strict.json"));

  // Span mode is one pass over the whole split, and only where there is an attention span.
  const Json span = json_of(place, {"recl", "--checkpoint", "runs/xl", "--step", "4", "--longest",
                                    "12", "--context-mode", "span"});
  CHECK(span["protocol"]["mode"] == "span");
  CHECK(span["protocol"]["targets"] == 2999 - 11);
  CHECK(fs::exists(place.run("xl") / "eval" / "valid_recl_span.svg"));
  CHECK(refusal(place, 2, with({"--context-mode", "span"})).find("strict") != std::string::npos);
  refusal(place, 2, with({"--context-mode", "span", "--stride", "2"}));
  refusal(place, 2, with({"--group", "all=xl"}));
  CHECK(refusal(place, 2, with({"--group", "all=xl,other"})).find("xl, vanilla") !=
        std::string::npos);
  refusal(place, 2, with({"--shares", "0,1"}));
  refusal(place, 2, with({"--first", "12"}));
  refusal(place, 2, with({"--context", "0,4"}));
  refusal(place, 3, {"recl", "--checkpoint", "runs/xl", "--step", "3000", "--longest", "6000"});
}

TEST_CASE("lceval speed times both ways to score the same targets, on every model") {
  const Workplace place;
  train_xl(place);
  train_vanilla(place);
  const std::vector<std::string> base = {"speed", "--context", "8,16", "--tokens",
                                         "32",    "--repeat",  "1",    "--checkpoint"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), base.begin(), base.end());
    return more;
  };
  const Json json = json_of(place, with({"runs/xl", "--csv", "speed.csv"}));
  REQUIRE(json["speed"].size() == 2);
  for (const Json& point : json["speed"]) {
    const int context = point["context"].get<int>();
    CHECK(point["targets"] == 32);
    CHECK(point["evaluation"]["inputs_per_token"] == 1.0);
    CHECK(point["theory_ratio"] == context + 1.0);
    CHECK(point["cpu_ratio"].get<double>() ==
          Approx(point["sliding"]["cpu_seconds_per_token"].get<double>() /
                 point["evaluation"]["cpu_seconds_per_token"].get<double>()));
  }
  CHECK(json["protocol"]["threads"] == 1);
  CHECK(json["protocol"]["evaluation"] == "memory");
  CHECK(count_lines(lctrain::bytes(place.path() / "speed.csv")) == 3);
  const fs::path eval = place.run("xl") / "eval";
  CHECK(Json::parse(lctrain::bytes(eval / "valid_other_speed.json")) == json);
  CHECK(fs::exists(eval / "valid_other_speed.svg"));

  const lctrain::Result table = run_lceval(place, with({"runs/vanilla", "--plot", "speed.svg"}));
  INFO(table.err);
  CHECK(table.exit_code == 0);
  CHECK(table.out.find("in theory") != std::string::npos);
  CHECK(table.out.find("evaluation windows") != std::string::npos);
  CHECK(lctrain::bytes(place.path() / "speed.svg").find("by half a window") != std::string::npos);

  refusal(place, 2, {"speed", "--checkpoint", "runs/xl"});
  refusal(place, 2, with({"runs"}));
  refusal(place, 2, with({"runs/xl", "--stride", "2"}));
  refusal(place, 2, with({"runs/xl", "--lanes", "2"}));
  refusal(place, 2, {"speed", "--checkpoint", "runs/xl", "--context", "0,8"});
  refusal(place, 3, {"speed", "--checkpoint", "runs/xl", "--context", "5000"});
}

TEST_CASE("lceval --dynamic learns while it scores, says so, and leaves the checkpoint alone") {
  const Workplace place;
  train_xl(place);
  train_vanilla(place);
  const std::string weights = weights_on_disk(place, "xl");
  const std::vector<std::string> base = {"--checkpoint", "runs/xl", "--tokens", "400"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), base.begin(), base.end());
    return more;
  };
  const Json plain = json_of(place, with({}));
  const Json json = json_of(place, with({"--dynamic", "sgd", "--dynamic-lr", "0.1",
                                         "--dynamic-decay", "0.01", "--csv", "along.csv"}));
  CHECK(json["protocol"]["dynamic"] ==
        Json{{"rule", "sgd"}, {"lr", 0.1}, {"decay", 0.01}, {"begins_anew", "never"}});
  CHECK(json["tokens_scored"] == 400);
  CHECK(json["nats_per_token"] != plain["nats_per_token"]);
  CHECK(json["dynamic"]["plain"]["nats_per_token"].get<double>() ==
        Approx(plain["nats_per_token"].get<double>()).epsilon(1e-5));
  CHECK(json["dynamic"]["difference"]["nats_per_token"].get<double>() ==
        Approx(json["nats_per_token"].get<double>() -
               json["dynamic"]["plain"]["nats_per_token"].get<double>())
            .epsilon(1e-6));
  CHECK(json["dynamic"]["along"].size() == 3);
  CHECK(!plain["protocol"].contains("dynamic"));
  CHECK(count_lines(lctrain::bytes(place.path() / "along.csv")) == 4);
  const fs::path eval = place.run("xl") / "eval";
  CHECK(Json::parse(lctrain::bytes(eval / "valid_other_dynamic.json")) == json);
  CHECK(fs::exists(eval / "valid_other_dynamic.svg"));
  CHECK(Json::parse(lctrain::bytes(eval / "valid_other.json")) == plain);
  CHECK(weights_on_disk(place, "xl") == weights);

  const lctrain::Result table = run_lceval(
      place, {"--checkpoint", "runs", "--tokens", "100", "--dynamic", "rms", "--dynamic-lr", "1e-5",
              "--dynamic-statistics", "5", "--plot", "along.svg"});
  INFO(table.err);
  CHECK(table.exit_code == 0);
  CHECK(table.out.find("rms, lr 1e-05, decay 0") != std::string::npos);
  CHECK(table.out.find("dynamic.statistics_segments 5") != std::string::npos);
  CHECK(fs::exists(place.path() / "along.svg"));
  const Json compared = json_of(place, {"compare", "runs/xl", "runs/vanilla", "--tokens", "100",
                                        "--dynamic", "sgd", "--dynamic-lr", "0.1"});
  CHECK(compared["b"]["protocol"]["dynamic"]["rule"] == "sgd");

  write(place.path() / "other.txt", std::string(200, 'a'));
  refusal(place, 2, with({"--dynamic", "sgd"}));
  refusal(place, 2, with({"--dynamic", "adam", "--dynamic-lr", "1"}));
  refusal(place, 2, with({"--dynamic-lr", "1"}));
  refusal(place, 2, with({"--dynamic", "sgd", "--dynamic-lr", "-1"}));
  refusal(place, 2, with({"--dynamic", "sgd", "--dynamic-lr", "1", "--dynamic-epsilon", "1"}));
  refusal(place, 2, with({"--dynamic", "sgd", "--dynamic-lr", "1", "--lanes", "2"}));
  refusal(place, 2, with({"--dynamic", "sgd", "--dynamic-lr", "1", "--context", "0,8"}));
  refusal(place, 2, with({"--dynamic", "rms", "--dynamic-lr", "1", "--data", "other.txt"}));
  CHECK(
      refusal(place, 5, with({"--dynamic", "sgd", "--dynamic-lr", "1e30"})).find("--dynamic-lr") !=
      std::string::npos);
}

TEST_CASE("A segment that the model can't read is refused by everything that reads segments") {
  const Workplace place;
  Json config = place.config("compressive");
  config["model"]["type"] = "compressive";
  config["model"]["compressive"] = {
      {"memory_length", 16}, {"compressed_length", 8}, {"rate", 4}, {"compression", "mean"}};
  config["train"]["steps"] = 2;
  train(place, "compressive", config);
  write(place.path() / "lines.txt", "one line\nanother line\n");
  const std::vector<std::string> run = {"--checkpoint", "runs/compressive", "--segment", "3"};
  for (const std::vector<std::string>& asked : std::vector<std::vector<std::string>>{
           {},
           {"--data", "lines.txt", "--records", "lines"},
           {"passkey", "--format", "toy", "--lengths", "64", "--depths", "0", "--samples", "1"}}) {
    std::vector<std::string> arguments = asked;
    arguments.insert(arguments.end(), run.begin(), run.end());
    const std::string message = refusal(place, 2, arguments);
    INFO(message);
    CHECK(message.find("--segment") != std::string::npos);
    CHECK(message.find("4") != std::string::npos);
  }
}

TEST_CASE("lceval compare takes two runs, not folders of them") {
  const Workplace place;
  train_xl(place);
  train_vanilla(place);
  CHECK(refusal(place, 2, {"compare", "runs", "runs/xl"}).find("runs and runs/xl hold 3 runs") !=
        std::string::npos);
}

TEST_CASE("Curves over contexts need the same targets") {
  const Workplace place;
  train_xl(place);
  Json config = place.config("reset");
  config["data"]["boundaries"] = "reset";
  train(place, "reset", config);
  fs::create_directory(place.path() / "books");
  write(place.path() / "books" / "1.txt", std::string(200, 'b'));
  write(place.path() / "books" / "2.txt", std::string(200, 'c'));
  const std::vector<std::string> runs = {"--checkpoint", "runs/xl", "--checkpoint",
                                         "runs/reset",   "--data",  "books"};
  for (const std::vector<std::string>& asked : std::vector<std::vector<std::string>>{
           {"--context", "0,16"}, {"recl", "--step", "8", "--longest", "16"}}) {
    std::vector<std::string> arguments = asked;
    arguments.insert(arguments.end(), runs.begin(), runs.end());
    const std::string message = refusal(place, 2, arguments);
    CHECK(message.find("reset: scores other tokens than xl") != std::string::npos);
  }
}

}  // namespace lceval
