#include "optim/optimizer.h"

#include <ATen/ATen.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "catch.h"
#include "core/error.h"
#include "optim/schedule.h"

using namespace lc;

namespace {

Config config_of(const std::string& optim) {
  OptionTable table;
  table.add(optim_options({"main", "gate"}));
  return Config::read(table, R"({"optim": )" + optim + "}", "test", {});
}

at::Tensor leaf(at::IntArrayRef shape, double phase) {
  const int64_t count = c10::multiply_integers(shape);
  return (at::arange(count, at::kDouble) * 1.7 + phase).sin().reshape(shape).requires_grad_(true);
}

std::vector<OptimizedParameter> parameters() {
  return {{"matrix", "main", leaf({3, 4}, 0.1)},
          {"bias", "main", leaf({5}, 0.2)},
          {"gate", "gate", leaf({2, 2}, 0.3)}};
}

void set_gradients(const std::vector<OptimizedParameter>& all, int64_t step) {
  for (const auto& one : all) {
    one.value.mutable_grad() =
        (one.value.detach() * 2 + static_cast<double>(step)).cos() * (step % 3 == 0 ? 3.0 : 0.1);
  }
}

// The formulas, element by element in double: w, m and v of one parameter.
struct Slow {
  std::vector<double> w, m, v;
};

enum class Kind { kAdam, kAdamW, kSgd };

struct Rates {
  double rate, decay, factor;
};

void slow_update(Slow& s, const at::Tensor& gradient, Kind kind, int n, const Rates& r) {
  for (size_t i = 0; i < s.w.size(); ++i) {
    double g = gradient.flatten()[static_cast<int64_t>(i)].item<double>() * r.factor;
    if (kind == Kind::kAdamW) s.w[i] -= r.rate * r.decay * s.w[i];
    if (kind != Kind::kAdamW) g += r.decay * s.w[i];
    if (kind == Kind::kSgd) {
      s.m[i] = 0.8 * s.m[i] + g;
      s.w[i] -= r.rate * s.m[i];
      continue;
    }
    s.m[i] = 0.9 * s.m[i] + 0.1 * g;
    s.v[i] = 0.99 * s.v[i] + 0.01 * g * g;
    s.w[i] -= r.rate * (s.m[i] / (1 - std::pow(0.9, n))) /
              (std::sqrt(s.v[i] / (1 - std::pow(0.99, n))) + 1e-6);
  }
}

double slow_norm(const std::vector<at::Tensor>& gradients) {
  double sum = 0;
  for (const auto& g : gradients) {
    for (int64_t i = 0; i < g.numel(); ++i) sum += std::pow(g.flatten()[i].item<double>(), 2);
  }
  return std::sqrt(sum);
}

void compare_with_loop(const std::string& name, Kind kind, UpdatePath path) {
  const Config config =
      config_of(R"({"name": ")" + name + R"(", "lr": 0.01, "betas": [0.9, 0.99], "eps": 1e-6,
          "momentum": 0.8, "weight_decay": 0.1, "clip_norm": 0.7,
          "groups": {"gate": {"lr": 0.03, "weight_decay": 0.2, "clip_norm": 0.2}}})");
  const auto all = parameters();
  Optimizer optimizer(config, all, path);
  std::vector<Slow> slow;
  for (const auto& one : all) {
    const at::Tensor flat = one.value.detach().flatten().clone();
    const auto* data = flat.const_data_ptr<double>();
    std::vector<double> w(data, data + flat.numel());
    slow.push_back({w, std::vector<double>(w.size(), 0), std::vector<double>(w.size(), 0)});
  }
  for (int n = 1; n <= 20; ++n) {
    set_gradients(all, n);
    std::vector<at::Tensor> g;
    for (const auto& one : all) g.push_back(one.value.grad().clone());
    const double rate = 0.01 / n;
    const double main = std::min(1.0, 0.7 / (slow_norm({g[0], g[1]}) + 1e-6));
    const double gate = std::min(1.0, 0.2 / (slow_norm({g[2]}) + 1e-6));
    const auto report = optimizer.step(rate);
    CHECK(report.applied);
    CHECK(report.grad_norm == Approx(slow_norm(g)).epsilon(1e-12));
    CHECK(report.clip_factor == Approx(main).epsilon(1e-12));
    slow_update(slow[0], g[0], kind, n, {rate, 0.1, main});
    slow_update(slow[1], g[1], kind, n, {rate, 0.0, main});
    slow_update(slow[2], g[2], kind, n, {rate * 3, 0.2, gate});
  }
  for (size_t p = 0; p < all.size(); ++p) {
    CHECK_FALSE(all[p].value.grad().defined());
    for (size_t i = 0; i < slow[p].w.size(); ++i) {
      CHECK(all[p].value.flatten()[static_cast<int64_t>(i)].item<double>() ==
            Approx(slow[p].w[i]).epsilon(1e-12).margin(1e-13));
    }
  }
}

}  // namespace

TEST_CASE("20 updates equal a loop over elements") {
  for (const UpdatePath path : {UpdatePath::kFusedWherePossible, UpdatePath::kPlain}) {
    compare_with_loop("adam", Kind::kAdam, path);
    compare_with_loop("adamw", Kind::kAdamW, path);
    compare_with_loop("sgd", Kind::kSgd, path);
  }
}

TEST_CASE("a norm that is not finite changes nothing and clears the gradients") {
  const auto all = parameters();
  Optimizer optimizer(config_of(R"({"clip_norm": 1})"), all);
  const at::Tensor before = all[0].value.detach().clone();
  set_gradients(all, 1);
  all[1].value.mutable_grad()[0] = std::numeric_limits<double>::quiet_NaN();
  const auto report = optimizer.step(0.1);
  CHECK_FALSE(report.applied);
  CHECK(std::isnan(report.grad_norm));
  CHECK(at::equal(before, all[0].value));
  CHECK_FALSE(all[0].value.grad().defined());
  for (const auto& [name, tensor] : optimizer.save())
    CHECK(tensor.count_nonzero().item<int64_t>() == 0);
}

TEST_CASE("a parameter without gradient stays; a transposed gradient is read by its elements") {
  for (const UpdatePath path : {UpdatePath::kFusedWherePossible, UpdatePath::kPlain}) {
    const auto all = parameters();
    const auto same = parameters();
    Optimizer optimizer(config_of(R"({"weight_decay": 0.1})"), all, path);
    Optimizer other(config_of(R"({"weight_decay": 0.1})"), same, path);
    const at::Tensor gradient = leaf({4, 3}, 0.7).detach();
    all[0].value.mutable_grad() = gradient.t();
    same[0].value.mutable_grad() = gradient.t().contiguous();
    const at::Tensor bias = all[1].value.detach().clone();
    optimizer.step(0.1);
    other.step(0.1);
    CHECK(at::equal(all[0].value, same[0].value));
    CHECK_FALSE(at::equal(all[0].value, parameters()[0].value));
    CHECK(at::equal(all[1].value, bias));
  }
}

TEST_CASE("saved and loaded, updates go on bitwise as if never stopped") {
  for (const std::string name : {"adam", "adamw", "sgd"}) {
    CAPTURE(name);
    const Config config = config_of(R"({"name": ")" + name + R"(", "momentum": 0.9})");
    const auto straight = parameters();
    const auto stopped = parameters();
    Optimizer one(config, straight);
    Optimizer two(config, stopped);
    Optimizer three(config, stopped);
    for (int64_t n = 0; n < 10; ++n) {
      if (n == 5) three.load(two.save());
      set_gradients(straight, n);
      set_gradients(stopped, n);
      one.step(0.01);
      (n < 5 ? two : three).step(0.01);
    }
    for (size_t i = 0; i < straight.size(); ++i) {
      CHECK(at::equal(straight[i].value, stopped[i].value));
    }
  }
}

TEST_CASE("state that doesn't fit is listed at once and nothing is loaded") {
  Optimizer optimizer(config_of("{}"), parameters());
  NamedTensors state = optimizer.save();
  state[0].first = "exp_avg.other";
  state[1].second = at::zeros({2}, at::kDouble);
  try {
    optimizer.load(state);
    FAIL("loaded");
  } catch (const Error& error) {
    const std::string text = error.what();
    CHECK(error.kind() == ErrorKind::kData);
    CHECK(text.find("exp_avg.matrix is missing") != std::string::npos);
    CHECK(text.find("exp_avg_sq.matrix is [2], not [3, 4]") != std::string::npos);
    CHECK(text.find("exp_avg.other is unknown") != std::string::npos);
  }
}
