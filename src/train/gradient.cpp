#include "train/gradient.h"

#include <ATen/ATen.h>

#include <utility>
#include <vector>

#include "core/error.h"

namespace lc {
namespace {

// The same memory with every tensor in storage of its own, as a loaded one has it: where a sum is
// split must not depend on the alignment that a view happens to have.
MemoryState settled(const MemoryState& memory) {
  NamedTensors tensors = memory.save();
  for (auto& [name, tensor] : tensors) {
    if (tensor.storage_offset() != 0) tensor = tensor.clone();
  }
  return MemoryState::load(tensors, memory, "memory");
}

class ChunkGradient {
 public:
  ChunkGradient(const LanguageModel& model, const Update& update, AuxiliaryTerms& auxiliary,
                LaneRange lanes, const GradientOptions& options)
      : model_(model),
        update_(update),
        auxiliary_(auxiliary),
        lanes_(lanes),
        options_{.training = true, .seed = options.seed},
        mode_(options.mode),
        nats_(at::zeros({}, at::TensorOptions(at::kDouble).device(model.device()))) {}

  MemoryState run(MemoryState memory) {
    for (const auto& block : update_.blocks) memory = run_block(block, std::move(memory));
    return memory;
  }
  double nats() const { return nats_.item<double>(); }

 private:
  MemoryState run_block(const std::vector<Segment>& whole, MemoryState memory) {
    std::vector<Segment> block;
    for (const Segment& segment : whole) {
      block.push_back(segment.rows(lanes_.first, lanes_.count).to(model_.device()));
    }
    const auto loss = [&](const Segment& segment, const StepResult& result) {
      return add_loss(segment, result);
    };
    return add_block_gradients(model_, block, std::move(memory), options_, loss, mode_);
  }

  // The segment's share of the update's loss; its nats are added up.
  at::Tensor add_loss(const Segment& segment, const StepResult& result) {
    const at::Tensor weights_BT = segment.weights_BT.to(result.nll_BT.scalar_type());
    const at::Tensor counted_BT = result.nll_BT * weights_BT;
    nats_ += counted_BT.detach().sum(at::kDouble);
    const at::Tensor mean = update_.weight > 0 ? counted_BT.sum() / update_.weight : at::Tensor();
    return auxiliary_.add_to(mean, result.auxiliary);
  }

  const LanguageModel& model_;
  const Update& update_;
  AuxiliaryTerms& auxiliary_;
  LaneRange lanes_;
  StepOptions options_;
  BlockMode mode_;
  at::Tensor nats_;
};

}  // namespace

LaneRange chunk_lanes(int64_t lanes, int64_t chunks, int64_t index) {
  const int64_t first = lanes * index / chunks;
  return {first, lanes * (index + 1) / chunks - first};
}

GradientResult add_gradients(const LanguageModel& model, const Update& update, MemoryState memory,
                             const GradientOptions& options) {
  const int64_t lanes = memory.lanes();
  LC_CHECK(options.chunks >= 1 && options.chunks <= lanes);
  AuxiliaryTerms auxiliary(model, memory, update);
  double nats = 0;
  std::vector<MemoryState> parts;
  for (int64_t chunk = 0; chunk < options.chunks; ++chunk) {
    const LaneRange range = chunk_lanes(lanes, options.chunks, chunk);
    ChunkGradient gradient(model, update, auxiliary, range, options);
    parts.push_back(gradient.run(memory.select(range.first, range.count)));
    nats += gradient.nats();
  }
  return {nats,
          settled(options.chunks == 1 ? std::move(parts.front()) : MemoryState::concat(parts)),
          auxiliary.sums()};
}

}  // namespace lc
