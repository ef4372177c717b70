#include "train/dry_run.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>

#include "train/allocation_meter.h"
#include "train/gradient.h"
#include "train/limits.h"
#include "train/update.h"

namespace lc {
namespace {

// Memory of any model is full after so many segments, or it is taken as it is then.
constexpr int64_t kMostSegments = 64;

// One lane of the epoch, gone through as training does.
class OneLane {
 public:
  OneLane(const LanguageModel& model, const SegmentStream& epoch, uint64_t seed)
      : model_(model),
        epoch_(epoch),
        options_{.training = true, .seed = seed},
        memory_(model.initial_memory(1, MemoryUse::kTraining).detach()) {}

  // Bytes of carried memory once it grows no more.
  int64_t fill_memory() {
    const c10::NoGradGuard no_gradients;
    const int64_t most = std::min(epoch_.segments(), kMostSegments);
    int64_t bytes = -1;
    for (int64_t i = 0; i < most && memory_.bytes() != bytes; ++i) {
      const Segment segment = row(i);
      if (segment.padded_B[0]) break;  // would empty it
      bytes = memory_.bytes();
      StepResult result = model_.step(segment, std::move(memory_), options_);
      memory_ = std::move(result.memory);
    }
    return memory_.bytes();
  }

  int64_t memory_bytes() const { return memory_.bytes(); }

  // Bytes held by the graph of one block.
  int64_t block_bytes(int64_t segments) {
    const auto meter = std::make_shared<AllocationMeter>();
    std::vector<at::Tensor> losses;
    const std::vector<Segment> block = block_of(segments);
    const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, meter);
    MemoryState memory = memory_.clone();
    for (const Segment& segment : block) {
      StepResult result = model_.step(segment, std::move(memory), options_);
      losses.push_back(result.nll_BT);
      memory = std::move(result.memory);
    }
    return meter->held();
  }

 private:
  // Starts nowhere but at the first segment, so that memory fills whatever the text.
  Segment row(int64_t index) const {
    Segment segment = epoch_.at(index).rows(0, 1);
    segment.starts_B[0] = index == 0;
    return segment;
  }
  std::vector<Segment> block_of(int64_t segments) const {
    std::vector<Segment> block;
    for (int64_t i = 0; i < std::min(segments, epoch_.segments()); ++i) {
      block.push_back(row(i));
      block.back().starts_B[0] = 0;
    }
    return block;
  }

  const LanguageModel& model_;
  const SegmentStream& epoch_;
  StepOptions options_;
  MemoryState memory_;
};

// What one lane holds for the backward pass: the graph of a block, or with replay that of one of
// its segments and the memory before each.
int64_t activation_bytes(OneLane& lane, const TrainSettings& settings, int64_t block_segments) {
  if (settings.bptt_mode == BlockMode::kGraph) return lane.block_bytes(block_segments);
  return lane.block_bytes(1) + block_segments * lane.memory_bytes();
}

std::string megabytes(int64_t bytes) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f MB", static_cast<double>(bytes) / 1e6);
  return text.data();
}

std::string row(const std::string& name, const std::string& value) {
  std::array<char, 160> text{};
  std::snprintf(text.data(), text.size(), "  %-34s %16s\n", name.c_str(), value.c_str());
  return text.data();
}

}  // namespace

std::string part_of(const std::string& parameter) {
  const size_t first = parameter.find('.');
  if (first == std::string::npos || parameter.compare(0, first, "layers") != 0) {
    return parameter.substr(0, first);
  }
  const size_t second = parameter.find('.', first + 1);
  if (second == std::string::npos) return "layers.*";
  return "layers.*" + parameter.substr(second, parameter.find('.', second + 1) - second);
}

int64_t DryRun::total_bytes() const {
  return weight_bytes + gradient_bytes + optimizer_bytes + activation_bytes + memory_bytes;
}

std::string DryRun::text() const {
  std::string text = "parameters\n";
  for (const auto& [part, count] : parts) text += row(part, std::to_string(count));
  text += row("total", std::to_string(parameters)) + "bytes\n";
  text += row("weights", megabytes(weight_bytes)) + row("gradients", megabytes(gradient_bytes)) +
          row("optimizer", megabytes(optimizer_bytes)) +
          row("activations (estimate)", megabytes(activation_bytes)) +
          row("carried memory", megabytes(memory_bytes)) + row("total", megabytes(total_bytes()));
  text += "work\n" + row("tokens per step", std::to_string(tokens_per_step)) +
          row("segments per epoch", std::to_string(segments_per_epoch)) +
          row("steps", steps ? std::to_string(*steps) : "until the time is over");
  return text;
}

DryRun dry_run(const LanguageModel& model, const SegmentStream& epoch,
               const TrainSettings& settings, const Optimizer& optimizer) {
  DryRun report;
  for (const auto& [name, tensor] : optimizer.save()) {
    report.optimizer_bytes += static_cast<int64_t>(tensor.nbytes());
  }
  for (const Parameter& parameter : model.parameters().all()) {
    const std::string part = part_of(parameter.name);
    auto known = std::find_if(report.parts.begin(), report.parts.end(),
                              [&](const auto& entry) { return entry.first == part; });
    if (known == report.parts.end()) known = report.parts.insert(known, {part, 0});
    known->second += parameter.value.numel();
    report.parameters += parameter.value.numel();
    report.weight_bytes += static_cast<int64_t>(parameter.value.nbytes());
  }
  report.gradient_bytes = report.weight_bytes;

  const UpdateSize size = next_update_size(settings, {});
  OneLane lane(model, epoch, settings.seed);
  report.memory_bytes = settings.lanes * lane.fill_memory();
  const int64_t chunk_lanes = (settings.lanes + settings.accumulation - 1) / settings.accumulation;
  report.activation_bytes = chunk_lanes * activation_bytes(lane, settings, size.block_segments);
  report.tokens_per_step = fetch_update(epoch, 0, size).tokens;
  report.segments_per_epoch = epoch.segments();
  report.steps = planned_steps(settings, {epoch.segments(), epoch.plan().inputs()});
  return report;
}

}  // namespace lc
