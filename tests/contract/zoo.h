// Small models of every registered type, for the contract tests. Nothing here names a model: what a
// type can do is read from its registry entry.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/segment.h"
#include "models/registry.h"

namespace zoo {

constexpr int64_t kVocabulary = 13;

struct Variant {
  std::string name;  // "transformer_xl, memory 5, rotary, pre-norm"
  std::string type;
  nlohmann::json model;  // section "model"

  bool carries_memory = false;  // its state has queues
  bool chosen = false;          // with a row of its own that isn't as by default
};

// Every type, with no, short and long memory where it has one, and shorter and longer second
// memory where it has that: post-norm with every position scheme that it takes, pre-norm with the
// first of them. With the longest memory also every choice of every row of its own, each with the
// first scheme, and with those that its defaults don't take.
std::vector<Variant> variants();

struct Place {
  at::ScalarType dtype = at::kDouble;
  at::Device device = at::kCPU;
};
std::unique_ptr<lc::LanguageModel> build(const nlohmann::json& model, Place place = {});
// The same variant with memory for `length` inputs; only where its type has that setting.
nlohmann::json with_memory(const Variant& variant, int64_t length);
bool has_memory_setting(const Variant& variant);

// Random tokens [lanes, length], the same for the same seed.
at::Tensor tokens(int64_t lanes, int64_t length, uint64_t seed);

// Inputs tokens[:, first .. first + length) and the targets after them. All lanes start anew if
// first is 0.
lc::Segment segment(const at::Tensor& tokens_BN, int64_t first, int64_t length, int64_t index);

}  // namespace zoo
