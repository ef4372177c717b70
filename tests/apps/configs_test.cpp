// Every file in configs/ is one that lctrain takes, and is what it says it is.
#include <ATen/ATen.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "catch.h"
#include "common/full_option_table.h"
#include "config/config.h"
#include "core/number_text.h"
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
  if (tokenizer == "byte" && config.get<std::string>("data.protocol") == "reference") {
    return config.get<std::string>("data.corpus") == "enwik8" ? 204 : 27;
  }
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

// Below a folder of configs, those that follow something published, by their names.
std::vector<std::string> published() {
  std::vector<std::string> names;
  for (const fs::path& file : shipped()) {
    const std::string name = fs::relative(file, kConfigs).string();
    const bool starter = name.find('/') == std::string::npos;
    if (!starter && !name.starts_with("desk/") && name != "infini/passkey_toy.json") {
      names.push_back(name);
    }
  }
  return names;
}

// Input tokens of the run; an update of Infini-attention holds bptt_segments.
int64_t tokens_of(const lc::Config& config) {
  const auto limits = lc::train_settings(config).limits;
  if (limits.tokens) return *limits.tokens;
  const auto segment =
      config.get<int64_t>("train.segment_length") * config.get<int64_t>("train.lanes");
  const auto bptt = lc::scheduled_value(config.at("train.bptt_segments"), 0);
  int64_t segments = 0;
  for (int64_t step = 0; step < limits.steps.value(); ++step) {
    segments += bptt * lc::scheduled_value(config.at("optim.update_period"), segments);
  }
  return segments * segment;
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

TEST_CASE("the README of configs tells the parameters of published models and their twins") {
  const std::string readme = text_of(kConfigs / "README.md");
  for (const std::string& name : published()) {
    const std::string large = "| " + lc::grouped(parameters(name)) + " | `desk/" + name + "` | ";
    INFO(name << " " << large << lc::grouped(parameters("desk/" + name)));
    CHECK(readme.find(large + lc::grouped(parameters("desk/" + name)) + " |") != std::string::npos);
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

TEST_CASE("Infini-attention's files clip at 1 and give gates a rate of their own without decay") {
  int files = 0;
  for (const fs::path& file : shipped()) {
    INFO(file);
    const lc::Config config = read(file);
    if (config.get<std::string>("model.type") != "infini") continue;
    ++files;
    CHECK(config.get<double>("optim.clip_norm") == 1);
    CHECK(config.get<double>("optim.groups.gate.lr") >= 0.01);
    CHECK(config.get<double>("optim.groups.gate.weight_decay") == 0);
    // Adafactor's steps are shares of the weights: gates of 0 would stay there.
    if (config.get<std::string>("optim.name") == "adafactor") {
      CHECK(config.get<double>("model.infini.gate_init") != 0);
    }
  }
  CHECK(files == 4);
}

TEST_CASE("Transformer-XL's files have the parameters that the published code counts") {
  CHECK(parameters("transformer_xl/enwik8_base.json") == 41'055'436);
  CHECK(parameters("transformer_xl/enwik8_large.json") == 277'231'820);
  CHECK(parameters("transformer_xl/text8_base.json") == 40'964'635);
  // 177 symbols less than enwik8, each a row and a bias.
  CHECK(parameters("transformer_xl/text8_large.json") == 277'231'820 - 177 * (1024 + 1));
  CHECK(parameters("transformer_xl/wikitext103_base.json") == 151'107'538);
  CHECK(parameters("transformer_xl/wikitext103_large.json") == 285'170'506);
  CHECK(parameters("transformer_xl/nvidia_base.json") == 191'950'298);
  // Three words less in the first bin, of width 1024, and three more in the last, of width 16.
  CHECK(parameters("transformer_xl/nvidia_large.json") == 285'170'506 - 3 * (1024 - 16));
}

TEST_CASE("Transformer-XL's files read as many tokens as the published trainings") {
  const auto tokens = [](const std::string& name) {
    return tokens_of(read(kConfigs / "transformer_xl" / (name + ".json")));
  };
  CHECK(tokens("enwik8_base") == int64_t{400'000} * 11'264);
  CHECK(tokens("text8_base") == int64_t{400'000} * 11'264);
  CHECK(tokens("wikitext103_base") == int64_t{200'000} * 9'000);
  CHECK(tokens("nvidia_base") == int64_t{40'000} * 49'152);
  // 47.6 epochs of 103,227,021 words.
  CHECK(static_cast<double>(tokens("nvidia_large")) / 103'227'021 == Approx(47.6).margin(0.05));
}

TEST_CASE("a published file is called after its model and corpus, and says where it comes from") {
  const auto names = published();
  CHECK(names.size() == 12);
  for (const std::string& name : names) {
    INFO(name);
    const lc::Config config = read(kConfigs / name);
    const std::string corpus = name.find("nvidia") == std::string::npos
                                   ? config.get<std::string>("data.corpus")
                                   : "nvidia";
    CHECK(name.starts_with(config.get<std::string>("model.type") + "/" + corpus + "_"));
    const auto json = nlohmann::json::parse(text_of(kConfigs / name));
    CHECK(json.at("_comment").get<std::string>().find("ublished") != std::string::npos);
    // The recipes of these are whole; the others say which values had to be chosen.
    const bool whole =
        name.starts_with("transformer_xl/") && name.find("text8_base") == std::string::npos;
    CHECK(json.contains("_comment_unpublished") == !whole);
  }
}

TEST_CASE("every published file has a desk twin of the same recipe that trains in minutes") {
  for (const std::string& name : published()) {
    INFO(name);
    const lc::Config large = read(kConfigs / name);
    const lc::Config desk = read(kConfigs / "desk" / name);
    for (const char* key :
         {"model.type", "model.norm", "model.dropout", "model.attention_dropout",
          "model.final_norm", "model.positions", "model.adaptive.divisor",
          "model.adaptive.tie_projections", "data.corpus", "data.path", "data.protocol",
          "data.boundaries", "data.sequence_segments", "data.tokenizer.type", "optim.name",
          "optim.clip_norm", "optim.eps", "optim.lamb.variant", "optim.schedule.name",
          "optim.schedule.convention", "train.bptt_segments", "train.bptt_mode"}) {
      INFO(key);
      CHECK(desk.at(key) == large.at(key));
    }
    CHECK(desk.is_null("eval.memory_length") == large.is_null("eval.memory_length"));
    const auto ratio = [](const lc::Config& config, const std::string& part, const char* whole) {
      return config.get<double>(part) / config.get<double>(whole);
    };
    const std::string memory = "model." + desk.get<std::string>("model.type") + ".memory_length";
    if (desk.get<std::string>("model.type") != "infini") {
      CHECK(ratio(desk, memory, "train.segment_length") ==
            ratio(large, memory, "train.segment_length"));
    }
    if (desk.get<std::string>("model.type") == "compressive") {
      for (const char* key : {"rate", "compression", "compression_loss", "compressed_positions"}) {
        CHECK(desk.at(std::string("model.compressive.") + key) ==
              large.at(std::string("model.compressive.") + key));
      }
      CHECK(ratio(desk, "model.compressive.compressed_length", "train.segment_length") ==
            ratio(large, "model.compressive.compressed_length", "train.segment_length"));
    }
    // The quickstart reads 2.6 million in some minutes on two cores. Most parameters are rows of
    // words, few of which take part in an update.
    CHECK(build(desk)->parameters().count() < 25'000'000);
    CHECK(tokens_of(desk) < 3'500'000);
    CHECK(desk.get<int64_t>("model.layers") <= 6);
    CHECK(desk.get<int64_t>("model.d_model") <= 128);
  }
}
