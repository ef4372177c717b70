#include "optim/optimizer.h"

#include <ATen/ATen.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "catch.h"
#include "core/error.h"
#include "optim/optimizer_fixture.h"

using namespace lc;
using namespace optimizer_fixture;

namespace {

enum class Kind { kAdam, kAdamW, kSgd };

void slow_update(Slow& s, const std::vector<double>& gradient, Kind kind, const Rates& r) {
  for (size_t i = 0; i < s.w.size(); ++i) {
    double g = gradient[i];
    if (kind == Kind::kAdamW) s.w[i] -= r.rate * r.decay * s.w[i];
    if (kind != Kind::kAdamW) g += r.decay * s.w[i];
    if (kind == Kind::kSgd) {
      s.m[i] = 0.8 * s.m[i] + g;
      s.w[i] -= r.rate * s.m[i];
      continue;
    }
    s.m[i] = 0.9 * s.m[i] + 0.1 * g;
    s.v[i] = 0.99 * s.v[i] + 0.01 * g * g;
    s.w[i] -= r.rate * (s.m[i] / (1 - std::pow(0.9, r.n))) /
              (std::sqrt(s.v[i] / (1 - std::pow(0.99, r.n))) + 1e-6);
  }
}

void compare_with_loop(const std::string& name, Kind kind, UpdatePath path) {
  compare_with_slow(
      R"("name": ")" + name + R"(", "momentum": 0.8)", path,
      [&](Slow& s, const std::vector<double>& g, const Rates& r) { slow_update(s, g, kind, r); });
}

}  // namespace

TEST_CASE("20 updates equal a loop over elements") {
  for (const UpdatePath path : {UpdatePath::kFusedWherePossible, UpdatePath::kPlain}) {
    compare_with_loop("adam", Kind::kAdam, path);
    compare_with_loop("adamw", Kind::kAdamW, path);
    compare_with_loop("sgd", Kind::kSgd, path);
  }
}

TEST_CASE("a group's gradient changes nothing of how another group is clipped") {
  const Config config = config_of(R"({"name": "sgd", "momentum": 0, "clip_norm": 0.5})");
  const auto quiet = parameters();
  const auto loud = parameters();
  const at::Tensor gate = quiet[2].value.detach().clone();
  Optimizer one(config, quiet);
  Optimizer other(config, loud);
  set_gradients(quiet, 0);
  set_gradients(loud, 0);
  loud[2].value.mutable_grad().mul_(100);
  CHECK(one.step(0.1).clip_factor == other.step(0.1).clip_factor);
  CHECK(at::equal(quiet[0].value, loud[0].value));
  CHECK(at::equal(quiet[1].value, loud[1].value));
  // Without a clip_norm of its own the group has the common one: a step of rate 0.1 is 0.05 long.
  CHECK((loud[2].value - gate).norm().item<double>() == Approx(0.05).epsilon(1e-6));
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
  for (const UpdateRuleKind& kind : update_rule_kinds()) {
    CAPTURE(kind.name);
    const Config config = config_of(R"({"name": ")" + kind.name + R"(", "momentum": 0.9,
                                        "adafactor": {"smallest_factored": 3}})");
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
