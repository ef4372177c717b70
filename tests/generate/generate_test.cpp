// The loop: read, draw, read what was drawn.
#include "generate/generate.h"

#include <ATen/ATen.h>

#include "catch.h"
#include "contract/zoo.h"

namespace {

using Tokens = std::vector<int64_t>;

Tokens generated(const lc::LanguageModel& model, const lc::GenerationRequest& request) {
  lc::TextReader reader(model, 5);
  Tokens tokens;
  lc::generate(reader, request, [&](int64_t token) { tokens.push_back(token); });
  return tokens;
}

Tokens joined(Tokens first, const Tokens& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace

TEST_CASE("without temperature each token is the most probable one", "[generate]") {
  for (const zoo::Variant& variant : zoo::variants()) {
    INFO(variant.name);
    const auto model = zoo::build(variant.model);
    const Tokens prompt{3, 1, 4, 1, 5, 9, 2};
    Tokens text = prompt;
    for (int i = 0; i < 12; ++i) {
      lc::TextReader reader(*model, 5);
      text.push_back(reader.read(text).argmax().item<int64_t>());
    }
    const Tokens tokens = generated(*model, {prompt, 12, {.temperature = 0}});
    CHECK(joined(prompt, tokens) == text);
  }
}

TEST_CASE("a text that is continued goes on as it would have", "[generate]") {
  for (const zoo::Variant& variant : zoo::variants()) {
    INFO(variant.name);
    const auto model = zoo::build(variant.model);
    const lc::SamplingSettings sampling{.temperature = 1.5, .top_k = 9, .top_p = 0.95, .seed = 4};
    const Tokens whole = generated(*model, {{7}, 24, sampling});
    REQUIRE(whole.size() == 24);
    for (const std::ptrdiff_t cut : {1, 4, 9}) {
      const Tokens first{whole.begin(), whole.begin() + cut};
      const Tokens rest = generated(*model, {joined({7}, first), 24 - cut, sampling});
      CHECK(joined(first, rest) == whole);
    }
  }
}

TEST_CASE("the seed alone makes two texts differ", "[generate]") {
  const auto model = zoo::build(zoo::variants().front().model);
  const auto with_seed = [&](uint64_t seed) {
    return generated(*model, {{2, 5}, 40, {.temperature = 1, .seed = seed}});
  };
  CHECK(with_seed(1) == with_seed(1));
  CHECK(with_seed(1) != with_seed(2));
  CHECK(generated(*model, {{2, 5}, 0, {}}).empty());
}
