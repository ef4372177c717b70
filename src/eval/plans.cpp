#include "eval/plans.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/error.h"

namespace lc {
namespace {

constexpr int64_t kUsualLanes = 16;        // of a memory plan, unless asked for
constexpr int64_t kLeadInShare = 10;       // a part is at least so many times its lead-in
constexpr int64_t kInputsInFlight = 8192;  // of a window plan, unless lanes are asked for
constexpr int64_t kMostWindows = 1024;     // side by side

int64_t divide_up(int64_t a, int64_t b) { return a / b + (a % b == 0 ? 0 : 1); }

// A stretch of text that context may flow through, and which of its inputs are scored.
struct Stretch {
  int64_t first;  // token index of input 0
  int64_t count;  // inputs
  int64_t from;   // scored inputs are [from, to)
  int64_t to;
};

// The stretches between the text's boundaries with the chosen targets; counts those left out.
std::vector<Stretch> chosen_stretches(const TextShape& text, const PlanSettings& settings,
                                      std::map<std::string, int64_t>& skipped) {
  if (settings.boundaries == Boundaries::kStream) {
    skipped["first_of_text"] = std::min<int64_t>(text.tokens, 1);
  } else {
    int64_t inside = 0;
    for (const auto& document : text.documents) {
      skipped["first_of_document"] += std::min<int64_t>(document.tokens, 1);
      inside += document.tokens;
    }
    skipped["outside_documents"] = text.tokens - inside;
  }
  std::vector<Stretch> stretches;
  int64_t left = settings.targets.limit.value_or(text.tokens);
  for (const Run& run : memory_runs(text, settings.boundaries)) {
    const int64_t from = std::min(settings.targets.predecessors, run.count);
    const int64_t taken = std::min(run.count - from, left);
    skipped["short_of_predecessors"] += from;
    skipped["past_limit"] += run.count - from - taken;
    left -= taken;
    if (taken > 0) stretches.push_back({run.first, run.count, from, from + taken});
  }
  return stretches;
}

// Cut where memory begins anew every `inputs` inputs (0: never); parts without targets left out.
std::vector<Stretch> cut(const std::vector<Stretch>& stretches, int64_t inputs) {
  if (inputs == 0) return stretches;
  std::vector<Stretch> parts;
  for (const Stretch& whole : stretches) {
    for (int64_t done = whole.from / inputs * inputs; done < whole.to; done += inputs) {
      const int64_t count = std::min(inputs, whole.count - done);
      parts.push_back({whole.first + done, count, std::max<int64_t>(whole.from - done, 0),
                       std::min(whole.to - done, count)});
    }
  }
  return parts;
}

std::vector<Stretch> stretches_of(const TextShape& text, const PlanSettings& settings,
                                  std::map<std::string, int64_t>& skipped) {
  return cut(chosen_stretches(text, settings, skipped),
             settings.sequence_segments * settings.segment_length);
}

// Long runs first, so that lanes end together.
LanePlan balanced(std::vector<Run> runs, int64_t lanes, int64_t segment_length) {
  std::stable_sort(runs.begin(), runs.end(),
                   [](const Run& a, const Run& b) { return a.count > b.count; });
  const auto used = std::clamp<int64_t>(static_cast<int64_t>(runs.size()), 1, lanes);
  return LanePlan(to_first_free_lanes(runs, {used, segment_length}), segment_length);
}

int64_t longest_lead_in(const std::vector<Run>& runs) {
  int64_t longest = 0;
  for (const Run& run : runs) longest = std::max(longest, run.lead_in);
  return longest;
}

// The segments of a stretch that hold targets, cut into even parts of at most `most` segments.
void add_parts(const Stretch& stretch, int64_t segment_length, int64_t most, LeadIn lead_in,
               std::vector<Run>& runs) {
  const int64_t begin = stretch.from / segment_length;
  const int64_t segments = divide_up(stretch.to, segment_length) - begin;
  const int64_t parts = lead_in.segments ? divide_up(segments, most) : 1;
  for (int64_t p = 0; p < parts; ++p) {
    const int64_t part_begin = begin + segments * p / parts;
    const int64_t part_end = begin + segments * (p + 1) / parts;
    const int64_t start =
        lead_in.segments ? std::max<int64_t>(part_begin - *lead_in.segments, 0) : 0;
    const int64_t position = start * segment_length;
    const int64_t end = std::min(part_end * segment_length, stretch.to);
    const int64_t from = std::max(part_begin * segment_length, stretch.from);
    runs.push_back({.first = stretch.first + position,
                    .count = end - position,
                    .lead_in = from - position,
                    .position = position});
  }
}

// Sum of min(i, farthest) + 1 for i in [first, last).
double visible_sum(int64_t first, int64_t last, int64_t farthest) {
  const auto triangle = [](double n) { return n * (n + 1) / 2; };
  const int64_t turn = std::clamp(farthest, first, last);
  return triangle(static_cast<double>(turn)) - triangle(static_cast<double>(first)) +
         static_cast<double>(last - turn) * static_cast<double>(farthest + 1);
}

double mean_visible_in_runs(const LanePlan& plan) {
  double sum = 0;
  for (int64_t lane = 0; lane < plan.lanes(); ++lane) {
    for (const Run& run : plan.runs(lane)) sum += visible_sum(run.lead_in, run.count, run.count);
  }
  return sum / static_cast<double>(std::max<int64_t>(plan.predictions(), 1));
}

EvaluationPlan plan_of_windows(std::vector<Run> windows, int64_t length,
                               const PlanSettings& settings,
                               std::map<std::string, int64_t> skipped) {
  const int64_t side_by_side = std::clamp<int64_t>(kInputsInFlight / length, 1, kMostWindows);
  const int64_t longest = longest_lead_in(windows);
  LanePlan lanes =
      balanced(std::move(windows), settings.lanes.value_or(side_by_side), settings.segment_length);
  const double visible = mean_visible_in_runs(lanes);
  return {std::move(lanes), std::move(skipped), longest, visible};
}

void check_window(Window window) {
  LC_CHECK(window.length > 0 && window.stride > 0 && window.stride <= window.length);
}

}  // namespace

EvaluationPlan memory_plan(const TextShape& text, const PlanSettings& settings, LeadIn lead_in) {
  std::map<std::string, int64_t> skipped;
  const std::vector<Stretch> stretches = stretches_of(text, settings, skipped);
  const int64_t length = settings.segment_length;
  int64_t segments = 0;
  for (const Stretch& stretch : stretches) {
    segments += divide_up(stretch.to, length) - stretch.from / length;
  }
  const int64_t lanes = settings.lanes.value_or(kUsualLanes);
  LC_CHECK(lanes > 0);
  int64_t most = std::max<int64_t>(divide_up(segments, lanes), 1);
  if (!settings.lanes) most = std::max(most, kLeadInShare * lead_in.segments.value_or(0));
  std::vector<Run> runs;
  for (const Stretch& stretch : stretches) add_parts(stretch, length, most, lead_in, runs);
  const int64_t longest = longest_lead_in(runs);
  return {balanced(std::move(runs), lanes, length), std::move(skipped), longest};
}

Window context_window(int64_t context) {
  return {context + 1, std::max<int64_t>(1, (context + 1) / 8)};
}

EvaluationPlan window_plan(const TextShape& text, const PlanSettings& settings, Window window) {
  check_window(window);
  std::map<std::string, int64_t> skipped;
  std::vector<Run> runs;
  for (const Stretch& stretch : stretches_of(text, settings, skipped)) {
    // Window k > 0 scores the inputs from length + (k - 1) * stride on.
    int64_t k =
        stretch.from < window.length ? 0 : (stretch.from - window.length) / window.stride + 1;
    for (int64_t scored = stretch.from; scored < stretch.to; ++k) {
      const int64_t start = k * window.stride;
      const int64_t end = std::min(start + window.length, stretch.to);
      runs.push_back({.first = stretch.first + start,
                      .count = end - start,
                      .lead_in = scored - start,
                      .position = start});
      scored = end;
    }
  }
  return plan_of_windows(std::move(runs), window.length, settings, std::move(skipped));
}

EvaluationPlan whole_window_plan(const TextShape& text, const PlanSettings& settings,
                                 Window window) {
  check_window(window);
  LC_CHECK(settings.targets.predecessors + 1 >= window.length);
  const int64_t lead_in = window.length - window.stride;
  std::map<std::string, int64_t> not_chosen;
  std::vector<Run> runs;
  for (const Stretch& stretch : chosen_stretches(text, settings, not_chosen)) {
    const int64_t windows = divide_up(stretch.to - stretch.from, window.stride);
    const int64_t scored = std::min(stretch.from, stretch.count - windows * window.stride);
    for (int64_t k = 0; k < windows; ++k) {
      const int64_t start = scored + k * window.stride - lead_in;
      runs.push_back({.first = stretch.first + start,
                      .count = window.length,
                      .lead_in = lead_in,
                      .position = start});
    }
  }
  const int64_t outside = text.tokens - static_cast<int64_t>(runs.size()) * window.stride;
  return plan_of_windows(std::move(runs), window.length, settings, {{"outside_windows", outside}});
}

double mean_visible_in_reach(const LanePlan& plan, int64_t reach) {
  double sum = 0;
  for (int64_t lane = 0; lane < plan.lanes(); ++lane) {
    for (const Run& run : plan.runs(lane)) {
      sum += visible_sum(run.position + run.lead_in, run.position + run.count, reach);
    }
  }
  return sum / static_cast<double>(std::max<int64_t>(plan.predictions(), 1));
}

EvaluationPlan reference_plan(int64_t tokens, const PlanSettings& settings) {
  LC_CHECK(settings.lanes && settings.boundaries == Boundaries::kStream);
  LC_CHECK(settings.targets.predecessors == 0);
  const int64_t limit = std::min(settings.targets.limit.value_or(tokens), tokens);
  const int64_t kept = std::min(tokens, limit + 1);
  const int64_t lanes = std::min(*settings.lanes, kept + 1);  // more than tokens: none has a row
  const int64_t rows = kept / lanes;
  std::vector<std::vector<Run>> runs = reference_lanes(kept, lanes);
  for (auto& lane : runs) {
    lane = cut_runs(lane, settings.sequence_segments * settings.segment_length);
  }
  return {LanePlan(std::move(runs), settings.segment_length),
          {{"first_of_lane", rows > 0 ? lanes : 0},
           {"dropped_tail", kept - rows * lanes},
           {"past_limit", tokens - kept}},
          0};
}

}  // namespace lc
