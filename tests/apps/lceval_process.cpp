#include "apps/lceval_process.h"

#include <sys/wait.h>

#include <atomic>
#include <cstdlib>
#include <fstream>

#include "catch.h"

namespace lceval {
namespace {

std::string quoted(const std::string& word) {
  std::string result = "'";
  for (const char c : word) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

}  // namespace

void train(const Workplace& place, const std::string& name, const Json& config) {
  const fs::path file = place.write(name + ".json", config);
  const lctrain::Result result = lctrain::run(place, {"--config", file.string()});
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
}

void train_xl(const Workplace& place) { train(place, "xl", place.config("xl")); }

void train_vanilla(const Workplace& place) {
  Json config = place.config("vanilla");
  config["model"]["type"] = "vanilla";
  config["model"].erase("transformer_xl");
  config["model"]["positions"]["scheme"] = "sinusoidal";
  train(place, "vanilla", config);
}

void train_zoo(const Workplace& place) {
  for (const std::string type : {"transformer_xl", "vanilla", "compressive", "infini"}) {
    const std::string name = type == "transformer_xl" ? "xl" : type;
    Json config = place.config(name);
    Json& model = config["model"];
    model["type"] = type;
    model["init_std"] = 0.3;
    model["projection_init_std"] = 0.3;
    model["compressive"] = {{"memory_length", 24}, {"compressed_length", 12}, {"rate", 4}};
    if (type == "vanilla") model["positions"]["scheme"] = "sinusoidal";
    config["train"]["steps"] = 4;
    config["eval"]["every"] = 2;
    config["log"]["every"] = 2;
    train(place, name, config);
  }
}

lctrain::Result run_program(const Workplace& place, const std::string& program,
                            const std::vector<std::string>& arguments) {
  static std::atomic<int> number{0};
  const fs::path base = place.path() / (program + std::to_string(number++));
  std::string command = "cd " + quoted(place.path().string()) +
                        " && LCTRAIN_CACHE=" + quoted((place.path() / "cache").string()) + " " +
                        quoted(LC_BIN_DIR "/" + program);
  for (const std::string& argument : arguments) command += " " + quoted(argument);
  command += " >" + quoted(base.string() + ".out") + " 2>" + quoted(base.string() + ".err");
  const int status = std::system(command.c_str());
  lctrain::Result result;
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  result.out = lctrain::bytes(base.string() + ".out");
  result.err = lctrain::bytes(base.string() + ".err");
  return result;
}

lctrain::Result run_lceval(const Workplace& place, const std::vector<std::string>& arguments) {
  return run_program(place, "lceval", arguments);
}

Json json_of(const Workplace& place, std::vector<std::string> arguments) {
  arguments.emplace_back("--json");
  const lctrain::Result result = run_lceval(place, arguments);
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  return Json::parse(result.out);
}

const Json& run_named(const Json& json, const std::string& name) {
  for (const Json& run : json.at("runs")) {
    if (run.at("name") == name) return run;
  }
  FAIL("no run " << name);
  return json;
}

std::string refusal(const Workplace& place, int exit_code,
                    const std::vector<std::string>& arguments) {
  const lctrain::Result result = run_lceval(place, arguments);
  INFO(result.err);
  CHECK(result.exit_code == exit_code);
  CHECK(result.out.empty());
  const size_t begin = result.err.find("lceval: ");
  REQUIRE(begin != std::string::npos);
  const std::string message = result.err.substr(begin);
  CHECK(message.find('\n') == message.size() - 1);
  return message;
}

void write(const fs::path& file, const std::string& content) {
  std::ofstream(file, std::ios::binary) << content;
}

}  // namespace lceval
