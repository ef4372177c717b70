// Passkey prompts, toy samples and the generator behind them.
#include <algorithm>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "catch.h"
#include "core/file_io.h"
#include "data/passkey/toy_passkey.h"
#include "golden/golden_case.h"

namespace golden {
namespace {

using Json = nlohmann::json;

std::vector<Json> lines_of(const std::filesystem::path& file) {
  std::istringstream text(lc::read_file(file));
  std::vector<Json> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(Json::parse(line));
  return lines;
}

void check_generator(const Json& json) {
  for (const auto& [state, outputs] :
       {std::pair("state", "first_outputs_hex"), std::pair("state_2", "first_outputs_2_hex")}) {
    lc::SplitMix64 generator(json.at(state).get<uint64_t>());
    for (const Json& expected : json.at(outputs)) {
      CHECK(generator.next() == std::stoull(expected.get<std::string>(), nullptr, 16));
    }
  }
  // Of many samples the evaluation keys are all those that there are.
  std::vector<bool> seen(1000, false);
  for (uint64_t index = 0; index < 3000; ++index) {
    const auto sample = lc::toy_sample({5, index}, {17, lc::ToyKeys::kEval});
    seen[static_cast<size_t>(sample.key)] = true;
  }
  CHECK(std::count(seen.begin(), seen.end(), true) == json.at("eval_keys").get<int>());
}

lc::PasskeyPrompt built(const Json& json) {
  const auto key = json.at("key").get<int64_t>();
  const auto number = [&](const char* name) { return json.at(name).get<int64_t>(); };
  return json.at("format") == "newline"
             ? lc::newline_prompt(key, {number("filler_chars"), number("prefix_chars")})
             : lc::space_prompt(key, {number("units_before"), number("units_after")});
}

void check_prompt(const Json& json) {
  INFO("prompt " << json.at("id"));
  const lc::PasskeyPrompt prompt = built(json);
  CHECK(json.at("prompt") == prompt.text);
  CHECK(json.at("sha256") == lc::sha256_of(prompt.text));
  CHECK(json.at("bytes") == static_cast<int64_t>(prompt.text.size()));
  CHECK(json.at("answer") == prompt.answer);
  CHECK(json.at("continuation") == prompt.continuation);
  CHECK(json.at("needle_offset") == prompt.needle_offset);
  CHECK(json.at("needle_end") == prompt.needle_end);
  CHECK(prompt.width == lc::AnswerWidth::kOpen);
}

void check_sample(const Json& json) {
  INFO("sample " << json.at("index"));
  const auto keys = json.at("split") == "train" ? lc::ToyKeys::kTrain : lc::ToyKeys::kEval;
  std::optional<double> depth;
  if (!json.at("depth").is_null()) depth = json.at("depth").get<double>();
  const lc::SampleNumber number{json.at("seed").get<uint64_t>(), json.at("index").get<uint64_t>()};
  const auto length = json.at("length").get<int64_t>();
  const lc::ToySample sample = lc::toy_sample(number, {length, keys, depth});
  CHECK(json.at("text") == sample.text);
  CHECK(json.at("phase") == sample.phase);
  CHECK(json.at("needle_offset") == sample.needle_offset);
  const lc::PasskeyPrompt prompt = sample.prompt();
  CHECK(json.at("key") == prompt.answer);
  CHECK(prompt.text + prompt.continuation == sample.text);
  // A depth, on evaluation keys, is how prompts are asked for.
  if (depth) {
    const auto same = lc::passkey_prompt(lc::PasskeyFormat::kToy, {length, *depth}, number);
    CHECK(same.text == prompt.text);
    CHECK(same.needle_end == prompt.needle_offset + 9);
  }
}

}  // namespace

void run_passkey(const std::filesystem::path& folder) {
  INFO(folder.string());
  check_generator(Json::parse(lc::read_file(folder / "generator.json")));
  const auto prompts = lines_of(folder / "prompts.jsonl");
  const auto samples = lines_of(folder / "toy_samples.jsonl");
  CHECK(prompts.size() == 12);
  CHECK(samples.size() >= 20);
  for (const Json& json : prompts) check_prompt(json);
  for (const Json& json : samples) check_sample(json);
}

}  // namespace golden
