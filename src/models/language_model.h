// A language model: Embedding -> Trunk -> OutputHead, with memory that goes in and comes out.
//
// Shapes: B lanes, T positions of the segment, D = d_model, V = vocabulary.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/auxiliary_loss.h"
#include "core/memory_state.h"
#include "core/probe.h"
#include "core/segment.h"
#include "nn/embedding.h"
#include "nn/output_head.h"
#include "nn/parameters.h"
#include "nn/trunk.h"

namespace lc {

struct StepOptions {
  bool training = false;  // dropout is on
  uint64_t seed = 0;  // of the run; with the segment's epoch, index and lanes the key of dropout
  Probe* probe = nullptr;
};

struct StepResult {
  at::Tensor nll_BT;   // nats, in input order, in at least float32; 0 at padding
  MemoryState memory;  // with gradient history: the trainer decides where to detach
  std::vector<AuxiliaryLoss> auxiliary = {};  // in training
};

struct LogitsResult {
  at::Tensor logits_BV;  // log probabilities at the last position
  MemoryState memory;
};

class LanguageModel {
 public:
  LanguageModel(ParameterSet parameters, Embedding embedding, std::unique_ptr<Trunk> trunk,
                OutputHead head);

  // One segment. Lanes in starts_B begin from initial memory. Memory is used up.
  StepResult step(const Segment& segment, MemoryState memory, const StepOptions& options) const;
  // The memory that step would give, without its losses.
  MemoryState advance(const Segment& segment, MemoryState memory, const StepOptions& options) const;
  // The same without targets, for generation.
  LogitsResult logits(const Segment& segment, MemoryState memory) const;

  MemoryState initial_memory(int64_t lanes, MemoryUse use) const;
  // Tokens before a segment that can change what it gives, where the text is cut into segments of
  // this length; none: unbounded.
  std::optional<int64_t> reach(int64_t segment_length) const;
  bool has_memory() const;  // false: every segment stands alone
  // What one lane holds where the text is cut into segments of this length, by formula; also on a
  // device without storage.
  Footprint footprint(int64_t segment_length, MemoryUse use) const {
    return trunk_->footprint(segment_length, use);
  }
  // The auxiliary losses of an update, known before its first forward: training on these segments,
  // one after the other from this memory, gives as many values.
  std::vector<AuxiliaryShare> auxiliary_shares(const MemoryState& memory,
                                               const std::vector<const Segment*>& segments) const {
    return trunk_->auxiliary_shares(memory, segments);
  }

  ParameterSet& parameters() { return parameters_; }
  const ParameterSet& parameters() const { return parameters_; }
  at::Device device() const { return parameters_.setup().device; }
  int64_t vocab_size() const { return embedding_.vocab_size(); }
  // To be called after weights changed: inference memories made before are refused from now on.
  void after_update() { ++version_; }

 private:
  TrunkResult hidden(const Segment& segment, MemoryState memory, const StepOptions& options) const;

  ParameterSet parameters_;
  Embedding embedding_;
  std::unique_ptr<Trunk> trunk_;
  OutputHead head_;
  int64_t version_ = 0;
};

}  // namespace lc
