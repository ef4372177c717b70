// Which inputs are run, with how much context, and which of their targets are scored.
//
// Three kinds of plan (PROTOCOL, evaluation). All are pure functions of a text's shape and the
// settings; however many lanes a plan has, each target is seen with the same context:
//   memory      what memory flows through, cut over lanes with an unscored lead-in at the same
//               segment phase
//   windows     window W, stride s: window k holds inputs k*s .. k*s+W-1 and scores those that no
//               earlier window has scored
//   reference   the reference's own lossy split: floor(N / B) tokens a lane, each lane cold
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "data/text_runs.h"

namespace lc {

// Which targets count: those whose input has at least `predecessors` inputs before it in the text
// (stream) or document (reset); of these the first `limit`.
struct TargetChoice {
  int64_t predecessors = 0;
  std::optional<int64_t> limit;
};

struct PlanSettings {
  Boundaries boundaries = Boundaries::kStream;
  int64_t segment_length = 1;
  int64_t sequence_segments = 0;  // memory begins anew every so many segments; 0: never
  std::optional<int64_t> lanes;   // none: chosen from the work
  TargetChoice targets;
};

struct EvaluationPlan {
  LanePlan lanes;
  // Tokens that are not scored, by reason: first_of_text, first_of_document, outside_documents,
  // short_of_predecessors, past_limit, dropped_tail, first_of_lane, outside_windows.
  std::map<std::string, int64_t> skipped;
  int64_t lead_in = 0;  // unscored inputs before a lane's part of a stretch or a window's, at most
  // Of a window plan: inputs in a target's window up to its own, on average. Else 0.
  double mean_visible = 0;
};

// segments: whole segments that a lane must run before its part to see what one lane would see;
// none: unbounded, so a stretch is never cut.
struct LeadIn {
  std::optional<int64_t> segments;
};
EvaluationPlan memory_plan(const TextShape& text, const PlanSettings& settings, LeadIn lead_in);

// A window runs in segments of the settings' length, counted from its first input.
struct Window {
  int64_t length;
  int64_t stride;  // at most length
};
EvaluationPlan window_plan(const TextShape& text, const PlanSettings& settings, Window window);

// The fewest whole windows that hold the chosen targets, so that what a window costs is paid for a
// stride of targets: each has window.length inputs and scores the last window.stride of them. In a
// text (stream) or document (reset) the first target is the first that is scored; where there are
// too few inputs after it, the last window ends with them and all stand so much earlier. Targets
// have at least window.length - 1 predecessors; memory beginning anew inside the text is ignored.
EvaluationPlan whole_window_plan(const TextShape& text, const PlanSettings& settings,
                                 Window window);

// The window of context c: c + 1 inputs, stride max(1, floor((c + 1) / 8)).
Window context_window(int64_t context);

// Mean over the scored targets of the inputs in the last reach + 1 since memory began, their own
// included.
double mean_visible_in_reach(const LanePlan& plan, int64_t reach);

// In stream mode without predecessors; of a limit of n targets the text's first n + 1 tokens are
// split.
EvaluationPlan reference_plan(int64_t tokens, const PlanSettings& settings);

}  // namespace lc
