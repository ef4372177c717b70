// Loss against context length: the same targets scored with 0, 64, 128 ... inputs before their own
// (PROTOCOL, context c).
//
// strict: windows of c + 1 inputs, each from initial memory. span: one pass a length with memory c
// and a fixed span, so that L layers reach L * c inputs back; only where a model has such a span.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "eval/evaluation_model.h"
#include "eval/stream_evaluation.h"

namespace lc {

enum class ContextMode { kStrict, kSpan };

struct ContextSettings {
  std::vector<int64_t> contexts;  // any order; each once
  ContextMode mode = ContextMode::kStrict;
  // Of a strict window; none: that of context_window(). 1: every target has the whole context.
  std::optional<int64_t> stride{};
  EvaluationSettings evaluation;  // as it is in force; its stride and lane split aren't used
};

std::string name_of(ContextMode mode);  // "strict", "span"

// Whether memory and span alone say how far each layer of the model sees.
bool spans_memory(const Config& config);

// The config that the model of a context is built from: memory as long as the context where the
// model spans memory, and in span mode the fixed span; else as it is.
Config context_config(const ModelSource& source, ContextMode mode, int64_t context);

struct ContextPoint {
  int64_t context = 0;
  // Inputs up to a target's own, itself included, that its window holds (strict) or that layers
  // with that memory reach (span), on average.
  double mean_visible = 0;
  Evaluation evaluation;
};

struct ContextSweep {
  std::vector<ContextPoint> points;  // ascending context
  nlohmann::json protocol;           // mode, windows and strides, targets, intervals

  // [{context, nats_per_token, bits_per_byte, perplexity, nats_low, nats_high, mean_visible}]
  nlohmann::json contexts_json() const;
};

// Error(kUsage) where the model can't read a window of that context; nothing where it reads windows
// in segments of the trained length.
void check_window_length(const Config& config, int64_t context);

// Targets are those with the longest context before their own inputs. Error(kUsage): span mode for
// a model without an attention span, or with sequence_segments; a window that the model can't read.
// Error(kData): no target has that many predecessors.
ContextSweep context_sweep(const ModelSource& source, const TokenFile& tokens,
                           const ContextSettings& settings);

}  // namespace lc
