#include "apps/lcprep_process.h"

#include "catch.h"

namespace lcprep {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

void export_run(const Workplace& place) {
  Json config = place.config("xl");
  config["train"]["steps"] = 12;
  lceval::train(place, "xl", config);
  const auto result = run_program(place, "lcprep",
                                  {"export", "--format", "huggingface", "--checkpoint", "runs/xl",
                                   "--out", "exported", "--json"});
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  CHECK(Json::parse(result.out).at("folder") == "exported");
  CHECK(Json::parse(result.out).at("vocabulary") == "vocab.txt");
  CHECK(has(result.err, "attends to zero vectors"));
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes += std::to_string(byte) + "\n";
  lceval::write(place.path() / "bytes.txt", bytes);
  CHECK(lctrain::bytes(place.path() / "exported/vocab.txt") == bytes);
}

std::vector<std::string> importing(const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"import",
                                     "--format",
                                     "huggingface",
                                     "--weights",
                                     "exported/model.safetensors",
                                     "--config",
                                     "exported/config.json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::string refusal_of(const Workplace& place, const std::vector<std::string>& arguments) {
  const auto result = run_program(place, "lcprep", arguments);
  CHECK(result.out.empty());
  const size_t begin = result.err.find("lcprep: ");
  const std::string message = begin == std::string::npos ? "" : result.err.substr(begin);
  CHECK(message.find('\n') == message.size() - 1);
  return std::to_string(result.exit_code) + " " + message;
}

}  // namespace lcprep
