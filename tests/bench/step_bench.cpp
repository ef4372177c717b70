// Times training steps of the plain path: forward, backward, clipping and Adam on random tokens,
// one thread, process CPU time. Prints one JSON object on stdout.
//
//   step_bench [steps] [layers d_model heads d_inner segment memory lanes]
//
// The default is 4 layers, d 256, 8 heads of 32, inner 1024, segment and memory 128, 8 lanes, 256
// tokens of vocabulary, no dropout. tests/bench/against_transfoxl.py runs it in turn with a peer.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <numeric>

#include "core/rng.h"
#include "models/registry.h"
#include "optim/optimizer.h"
#include "optim/schedule.h"

namespace {

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

lc::Segment random_segment(int64_t lanes, int64_t length, int64_t index) {
  at::Tensor tokens = at::empty({lanes, length + 1}, at::kLong);
  int64_t* out = tokens.mutable_data_ptr<int64_t>();
  for (int64_t i = 0; i < tokens.numel(); ++i) {
    const uint64_t key = lc::combine_keys(static_cast<uint64_t>(index), static_cast<uint64_t>(i));
    out[i] = static_cast<int64_t>(lc::hash_bits(key) % 256);
  }
  lc::Segment segment;
  segment.inputs_BT = tokens.narrow(1, 0, length).contiguous();
  segment.targets_BT = tokens.narrow(1, 1, length).contiguous();
  segment.valid_BT = at::ones({lanes, length}, at::kBool);
  segment.weights_BT = at::ones({lanes, length}, at::kFloat);
  const auto count = static_cast<size_t>(lanes);
  segment.starts_B.assign(count, index == 0 ? 1 : 0);
  segment.padded_B.assign(count, 0);
  segment.lanes_B.resize(count);
  std::iota(segment.lanes_B.begin(), segment.lanes_B.end(), 0);
  segment.first_positions_B.assign(count, index * length);
  segment.index = index;
  return segment;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<int64_t> values{12, 4, 256, 8, 1024, 128, 128, 8};
  for (int i = 1; i < argc; ++i) values[static_cast<size_t>(i - 1)] = std::stoll(argv[i]);
  at::set_num_threads(1);
  lc::OptionTable table;
  table.add(lc::model_options());
  table.add(lc::optim_options(lc::parameter_groups()));
  const nlohmann::json json{{"model",
                             {{"type", "transformer_xl"},
                              {"layers", values[1]},
                              {"d_model", values[2]},
                              {"heads", values[3]},
                              {"d_inner", values[4]},
                              {"positions", {{"share_biases", false}}},
                              {"transformer_xl", {{"memory_length", values[6]}}}}},
                            {"optim", {{"name", "adam"}, {"lr", 2.5e-4}, {"clip_norm", 0.25}}}};
  const auto config = lc::Config::read(table, json.dump(), "step_bench", {});
  const auto model = lc::build_model(config, {256, {at::kFloat, at::kCPU, 1}});
  std::vector<lc::OptimizedParameter> parameters;
  for (const lc::Parameter& parameter : model->parameters().all()) {
    parameters.push_back({parameter.name, parameter.group, parameter.value});
  }
  lc::Optimizer optimizer(config, parameters);
  lc::MemoryState memory = model->initial_memory(values[7], lc::MemoryUse::kTraining);
  std::vector<double> seconds;
  double loss = 0;
  for (int64_t step = 0; step < values[0]; ++step) {
    const lc::Segment segment = random_segment(values[7], values[5], step);
    const double begun = cpu_seconds();
    auto result = model->step(segment, std::move(memory), {.training = true, .seed = 1});
    memory = result.memory.detach();
    const at::Tensor mean = result.nll_BT.mean();
    mean.backward();
    optimizer.step(2.5e-4);
    seconds.push_back(cpu_seconds() - begun);
    loss = mean.item<double>();
  }
  seconds.erase(seconds.begin(), seconds.begin() + std::min<int64_t>(3, values[0] - 1));
  std::sort(seconds.begin(), seconds.end());
  std::printf("{\"parameters\": %lld, \"median_s\": %.4f, \"min_s\": %.4f, \"loss\": %.4f}\n",
              static_cast<long long>(model->parameters().count()), seconds[seconds.size() / 2],
              seconds.front(), loss);
  return 0;
}
