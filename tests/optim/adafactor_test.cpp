// Adafactor against a slow version, closed forms of a first step, and PyTorch's own.
#include <map>

#include "catch.h"
#include "optim/optimizer_fixture.h"

using namespace lc;
using namespace optimizer_fixture;

namespace {

// Algorithms 4 and 5 of the paper with sums where the program has means. In a matrix the first
// entries of m are sums of rows, those of v of columns; in a vector v holds the second moments.
void slow_adafactor(Slow& s, const std::vector<double>& g, const Rates& r) {
  const double kept = 1 - std::pow(r.n, -0.8);
  const size_t count = s.w.size();
  std::vector<double> second(count);
  if (s.shape.size() == 1) {
    for (size_t i = 0; i < count; ++i) {
      second[i] = s.v[i] = kept * s.v[i] + (1 - kept) * (g[i] * g[i] + 1e-30);
    }
  } else {
    const auto rows = static_cast<size_t>(s.shape[0]);
    const size_t columns = count / rows;
    std::vector<double> row(rows, 0);
    std::vector<double> column(columns, 0);
    for (size_t i = 0; i < count; ++i) {
      row[i / columns] += g[i] * g[i] + 1e-30;
      column[i % columns] += g[i] * g[i] + 1e-30;
    }
    double total = 0;
    for (size_t i = 0; i < rows; ++i) total += s.m[i] = kept * s.m[i] + (1 - kept) * row[i];
    for (size_t j = 0; j < columns; ++j) s.v[j] = kept * s.v[j] + (1 - kept) * column[j];
    for (size_t i = 0; i < count; ++i) second[i] = s.m[i / columns] * s.v[i % columns] / total;
  }
  std::vector<double> u(count);
  for (size_t i = 0; i < count; ++i) u[i] = g[i] / std::sqrt(second[i]);
  const double root = std::sqrt(static_cast<double>(count));
  const double clip = std::max(1.0, norm_of(u) / root / 0.8);
  const double scale = std::max(1e-3, norm_of(s.w) / root);
  for (size_t i = 0; i < count; ++i) {
    s.w[i] -= r.rate * r.decay * s.w[i] + r.rate * scale * u[i] / clip;
  }
}

struct Trial {
  std::string options;  // of section adafactor
  std::vector<int64_t> shape;
  std::vector<double> w;
  std::vector<double> g;
  at::ScalarType type = at::kDouble;
};

// The weights after one update at rate 0.1.
std::vector<double> after_one(const Trial& trial) {
  const at::Tensor value =
      at::tensor(trial.w, at::kDouble).to(trial.type).reshape(trial.shape).requires_grad_(true);
  Optimizer optimizer(config_of(R"({"name": "adafactor", "adafactor": {)" + trial.options + "}}"),
                      {{"w", "main", value}});
  value.mutable_grad() = at::tensor(trial.g, at::kDouble).to(trial.type).reshape(trial.shape);
  optimizer.step(0.1);
  return numbers(value);
}

std::map<std::string, std::vector<int64_t>> state_shapes(at::IntArrayRef shape, int smallest) {
  const std::string settings = nlohmann::json{{"smallest_factored", smallest}}.dump();
  const Optimizer optimizer(config_of(R"({"name": "adafactor", "adafactor": )" + settings + "}"),
                            {{"w", "main", leaf(shape, 0.1)}});
  std::map<std::string, std::vector<int64_t>> shapes;
  for (const auto& [name, tensor] : optimizer.save()) shapes[name] = tensor.sizes().vec();
  return shapes;
}

}  // namespace

TEST_CASE("20 updates of Adafactor equal a loop over elements") {
  compare_with_slow(
      R"("name": "adafactor", "adafactor": {"smallest_factored": 1, "clip_threshold": 0.8})",
      UpdatePath::kFusedWherePossible, slow_adafactor);
}

TEST_CASE("Adafactor's first step in closed form") {
  // A vector's second moments are the squares themselves: signs, scaled by the weights' size.
  const double move = 0.1 * 5 / std::sqrt(2.0);
  check_close(after_one({"", {2}, {3, 4}, {0.02, -7}}), {3 - move, 4 + move});
  check_close(after_one({R"("parameter_scale": false)", {2}, {3, 4}, {0.02, -7}}), {2.9, 4.1});
  check_close(after_one({"", {2}, {0, 0}, {0.02, -7}}), {-1e-4, 1e-4});
  // A matrix: means of rows 2.5, 12.5 and of columns 5, 10, so that the squares over their
  // estimates are 0.6, 1.2, 1.08, 0.96, of mean 0.96.
  const std::vector<double> g{1, 2, 3, 4};
  const std::vector<double> u{std::sqrt(0.6), std::sqrt(1.2), std::sqrt(1.08), std::sqrt(0.96)};
  const auto moved = [&](double factor) {
    std::vector<double> w;
    for (const double one : u) w.push_back(-factor * one);
    return w;
  };
  const std::string factored = R"("smallest_factored": 2)";
  check_close(after_one({factored, {2, 2}, {0, 0, 0, 0}, g}), moved(1e-4));
  check_close(after_one({factored + R"(, "clip_threshold": 0.5)", {2, 2}, {0, 0, 0, 0}, g}),
              moved(1e-4 * 0.5 / std::sqrt(0.96)));
  check_close(after_one({factored + R"(, "clip_threshold": null)", {2, 2}, {0, 0, 0, 0}, g}),
              moved(1e-4));
  // Not factored, every square is its own estimate.
  check_close(after_one({"", {2, 2}, {0, 0, 0, 0}, g}), {-1e-4, -1e-4, -1e-4, -1e-4});
}

TEST_CASE("gradients of zero, whole or in part, leave weights as they are in float32") {
  const std::string factored = R"("smallest_factored": 1)";
  const std::vector<double> w{1, -2, 3, -4};
  for (const std::string& options : {std::string(), factored}) {
    check_close(after_one({options, {2, 2}, w, {0, 0, 0, 0}, at::kFloat}), w);
    const auto row = after_one({options, {2, 2}, w, {0, 0, 1, 1}, at::kFloat});
    CHECK(row[0] == 1);
    CHECK(row[1] == -2);
    CHECK(row[2] < 3);
    CHECK(row[3] < -4);
  }
}

TEST_CASE("20 updates of Adafactor give PyTorch's numbers") {
  // torch.optim.Adafactor of PyTorch 2.13 in float64: lr 0.01, eps (1e-30, 1e-3), d 1, beta2_decay
  // -0.8, decay 0.1 of matrix and kernel. First four weights, then the sum of all.
  const std::vector<OptimizedParameter> all = {{"matrix", "main", leaf({3, 4}, 0.1)},
                                               {"bias", "main", leaf({5}, 0.2)},
                                               {"kernel", "main", leaf({2, 3, 2}, 0.3)}};
  const std::vector<std::vector<double>> wanted = {
      {0.100724123072642, 0.964249498561639, -0.349129495318221, -0.876924801063379,
       0.0374652433914138},
      {0.200784338890748, 0.949704920980433, -0.447815914427236, -0.843732887587096,
       0.528866352916695},
      {0.29716076329013, 0.90164463254747, -0.525085186615464, -0.763744802375502,
       0.218262634024047}};
  Optimizer optimizer(config_of(R"({"name": "adafactor", "weight_decay": 0.1,
                                    "adafactor": {"smallest_factored": 1}})"),
                      all);
  for (int64_t n = 1; n <= 20; ++n) {
    set_gradients(all, n);
    optimizer.step(0.01);
  }
  for (size_t p = 0; p < all.size(); ++p) {
    CAPTURE(p);
    std::vector<double> found = numbers(all[p].value);
    found.resize(4);
    found.push_back(all[p].value.sum().item<double>());
    for (size_t i = 0; i < 5; ++i) CHECK(found[i] == Approx(wanted[p][i]).epsilon(1e-12));
  }
}

TEST_CASE("Adafactor keeps rows and columns of the two largest dimensions, if they are large") {
  using Shapes = std::map<std::string, std::vector<int64_t>>;
  CHECK(state_shapes({3, 4}, 3) == Shapes{{"exp_avg_sq_row.w", {3, 1}},
                                          {"exp_avg_sq_column.w", {1, 4}},
                                          {"step.w", {}}});
  CHECK(state_shapes({3, 4}, 4) == Shapes{{"exp_avg_sq.w", {3, 4}}, {"step.w", {}}});
  CHECK(state_shapes({5}, 1) == Shapes{{"exp_avg_sq.w", {5}}, {"step.w", {}}});
  CHECK(state_shapes({6, 5, 2}, 1) == Shapes{{"exp_avg_sq_row.w", {1, 5, 2}},
                                             {"exp_avg_sq_column.w", {6, 1, 2}},
                                             {"step.w", {}}});
}
