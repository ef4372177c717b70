#include "data/training_plan.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/rng.h"

namespace lc {
namespace {

// Contiguous lanes over all predictions of the text; the first lanes take what is left over.
std::vector<std::vector<Run>> stream_lanes(int64_t tokens, int64_t lanes) {
  const int64_t predictions = std::max<int64_t>(tokens - 1, 0);
  std::vector<std::vector<Run>> result(static_cast<size_t>(lanes));
  int64_t first = 0;
  for (int64_t b = 0; b < lanes; ++b) {
    const int64_t count = predictions / lanes + (b < predictions % lanes ? 1 : 0);
    if (count > 0) result[static_cast<size_t>(b)].push_back({.first = first, .count = count});
    first += count;
  }
  return result;
}

// Fisher and Yates' shuffle; every draw is a function of (seed, epoch, place).
void shuffle(std::vector<Run>& runs, uint64_t seed, int64_t epoch) {
  const uint64_t key =
      combine_keys(combine_keys(seed, hash_text("document order")), static_cast<uint64_t>(epoch));
  for (size_t i = runs.size(); i > 1; --i) {
    const double draw = uniform_from_bits(combine_keys(key, i));
    std::swap(runs[i - 1], runs[static_cast<size_t>(draw * static_cast<double>(i))]);
  }
}

std::vector<std::vector<Run>> lanes_of(const TextShape& text, const TrainingPlanSettings& settings,
                                       int64_t epoch) {
  const int64_t sequence = settings.sequence_segments * settings.segment_length;
  if (settings.boundaries == Boundaries::kReset) {
    std::vector<Run> runs = memory_runs(text, Boundaries::kReset);
    if (settings.shuffle_documents) shuffle(runs, settings.seed, epoch);
    auto lanes = to_first_free_lanes(runs, {settings.lanes, settings.segment_length});
    for (auto& lane : lanes) lane = cut_runs(lane, sequence);
    return lanes;
  }
  auto lanes = settings.lane_split == LaneSplit::kReference
                   ? reference_lanes(text.tokens, settings.lanes)
                   : stream_lanes(text.tokens, settings.lanes);
  for (auto& lane : lanes) lane = cut_runs(lane, sequence);
  return lanes;
}

bool shuffled(const Config& config) {
  if (!config.get<bool>("data.shuffle_documents")) return false;
  if (boundaries(config) == Boundaries::kReset) return true;
  throw Error(ErrorKind::kUsage, "data.shuffle_documents",
              "true orders the documents of reset mode, but data.boundaries is \"stream\"",
              "set data.boundaries to \"reset\" or data.shuffle_documents to false");
}

}  // namespace

TrainingPlanSettings training_plan_settings(const Config& config) {
  return {.lanes = config.get<int64_t>("train.lanes"),
          .segment_length = config.get<int64_t>("train.segment_length"),
          .sequence_segments = config.get<int64_t>("data.sequence_segments"),
          .boundaries = boundaries(config),
          .lane_split = lane_split(config),
          .shuffle_documents = shuffled(config),
          .seed = config.get<uint64_t>("run.seed")};
}

LanePlan training_plan(const TextShape& text, const TrainingPlanSettings& settings, int64_t epoch) {
  LC_CHECK(settings.lanes > 0);
  LanePlan plan(lanes_of(text, settings, epoch), settings.segment_length);
  if (plan.segments() == 0) {
    throw Error(ErrorKind::kData, "train split",
                std::to_string(text.tokens) + " tokens hold nothing to predict in " +
                    std::to_string(settings.lanes) + " lanes",
                "give a longer text or fewer lanes (train.lanes)");
  }
  return plan;
}

LanePlan training_plan(const TokenFile& tokens, const TrainingPlanSettings& settings,
                       int64_t epoch) {
  return training_plan(text_shape(tokens), settings, epoch);
}

void check_lanes(const TokenFile& tokens, const TrainingPlanSettings& settings) {
  if (settings.lanes < tokens.size()) return;
  throw Error(ErrorKind::kData, "train split",
              "its " + std::to_string(tokens.size()) + " tokens are too few for " +
                  std::to_string(settings.lanes) + " lanes with something to predict in each",
              "give a longer text or fewer lanes (train.lanes)");
}

std::optional<std::string> short_lanes_note(const LanePlan& plan) {
  const int64_t longest = plan.longest_segment();
  if (longest == plan.segment_length()) return {};
  const std::string most = std::to_string(longest);
  return "train.segment_length: " + std::to_string(plan.segment_length()) +
         " tokens are more than the longest stretch that a lane reads, " + most +
         ": segments end there, and nothing is carried from one to the next; take at most " + most +
         ", fewer lanes (train.lanes) or a longer text";
}

}  // namespace lc
