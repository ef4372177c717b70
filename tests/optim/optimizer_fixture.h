// Small parameters with made-up gradients, and updates of an optimizer compared with a slow version
// in double.
#pragma once

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "catch.h"
#include "optim/optimizer.h"
#include "optim/schedule.h"

namespace optimizer_fixture {

inline lc::Config config_of(const std::string& optim) {
  lc::OptionTable table;
  table.add(lc::optim_options({"main", "gate"}));
  return lc::Config::read(table, R"({"optim": )" + optim + "}", "test", {});
}

inline at::Tensor leaf(at::IntArrayRef shape, double phase) {
  const int64_t count = c10::multiply_integers(shape);
  return (at::arange(count, at::kDouble) * 1.7 + phase).sin().reshape(shape).requires_grad_(true);
}

inline std::vector<lc::OptimizedParameter> parameters() {
  return {{"matrix", "main", leaf({3, 4}, 0.1)},
          {"bias", "main", leaf({5}, 0.2)},
          {"gate", "gate", leaf({2, 2}, 0.3)}};
}

inline void set_gradients(const std::vector<lc::OptimizedParameter>& all, int64_t step) {
  for (const auto& one : all) {
    one.value.mutable_grad() =
        (one.value.detach() * 2 + static_cast<double>(step)).cos() * (step % 3 == 0 ? 3.0 : 0.1);
  }
}

inline std::vector<double> numbers(const at::Tensor& tensor) {
  const at::Tensor flat = tensor.detach().to(at::kDouble).flatten().contiguous();
  const auto* data = flat.const_data_ptr<double>();
  return {data, data + flat.numel()};
}

inline double norm_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum);
}

inline void check_close(const std::vector<double>& found, const std::vector<double>& wanted) {
  REQUIRE(found.size() == wanted.size());
  for (size_t i = 0; i < found.size(); ++i) {
    CAPTURE(i);
    CHECK(found[i] == Approx(wanted[i]).epsilon(1e-12).margin(1e-13));
  }
}

// One parameter of the slow version, element by element; what m and v are is the rule's business.
struct Slow {
  std::vector<int64_t> shape;
  std::vector<double> w, m, v;
};

struct Rates {
  int n;  // which update of the parameter, from 1
  double rate, decay;
};

// Takes the gradient clipped.
using SlowUpdate = std::function<void(Slow&, const std::vector<double>&, const Rates&)>;

// 20 updates at falling rates, with decay, clipping and a group of its own.
inline void compare_with_slow(const std::string& rule, lc::UpdatePath path,
                              const SlowUpdate& update) {
  const lc::Config config = config_of("{" + rule + R"(, "lr": 0.01, "betas": [0.9, 0.99],
          "eps": 1e-6, "weight_decay": 0.1, "clip_norm": 0.7,
          "groups": {"gate": {"lr": 0.03, "weight_decay": 0.2, "clip_norm": 0.2}}})");
  const auto all = parameters();
  lc::Optimizer optimizer(config, all, path);
  std::vector<Slow> slow;
  for (const auto& one : all) {
    const std::vector<double> w = numbers(one.value);
    const std::vector<double> zeros(w.size(), 0);
    slow.push_back({one.value.sizes().vec(), w, zeros, zeros});
  }
  for (int n = 1; n <= 20; ++n) {
    set_gradients(all, n);
    std::vector<std::vector<double>> g;
    for (const auto& one : all) g.push_back(numbers(one.value.grad()));
    const double main_norm = std::hypot(norm_of(g[0]), norm_of(g[1]));
    const double main = std::min(1.0, 0.7 / (main_norm + 1e-6));
    const double gate = std::min(1.0, 0.2 / (norm_of(g[2]) + 1e-6));
    const double rate = 0.01 / n;
    const auto report = optimizer.step(rate);
    CHECK(report.applied);
    CHECK(report.grad_norm == Approx(std::hypot(main_norm, norm_of(g[2]))).epsilon(1e-12));
    CHECK(report.clip_factor == Approx(main).epsilon(1e-12));
    const Rates rates[] = {{n, rate, 0.1}, {n, rate, 0.0}, {n, rate * 3, 0.2}};
    for (size_t p = 0; p < all.size(); ++p) {
      for (double& value : g[p]) value *= p == 2 ? gate : main;
      update(slow[p], g[p], rates[p]);
    }
  }
  for (size_t p = 0; p < all.size(); ++p) {
    CHECK_FALSE(all[p].value.grad().defined());
    CAPTURE(p);
    check_close(numbers(all[p].value), slow[p].w);
  }
}

}  // namespace optimizer_fixture
