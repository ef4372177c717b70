#include "train/dry_run.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "train/lane_bytes.h"
#include "train/limits.h"
#include "train/update.h"

namespace lc {
namespace {

// Inputs of the first update of the epoch.
int64_t first_tokens(const LanePlan& plan, UpdateSize size) {
  int64_t tokens = 0;
  for (int64_t i = 0; i < update_length(plan.segments(), 0, size); ++i) {
    for (int64_t lane = 0; lane < plan.lanes(); ++lane) tokens += plan.slice(lane, i).count;
  }
  return tokens;
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
  const LaneBytes lane = lane_bytes(model, epoch, settings, size.block_segments);
  report.memory_bytes = settings.lanes * lane.memory;
  const int64_t chunk_lanes = (settings.lanes + settings.accumulation - 1) / settings.accumulation;
  report.activation_bytes = chunk_lanes * lane.activations;
  report.tokens_per_step = first_tokens(epoch.plan(), size);
  report.segments_per_epoch = epoch.segments();
  report.steps = planned_steps(settings, {epoch.segments(), epoch.plan().inputs()});
  return report;
}

}  // namespace lc
