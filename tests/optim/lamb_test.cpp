// LAMB against a slow version, closed forms of a first step, and numbers of an independent program.
#include "catch.h"
#include "core/error.h"
#include "optim/optimizer_fixture.h"

using namespace lc;
using namespace optimizer_fixture;

namespace {

enum class Variant { kPaper, kNvidia };

void slow_lamb(Slow& s, const std::vector<double>& g, Variant variant, const Rates& r) {
  const bool paper = variant == Variant::kPaper;
  std::vector<double> u(s.w.size());
  for (size_t i = 0; i < u.size(); ++i) {
    s.m[i] = 0.9 * s.m[i] + 0.1 * g[i];
    s.v[i] = 0.99 * s.v[i] + 0.01 * g[i] * g[i];
    const double m = paper ? s.m[i] / (1 - std::pow(0.9, r.n)) : s.m[i];
    const double v = paper ? s.v[i] / (1 - std::pow(0.99, r.n)) : s.v[i];
    u[i] = m / (std::sqrt(v) + 1e-6) + r.decay * s.w[i];
  }
  const double weights = norm_of(s.w);
  const double length = norm_of(u);
  double share = paper ? weights / length : std::min(weights, 10.0) / (length + 1e-6);
  if (weights == 0 || length == 0) share = 1;
  for (size_t i = 0; i < u.size(); ++i) s.w[i] -= r.rate * share * u[i];
}

std::string lamb(const std::string& variant) {
  return R"("name": "lamb", "lamb": {"variant": ")" + variant + R"("})";
}

// The weights after one update at rate 0.1 of weights w under gradient g.
std::vector<double> after_one(const std::string& variant, const std::vector<double>& w,
                              const std::vector<double>& g) {
  const at::Tensor value = at::tensor(w, at::kDouble).requires_grad_(true);
  Optimizer optimizer(config_of("{" + lamb(variant) + R"(, "eps": 1e-30})"),
                      {{"w", "main", value}});
  value.mutable_grad() = at::tensor(g, at::kDouble);
  optimizer.step(0.1);
  return numbers(value);
}

}  // namespace

TEST_CASE("20 updates of LAMB equal a loop over elements") {
  for (const UpdatePath path : {UpdatePath::kFusedWherePossible, UpdatePath::kPlain}) {
    compare_with_slow(lamb("paper"), path, [](Slow& s, const auto& g, const Rates& r) {
      slow_lamb(s, g, Variant::kPaper, r);
    });
    compare_with_slow(lamb("nvidia"), path, [](Slow& s, const auto& g, const Rates& r) {
      slow_lamb(s, g, Variant::kNvidia, r);
    });
  }
}

TEST_CASE("LAMB's first step has the length of the weights times the rate") {
  // Whatever the gradient, Adam's first step is its signs: here (1, -1), of length sqrt(2).
  const double move = 0.1 * 5 / std::sqrt(2.0);
  check_close(after_one("paper", {3, 4}, {0.02, -7}), {3 - move, 4 + move});
  check_close(after_one("nvidia", {3, 4}, {0.02, -7}), {3 - move, 4 + move});
  // nvidia takes no weights to be longer than 10.
  check_close(after_one("paper", {30, 40}, {0.02, -7}), {30 - 10 * move, 40 + 10 * move});
  check_close(after_one("nvidia", {30, 40}, {0.02, -7}), {30 - 2 * move, 40 + 2 * move});
}

TEST_CASE("LAMB moves weights of zero by Adam's own step, and stays where nothing pulls") {
  check_close(after_one("paper", {0, 0}, {0.5, -2}), {-0.1, 0.1});
  // Not corrected: 0.1 g / sqrt(0.001 g^2).
  const double raw = 0.1 * 0.1 / std::sqrt(0.001);
  check_close(after_one("nvidia", {0, 0}, {0.5, -2}), {-raw, raw});
  check_close(after_one("paper", {3, 4}, {0, 0}), {3, 4});
  check_close(after_one("nvidia", {3, 4}, {0, 0}), {3, 4});
}

TEST_CASE("20 updates of LAMB give the numbers of a program of its own") {
  // numpy in float64, written from the paper's algorithm 2 and from NVIDIA's lamb_kernel: betas
  // 0.9 and 0.99, eps 1e-6, rate 0.01, decay 0.1 of the matrix; its weights are 20 times leaf's, so
  // that they are longer than 10. First four weights, then the sum of all.
  const std::pair<const char*, std::vector<double>> expected[] = {
      {"paper",
       {1.36303965406173, 16.2712147465177, -6.01420885643635, -14.6497819020425,
        -0.936205289942615, 0.217005375154845, 0.898492494821566, -0.412105491442186,
        -0.832787611752833, 0.556765454586853, -0.0100907268743927, -0.0302721806231781}},
      {"nvidia",
       {1.83372395237353, 18.7832380620671, -6.7523212091842, -16.9951593378377, 0.108499786680662,
        0.217007492683032, 0.898493243533825, -0.412106090250401, -0.832788106672399,
        0.556767620471078, -0.0100890436112653, -0.030267130833796}}};
  for (const auto& [variant, wanted] : expected) {
    CAPTURE(variant);
    const std::vector<OptimizedParameter> all = {
        {"matrix", "main", (leaf({3, 4}, 0.1).detach() * 20).requires_grad_(true)},
        {"bias", "main", leaf({5}, 0.2)},
        {"zeros", "main", at::zeros({3}, at::kDouble).requires_grad_(true)}};
    Optimizer optimizer(config_of("{" + lamb(variant) + R"(, "lr": 0.01, "betas": [0.9, 0.99],
                                  "eps": 1e-6, "weight_decay": 0.1})"),
                        all);
    for (int64_t n = 1; n <= 20; ++n) {
      set_gradients(all, n);
      optimizer.step(0.01);
    }
    std::vector<double> found;
    for (const auto& one : all) {
      const std::vector<double> w = numbers(one.value);
      const size_t shown = one.name == "zeros" ? 1 : 4;
      found.insert(found.end(), w.begin(), w.begin() + static_cast<std::ptrdiff_t>(shown));
      found.push_back(one.value.sum().item<double>());
    }
    REQUIRE(found.size() == wanted.size());
    for (size_t i = 0; i < found.size(); ++i) CHECK(found[i] == Approx(wanted[i]).epsilon(1e-12));
  }
}

TEST_CASE("betas that aren't two are refused by the rules that read them") {
  for (const std::string name : {"adam", "adamw", "lamb"}) {
    const Config config = config_of(R"({"name": ")" + name + R"(", "betas": [0.9]})");
    CHECK_THROWS_AS(Optimizer(config, parameters()), Error);
  }
}
