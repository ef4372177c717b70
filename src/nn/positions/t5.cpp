// Learned biases per distance bucket and head, one table for all layers (Raffel et al. 2020):
// score = c q k + table[bucket(delta), head].
#include "nn/positions/t5.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "nn/positions/position_scheme.h"

namespace lc {
namespace {

// Whether (n/e)^a >= (m/e)^b for positive integers, exactly: by sums of logarithms where they are
// clearly apart, else by arbitrary-length multiplication.
class BigNatural {
 public:
  explicit BigNatural(uint64_t value) { digits_ = {value & kMask, value >> 32}; }
  void multiply(uint64_t factor) {
    uint64_t carry = 0;
    for (uint64_t& digit : digits_) {
      const uint64_t low = digit * (factor & kMask) + carry;
      digit = low & kMask;
      carry = low >> 32;
    }
    while (carry != 0) {
      digits_.push_back(carry & kMask);
      carry >>= 32;
    }
  }
  bool at_least(const BigNatural& other) const {
    const size_t length = std::max(digits_.size(), other.digits_.size());
    for (size_t i = length; i-- > 0;) {
      const uint64_t mine = i < digits_.size() ? digits_[i] : 0;
      const uint64_t theirs = i < other.digits_.size() ? other.digits_[i] : 0;
      if (mine != theirs) return mine > theirs;
    }
    return true;
  }

 private:
  static constexpr uint64_t kMask = 0xFFFFFFFFULL;
  std::vector<uint64_t> digits_;
};

// n^a e^b >= m^b e^a, for factors below 2^32.
bool power_reaches(int64_t n, int64_t e, int64_t m, int64_t a, int64_t b) {
  BigNatural left(1);
  BigNatural right(1);
  for (int64_t i = 0; i < a; ++i) left.multiply(static_cast<uint64_t>(n));
  for (int64_t i = 0; i < b; ++i) left.multiply(static_cast<uint64_t>(e));
  for (int64_t i = 0; i < b; ++i) right.multiply(static_cast<uint64_t>(m));
  for (int64_t i = 0; i < a; ++i) right.multiply(static_cast<uint64_t>(e));
  return left.at_least(right);
}

class T5Layer : public LayerPositions {
 public:
  explicit T5Layer(const PositionSetup& setup)
      : LayerPositions(score_scaling(setup.config, ScoreScaling::kBeforeBiases),
                       setup.settings.d_head),
        buckets_(setup.config.get<int64_t>("model.positions.t5_num_buckets")),
        max_distance_(setup.config.get<int64_t>("model.positions.t5_max_distance")),
        table_(setup.parameters.add("positions.t5_bias.weight", {buckets_, setup.settings.heads},
                                    Initial::normal(setup.settings.init_deviation))) {
    std::vector<int64_t> buckets;
    for (int64_t n = 0; n <= max_distance_; ++n) {
      buckets.push_back(t5_bucket(n, buckets_, max_distance_));
    }
    bucket_of_distance_ = at::tensor(buckets, at::kLong).to(setup.parameters.setup().device);
  }

  at::Tensor scores(const at::Tensor& q_BHTd, const at::Tensor& k_BHKd, const PositionAxis& axis,
                    const StepContext&) const override {
    const at::Tensor distances = axis.distances(q_BHTd.device(), max_distance_);
    const at::Tensor buckets_TK =
        bucket_of_distance_.index_select(0, distances.flatten()).view(distances.sizes());
    const at::Tensor bias_HTK = at::embedding(table_, buckets_TK).permute({2, 0, 1});
    return biased_scores(q_BHTd, k_BHKd, bias_HTK);
  }

 private:
  int64_t buckets_;
  int64_t max_distance_;
  at::Tensor table_;               // [buckets, H]
  at::Tensor bucket_of_distance_;  // [max_distance + 1]
};

class T5 : public PositionScheme {
 public:
  explicit T5(const PositionSetup& setup) : layer_(checked(setup)) {}
  const LayerPositions& layer(int64_t) const override { return layer_; }
  bool relative() const override { return true; }

 private:
  static const PositionSetup& checked(const PositionSetup& setup) {
    const auto buckets = setup.config.get<int64_t>("model.positions.t5_num_buckets");
    const auto largest = setup.config.get<int64_t>("model.positions.t5_max_distance");
    if (buckets % 2 != 0 || largest <= buckets / 2) {
      throw Error(
          ErrorKind::kUsage, "model.positions.t5_num_buckets",
          std::to_string(buckets) + " buckets don't fit t5_max_distance " + std::to_string(largest),
          "give an even number, less than twice the largest distance");
    }
    return setup;
  }
  T5Layer layer_;
};

}  // namespace

int64_t t5_bucket(int64_t distance, int64_t buckets, int64_t max_distance) {
  const int64_t exact = buckets / 2;
  if (distance < exact) return std::max<int64_t>(distance, 0);
  if (distance >= max_distance) return buckets - 1;
  const int64_t wide = buckets - exact;
  const double estimate = static_cast<double>(wide) *
                          std::log(static_cast<double>(distance) / static_cast<double>(exact)) /
                          std::log(static_cast<double>(max_distance) / static_cast<double>(exact));
  // The largest s with (n/e)^wide >= (m/e)^s; the estimate is at most one off.
  auto step = static_cast<int64_t>(std::floor(estimate)) + 1;
  while (step > 0 && !power_reaches(distance, exact, max_distance, wide, step)) --step;
  return std::min(buckets - 1, exact + step);
}

PositionEntry t5_positions() {
  return {"t5",
          {Option::integer("model.positions.t5_num_buckets", 32)
               .at_least(2)
               .architecture()
               .says("Number of distance buckets."),
           Option::integer("model.positions.t5_max_distance", 128)
               .at_least(2)
               .at_most(1 << 24)
               .in("tokens")
               .architecture()
               .says("From this distance on the last bucket holds.")},
          [](const PositionSetup& setup) -> std::unique_ptr<PositionScheme> {
            return std::make_unique<T5>(setup);
          }};
}

}  // namespace lc
