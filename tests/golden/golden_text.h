// Token streams of golden cases, read along the product's own lane plans.
#pragma once

#include <ATen/core/Tensor.h>

#include "data/lane_plan.h"
#include "data/token_file.h"
#include "models/language_model.h"

namespace golden {

// A token file of one document that holds the stream (int64 [N]).
lc::TokenFile text_of(const at::Tensor& stream, int64_t vocab_size);

// The reference's lossy split: floor(N / lanes) rows a lane.
lc::LanePlan reference_plan(int64_t tokens, int64_t lanes, int64_t segment_length);

// Losses [rows - 1, lanes] of a plan whose lanes are equally long, memory carried from the start.
at::Tensor score_lanes(const lc::LanguageModel& model, const lc::TokenFile& text,
                       const lc::LanePlan& plan);

}  // namespace golden
