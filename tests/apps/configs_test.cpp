// Every file in configs/ is one that lctrain takes, and is what it says it is.
#include <ATen/ATen.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "catch.h"
#include "common/full_option_table.h"
#include "config/config.h"
#include "eval/evaluation_model.h"
#include "models/registry.h"
#include "optim/schedule.h"
#include "train/train_settings.h"

namespace {

namespace fs = std::filesystem;

const fs::path kConfigs = fs::path(LC_SOURCE_DIR) / "configs";

std::string text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<fs::path> shipped() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(kConfigs)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

lc::Config read(const fs::path& file, const std::vector<std::string>& overrides = {}) {
  return lc::Config::read(lc::full_option_table(), text_of(file), file.string(), overrides);
}

int64_t vocab_size(const lc::Config& config) {
  const auto tokenizer = config.get<std::string>("data.tokenizer.type");
  if (tokenizer == "byte") return 256;
  if (tokenizer == "word") return 267'735;  // of WikiText-103, the only text of words here
  return config.get<int64_t>("data.tokenizer.vocab_size");
}

// Without storage.
std::unique_ptr<lc::LanguageModel> build(const lc::Config& config) {
  return lc::build_model(config, {vocab_size(config), {at::kFloat, at::kMeta, 1}});
}

int64_t parameters(const std::string& file, const std::vector<std::string>& overrides = {}) {
  return build(read(kConfigs / file, overrides))->parameters().count();
}

// Of parameters whose name has that part.
int64_t parameters_of(const std::string& file, const std::string& part) {
  const auto model = build(read(kConfigs / file));
  int64_t total = 0;
  for (const lc::Parameter& parameter : model->parameters().all()) {
    if (parameter.name.find(part) != std::string::npos) total += parameter.value.numel();
  }
  return total;
}

constexpr const char* kAsXl = "model.type=transformer_xl";

}  // namespace

TEST_CASE("every shipped config is read, checked and built, in training and in evaluation") {
  const auto table = lc::full_option_table();
  REQUIRE(shipped().size() >= 9);
  for (const fs::path& file : shipped()) {
    INFO(file);
    const lc::Config config = read(file);
    const auto settings = lc::train_settings(config);
    CHECK_NOTHROW(lc::schedule_settings(config, settings.limits.steps.value_or(1000)));
    lc::check_segment_length(config, {config.get<int64_t>("train.segment_length"), "test"});
    CHECK(build(config)->parameters().count() > 0);
    const lc::Config evaluated =
        lc::with_runtime_values(table, config, lc::periodic_runtime_values(config));
    CHECK(build(evaluated)->parameters().count() == build(config)->parameters().count());
  }
}

TEST_CASE("the README of configs names every file") {
  const std::string readme = text_of(kConfigs / "README.md");
  for (const fs::path& file : shipped()) {
    INFO(file);
    CHECK(readme.find("`" + fs::relative(file, kConfigs).string() + "`") != std::string::npos);
  }
}

TEST_CASE("one line switches the model of a starter, sizes and data staying the same") {
  const auto registry = lc::model_registry();
  for (const std::string file :
       {"quickstart.json", "xl.json", "vanilla.json", "compressive.json", "infini.json"}) {
    for (const lc::ModelEntry& entry : registry) {
      INFO(file << " as " << entry.type);
      const lc::Config config = read(kConfigs / file, {"model.type=" + entry.type});
      lc::check_segment_length(config, {config.get<int64_t>("train.segment_length"), "test"});
      CHECK(build(config)->parameters().count() > 0);
    }
  }
  const lc::Config xl = read(kConfigs / "xl.json");
  for (const lc::ModelEntry& entry : registry) {
    const std::string name = entry.type == "transformer_xl" ? "xl" : entry.type;
    const lc::Config own = read(kConfigs / (name + ".json"));
    INFO(name);
    CHECK(own.get<std::string>("model.type") == entry.type);
    nlohmann::json model = own.at("model");
    model["type"] = "transformer_xl";
    CHECK(model == xl.at("model"));
    CHECK(own.at("data.path") == xl.at("data.path"));
    CHECK(own.at("optim.schedule") == xl.at("optim.schedule"));
  }
}

TEST_CASE("the starters of the zoo read equally many tokens") {
  for (const std::string file : {"xl.json", "vanilla.json", "compressive.json", "infini.json"}) {
    INFO(file);
    const lc::Config config = read(kConfigs / file);
    const auto limits = lc::train_settings(config).limits;
    const auto segment =
        config.get<int64_t>("train.segment_length") * config.get<int64_t>("train.lanes");
    CHECK(limits.tokens.value_or(limits.steps.value_or(0) * segment) == 20'480'000);
  }
}

TEST_CASE("the Compressive Transformers have the trunks whose sizes were published") {
  // The totals of the published Transformer-XL code, its 204 symbols being 256 bytes here and its
  // biases each layer's own (2 for each of the others).
  const int64_t enwik8 = 277'231'820 + (256 - 204) * (1024 + 1) + 23 * 2 * 1024;
  CHECK(parameters("compressive/enwik8_large.json", {kAsXl}) == enwik8);
  CHECK(parameters("compressive/wikitext103_large.json", {kAsXl}) == 285'205'322);
  // Beside them: a convolution over 3 (4) inputs, and a projection and a bias for slots.
  CHECK(parameters("compressive/enwik8_large.json") ==
        enwik8 + 24 * (3 * 1024 * 1024 + 1024 * 1024 + 1024));
  CHECK(parameters("compressive/wikitext103_large.json") ==
        285'205'322 + 18 * (4 * 1024 * 1024 + 1024 * 1024 + 1024));
  CHECK(parameters_of("compressive/pg19_base.json", ".compression.") == 36 * 2 * 1024 * 1024);
}

TEST_CASE("published numbers stand in the configs that follow them") {
  const auto update_period = [](const std::string& file, int64_t segment) {
    return lc::scheduled_value(read(kConfigs / file).at("optim.update_period"), segment);
  };
  for (const std::string name : {"enwik8_large", "wikitext103_large", "pg19_base"}) {
    CHECK(update_period("compressive/" + name + ".json", 59'999) == 1);
    CHECK(update_period("compressive/" + name + ".json", 60'000) == 4);
  }
  // Numbers that the paper's table 2 rounds to 1.6 and 50 million.
  const auto carried = [](const std::vector<std::string>& overrides) {
    const lc::Config config = read(kConfigs / "infini" / "pg19_base.json", overrides);
    return build(config)->footprint(2048, lc::MemoryUse::kInference).carried.numbers;
  };
  CHECK(carried({}) == 1'585'152);
  CHECK(carried({kAsXl}) == 50'331'648);
  const lc::Config infini = read(kConfigs / "infini" / "pg19_base.json");
  CHECK(infini.get<int64_t>("data.sequence_segments") *
            infini.get<int64_t>("train.segment_length") ==
        32'768);
}
