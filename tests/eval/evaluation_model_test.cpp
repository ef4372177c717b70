#include "eval/evaluation_model.h"

#include <string>

#include "catch.h"
#include "core/error.h"
#include "eval/tiny_model.h"
#include "models/registry.h"

namespace {

using lc::RuntimeValues;
using lc::ValueNames;

// What a model built anew with these values is refused with.
std::string refused_as(const TinyModel& trained, const RuntimeValues& values,
                       const ValueNames& names) {
  try {
    lc::naming_values(names, [&] {
      const lc::Config config = with_runtime_values(trained.table, trained.config, values);
      check_segment_length(config, {4, "--segment"});
      rebuild(*trained.model, config);
    });
  } catch (const lc::Error& error) {
    CHECK(error.kind() == lc::ErrorKind::kUsage);
    return error.what();
  }
  return "";
}

TEST_CASE("A runtime value that is refused is named as it was given") {
  const TinyModel compressive(tiny_compressive("separate"), at::kDouble);
  const TinyModel xl(tiny_xl(6, "segment"), at::kDouble);
  const ValueNames flags = {{"memory", "--memory"}, {"span", "--span"}};
  CHECK(refused_as(xl, {{"memory", 3}}, flags).empty());
  // By the table, by the model that is built, and where the model has no such value.
  CHECK(refused_as(xl, {{"memory", -3}}, flags) ==
        "--memory: -3 is out of range; give an integer of at least 0 and at most 2147483648");
  CHECK(refused_as(compressive, {{"memory", 5}}, flags)
            .starts_with("--memory: 5 is no multiple of model.compressive.rate 4"));
  CHECK(refused_as(compressive, {{"span", 5}}, flags).starts_with("--span: value 5 can't be set"));
  CHECK(refused_as(xl, {{"depth", 5}}, {{"depth", "--sweep depth=5"}})
            .starts_with("--sweep depth=5: value 5 can't be set for model type transformer_xl"));
  CHECK(refused_as(compressive, {{"memory", 5}}, {{"memory", "--sweep memory=5"}})
            .starts_with("--sweep memory=5: 5 is no multiple"));
}

TEST_CASE("A remedy names the flag of a value that was given, and the key of any other") {
  const TinyModel xl(tiny_xl(6, "reference"), at::kDouble);
  const std::string fault = R"(: "reference" with memory_length 0 hides every key; set )";
  const std::string span = "model.transformer_xl.attention_span";
  const std::string rest = " to 1 or more, or choose \"fixed\"";
  CHECK(refused_as(xl, {{"memory", 0}}, {{"memory", "--memory"}}) ==
        span + fault + "--memory" + rest);
  CHECK(refused_as(xl, {{"memory", 0}}, {{"memory", "--sweep memory=0"}}) ==
        span + fault + "--sweep memory" + rest);
  CHECK(refused_as(xl, {{"memory", 0}}, {{"span", "--span"}}) ==
        "--span" + fault + "model.transformer_xl.memory_length" + rest);
}

TEST_CASE("Faults that are no fault of the command line pass as they are") {
  const auto fail = [] {
    throw lc::Error(lc::ErrorKind::kData, "model.transformer_xl.memory_length", "is lost", "");
  };
  CHECK_THROWS_WITH(lc::naming_values({{"memory", "--memory"}}, fail),
                    "model.transformer_xl.memory_length: is lost");
}

}  // namespace
