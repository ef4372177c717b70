#include "core/memory_state.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/error.h"

namespace lc {
namespace {

constexpr std::string_view kLayers = "layers.";
constexpr std::string_view kFill = ".fill";

// Slots [B, n, ...] brought to `slots` slots by unfilled ones at the oldest end.
at::Tensor widen(const at::Tensor& tensor, int64_t slots) {
  if (tensor.size(1) == slots) return tensor;
  auto shape = tensor.sizes().vec();
  shape[1] = slots - tensor.size(1);
  return at::cat({at::zeros(shape, tensor.options()), tensor}, 1);
}

// The newest `slots` slots, with unfilled ones in front where there are fewer.
at::Tensor newest(const at::Tensor& tensor, int64_t slots) {
  if (tensor.size(1) <= slots) return widen(tensor, slots);
  return tensor.narrow(1, tensor.size(1) - slots, slots);
}

// Queues of the same kind brought to a common number of slots.
std::vector<at::Tensor> aligned_slots(const std::vector<const MemoryQueue*>& queues) {
  int64_t most = 0;
  for (const MemoryQueue* queue : queues) {
    if (queue->counted()) most = std::max(most, queue->slots.size(1));
  }
  std::vector<at::Tensor> tensors;
  for (const MemoryQueue* queue : queues) {
    tensors.push_back(queue->counted() ? widen(queue->slots, most) : queue->slots);
  }
  return tensors;
}

}  // namespace

const MemoryQueue* LayerMemory::find(std::string_view name) const {
  for (const MemoryQueue& queue : queues) {
    if (queue.name == name) return &queue;
  }
  return nullptr;
}

const MemoryQueue& LayerMemory::queue(std::string_view name) const {
  const MemoryQueue* found = find(name);
  LC_CHECK(found != nullptr);
  return *found;
}

MemoryQueue append(const MemoryQueue& queue, const at::Tensor& rows_BT, int64_t capacity,
                   const std::vector<char>& padded_B) {
  LC_CHECK(queue.counted());
  const int64_t added = rows_BT.size(1);
  MemoryQueue result{queue.name, {}, queue.fill_B};
  int64_t most = 0;
  for (size_t b = 0; b < result.fill_B.size(); ++b) {
    int64_t& fill = result.fill_B[b];
    fill = padded_B[b] ? 0 : std::min(fill + added, capacity);
    most = std::max(most, fill);
  }
  if (most <= added) {
    result.slots = rows_BT.narrow(1, added - most, most);
  } else {
    const int64_t kept = most - added;
    const at::Tensor old = queue.slots.narrow(1, queue.slots.size(1) - kept, kept);
    result.slots = at::cat({old, rows_BT}, 1);
  }
  return result;
}

MemoryQueue append(const MemoryQueue& queue, const std::vector<LaneRows>& parts, int64_t capacity,
                   const std::vector<char>& padded_B) {
  LC_CHECK(queue.counted());
  const size_t lanes = queue.fill_B.size();
  if (parts.size() == 1 && parts.front().lanes.size() == lanes) {
    return append(queue, parts.front().rows, capacity, padded_B);
  }
  MemoryQueue result{queue.name, {}, queue.fill_B};
  std::vector<char> untouched_B(lanes, 1);
  for (const LaneRows& part : parts) {
    for (const int64_t lane : part.lanes) {
      const auto b = static_cast<size_t>(lane);
      untouched_B[b] = 0;
      result.fill_B[b] = std::min(result.fill_B[b] + part.rows.size(1), capacity);
    }
  }
  std::vector<int64_t> order;  // the lanes as they are computed
  for (size_t b = 0; b < lanes; ++b) {
    if (padded_B[b]) result.fill_B[b] = 0;
    if (untouched_B[b]) order.push_back(static_cast<int64_t>(b));
  }
  const int64_t slots = *std::max_element(result.fill_B.begin(), result.fill_B.end());
  const auto of_lanes = [&](const std::vector<int64_t>& some) {
    return queue.slots.index_select(0, at::tensor(some, at::kLong).to(queue.slots.device()));
  };
  std::vector<at::Tensor> rows;
  if (!order.empty()) rows.push_back(newest(of_lanes(order), slots));
  for (const LaneRows& part : parts) {
    rows.push_back(newest(at::cat({of_lanes(part.lanes), part.rows}, 1), slots));
    order.insert(order.end(), part.lanes.begin(), part.lanes.end());
  }
  std::vector<int64_t> place(lanes);
  for (size_t i = 0; i < lanes; ++i) place[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  result.slots =
      at::cat(rows, 0).index_select(0, at::tensor(place, at::kLong).to(queue.slots.device()));
  return result;
}

MemoryState::MemoryState(int64_t lanes, MemoryUse use, std::vector<LayerMemory> layers,
                         std::vector<LayerMemory> open, int64_t version)
    : lanes_(lanes),
      use_(use),
      version_(version),
      layers_(std::move(layers)),
      open_(std::move(open)) {
  LC_CHECK(lanes >= 0);
  LC_CHECK(open_.empty() || open_.size() == layers_.size());
}

MemoryState::MemoryState(MemoryState&& other) noexcept
    : lanes_(std::exchange(other.lanes_, -1)),
      use_(other.use_),
      version_(other.version_),
      layers_(std::move(other.layers_)),
      open_(std::move(other.open_)) {}

MemoryState& MemoryState::operator=(MemoryState&& other) noexcept {
  lanes_ = std::exchange(other.lanes_, -1);
  use_ = other.use_;
  version_ = other.version_;
  layers_ = std::move(other.layers_);
  open_ = std::move(other.open_);
  return *this;
}

void MemoryState::alive() const { LC_CHECK(lanes_ >= 0); }

template <typename F>
MemoryState MemoryState::map(int64_t lanes, F&& change) const {
  alive();
  const auto changed = [&](const std::vector<LayerMemory>& layers, bool open) {
    std::vector<LayerMemory> result(layers.size());
    for (size_t l = 0; l < layers.size(); ++l) {
      for (const MemoryQueue& queue : layers[l].queues) {
        result[l].queues.push_back(change(queue, l, open));
      }
    }
    return result;
  };
  return MemoryState(lanes, use_, changed(layers_, false), changed(open_, true), version_);
}

MemoryState MemoryState::clone() const {
  return map(lanes_, [](const MemoryQueue& queue, size_t, bool) { return queue; });
}

MemoryState MemoryState::detach() const {
  return map(lanes_, [](const MemoryQueue& queue, size_t, bool) {
    return MemoryQueue{queue.name, queue.slots.detach(), queue.fill_B};
  });
}

MemoryState MemoryState::as_leaves() const {
  return map(lanes_, [](const MemoryQueue& queue, size_t, bool) {
    at::Tensor slots = queue.slots.detach();
    if (slots.is_floating_point()) slots.requires_grad_(true);
    return MemoryQueue{queue.name, slots, queue.fill_B};
  });
}

std::vector<at::Tensor> MemoryState::gradients() const {
  alive();
  std::vector<at::Tensor> result;
  for (const auto* layers : {&layers_, &open_}) {
    for (const LayerMemory& layer : *layers) {
      for (const MemoryQueue& queue : layer.queues) result.push_back(queue.slots.grad());
    }
  }
  return result;
}

MemoryState MemoryState::to(at::Device device) const {
  return map(lanes_, [&](const MemoryQueue& queue, size_t, bool) {
    return MemoryQueue{queue.name, queue.slots.to(device), queue.fill_B};
  });
}

int64_t MemoryState::lanes() const { return alive(), lanes_; }
MemoryUse MemoryState::use() const { return alive(), use_; }
int64_t MemoryState::version() const { return alive(), version_; }
int64_t MemoryState::layer_count() const { return alive(), static_cast<int64_t>(layers_.size()); }

const LayerMemory& MemoryState::layer(int64_t index) const {
  alive();
  return layers_.at(static_cast<size_t>(index));
}

const LayerMemory& MemoryState::open(int64_t index) const {
  static const LayerMemory nothing;
  alive();
  return open_.empty() ? nothing : open_.at(static_cast<size_t>(index));
}

int64_t MemoryState::open_length() const {
  alive();
  for (const LayerMemory& layer : open_) {
    for (const MemoryQueue& queue : layer.queues) {
      if (queue.counted()) return queue.slots.size(1);
    }
  }
  return 0;
}

MemoryState MemoryState::select(int64_t first_lane, int64_t count) const {
  return map(count, [&](const MemoryQueue& queue, size_t, bool) {
    MemoryQueue part{queue.name, queue.slots.narrow(0, first_lane, count), {}};
    if (queue.counted()) {
      const auto first = queue.fill_B.begin() + first_lane;
      part.fill_B.assign(first, first + count);
    }
    return part;
  });
}

MemoryState MemoryState::replace(const std::vector<char>& chosen_B,
                                 const MemoryState& other) const {
  alive();
  LC_CHECK(other.lanes() == lanes_ && static_cast<int64_t>(chosen_B.size()) == lanes_);
  const auto chosen = static_cast<int64_t>(std::count(chosen_B.begin(), chosen_B.end(), 1));
  if (chosen == 0) return clone();
  if (chosen == lanes_) return other.clone();
  at::Tensor mask_B = at::empty({lanes_}, at::kBool);
  for (int64_t b = 0; b < lanes_; ++b) mask_B[b] = chosen_B[static_cast<size_t>(b)] != 0;
  return map(lanes_, [&](const MemoryQueue& queue, size_t l, bool open) {
    LC_CHECK(!open);
    const MemoryQueue& fresh = other.layer(static_cast<int64_t>(l)).queue(queue.name);
    MemoryQueue result{queue.name, {}, queue.fill_B};
    const bool fresh_is_empty =
        queue.counted() && std::all_of(fresh.fill_B.begin(), fresh.fill_B.end(),
                                       [](int64_t fill) { return fill == 0; });
    if (fresh_is_empty) {
      result.slots = queue.slots;
    } else {
      const auto slots = aligned_slots({&fresh, &queue});
      std::vector<int64_t> shape(static_cast<size_t>(slots[0].dim()), 1);
      shape[0] = lanes_;
      result.slots = at::where(mask_B.to(slots[0].device()).view(shape), slots[0], slots[1]);
    }
    for (size_t b = 0; b < result.fill_B.size(); ++b) {
      if (chosen_B[b]) result.fill_B[b] = fresh.fill_B[b];
    }
    return result;
  });
}

MemoryState MemoryState::concat(const std::vector<MemoryState>& parts) {
  LC_CHECK(!parts.empty());
  int64_t lanes = 0;
  for (const MemoryState& part : parts) lanes += part.lanes();
  return parts.front().map(lanes, [&](const MemoryQueue& queue, size_t l, bool open) {
    std::vector<const MemoryQueue*> queues;
    MemoryQueue joined{queue.name, {}, {}};
    for (const MemoryState& part : parts) {
      const auto index = static_cast<int64_t>(l);
      queues.push_back(&(open ? part.open(index) : part.layer(index)).queue(queue.name));
      const auto& fill_B = queues.back()->fill_B;
      joined.fill_B.insert(joined.fill_B.end(), fill_B.begin(), fill_B.end());
    }
    joined.slots = at::cat(aligned_slots(queues), 0);
    return joined;
  });
}

int64_t MemoryState::bytes() const {
  alive();
  int64_t total = 0;
  for (const auto* layers : {&layers_, &open_}) {
    for (const LayerMemory& layer : *layers) {
      for (const MemoryQueue& queue : layer.queues) {
        total += queue.slots.numel() * static_cast<int64_t>(queue.slots.element_size());
      }
    }
  }
  return total;
}

NamedTensors MemoryState::save() const {
  alive();
  LC_CHECK(use_ == MemoryUse::kTraining && open_length() == 0);
  NamedTensors tensors;
  for (size_t l = 0; l < layers_.size(); ++l) {
    for (const MemoryQueue& queue : layers_[l].queues) {
      const std::string name = std::string(kLayers) + std::to_string(l) + "." + queue.name;
      tensors.emplace_back(name, queue.slots.contiguous());
      if (queue.counted()) {
        tensors.emplace_back(name + std::string(kFill), at::tensor(queue.fill_B, at::kLong));
      }
    }
  }
  return tensors;
}

MemoryState MemoryState::load(const NamedTensors& tensors, const MemoryState& like,
                              const std::string& source) {
  const auto refuse = [&](const std::string& what) {
    throw Error(ErrorKind::kData, source, "the carried memory doesn't fit the model: " + what,
                "resume with the config that the run was started with");
  };
  std::map<std::string, at::Tensor> left(tensors.begin(), tensors.end());
  const auto take = [&](const std::string& name) {
    const auto found = left.find(name);
    if (found == left.end()) refuse("missing " + name);
    const at::Tensor tensor = found->second.contiguous();
    left.erase(found);
    if (tensor.dim() == 0 || tensor.size(0) != like.lanes()) refuse(name + " has other lanes");
    return tensor;
  };
  MemoryState loaded = like.map(like.lanes(), [&](const MemoryQueue& queue, size_t l, bool) {
    const std::string name = std::string(kLayers) + std::to_string(l) + "." + queue.name;
    MemoryQueue result{queue.name, take(name), {}};
    const size_t free = queue.counted() ? 2 : 1;  // lanes, and slots if they are counted
    if (result.slots.dim() != queue.slots.dim() ||
        result.slots.sizes().slice(free) != queue.slots.sizes().slice(free)) {
      refuse(name + " has another shape");
    }
    result.slots = result.slots.to(queue.slots.options());
    if (queue.counted()) {
      const at::Tensor fill_B = take(name + std::string(kFill)).to(at::kLong);
      result.fill_B.assign(fill_B.const_data_ptr<int64_t>(),
                           fill_B.const_data_ptr<int64_t>() + fill_B.numel());
      const int64_t slots = result.slots.size(1);
      for (const int64_t fill : result.fill_B) {
        if (fill < 0 || fill > slots) refuse(name + " is filled beyond its slots");
      }
    }
    return result;
  });
  if (!left.empty()) refuse("unknown " + left.begin()->first);
  return loaded;
}

}  // namespace lc
