#include "nn/positions/position_scheme.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/error.h"

namespace lc {
namespace {

const PositionEntry& scheme_of(const Config& config) {
  const auto name = config.get<std::string>("model.positions.scheme");
  for (const PositionEntry& entry : position_registry()) {
    if (entry.name == name) return entry;
  }
  throw Error(ErrorKind::kUsage, "model.positions.scheme", "\"" + name + "\" is unknown",
              "see --help-config");
}

}  // namespace

PositionAxis PositionAxis::of(std::vector<int64_t> q_pos, std::vector<int64_t> k_pos) {
  PositionAxis axis{std::move(q_pos), std::move(k_pos), {}};
  const auto consecutive = [](const std::vector<int64_t>& positions) {
    for (size_t j = 1; j < positions.size(); ++j) {
      if (positions[j] != positions[j - 1] + 1) return false;
    }
    return !positions.empty();
  };
  if (consecutive(axis.q_pos) && consecutive(axis.k_pos) &&
      axis.k_pos.front() <= axis.q_pos.front() && axis.k_pos.back() <= axis.q_pos.back()) {
    axis.run = axis.q_pos.back() - axis.k_pos.front() + 1;
  }
  return axis;
}

PositionAxis PositionAxis::last_of(int64_t queries, int64_t keys) {
  PositionAxis axis;
  axis.k_pos.resize(static_cast<size_t>(keys));
  std::iota(axis.k_pos.begin(), axis.k_pos.end(), 0);
  axis.q_pos.assign(axis.k_pos.end() - queries, axis.k_pos.end());
  axis.run = keys;
  return axis;
}

at::Tensor PositionAxis::distances(at::Device device, std::optional<int64_t> largest) const {
  const at::Tensor q_T1 = at::tensor(q_pos, at::kLong).to(device).unsqueeze(1);
  const at::Tensor k_1K = at::tensor(k_pos, at::kLong).to(device).unsqueeze(0);
  const at::Tensor delta = (q_T1 - k_1K).clamp_min(0);
  return largest ? delta.clamp_max(*largest) : delta;
}

LayerPositions::LayerPositions(ScoreScaling scaling, int64_t d_head)
    : scaling_(scaling), scale_(1.0 / std::sqrt(static_cast<double>(d_head))) {}

at::Tensor LayerPositions::embed(const at::Tensor&) const { return {}; }

at::Tensor LayerPositions::scores(const at::Tensor& q_BHTd, const at::Tensor& k_BHKd,
                                  const PositionAxis&, const StepContext&) const {
  return at::matmul(q_BHTd * (query_scale() * sum_scale()), k_BHKd.transpose(2, 3));
}

at::Tensor LayerPositions::scores_for_softmax(const at::Tensor& q_BHTd, const at::Tensor& k_BHKd,
                                              const PositionAxis& axis,
                                              const StepContext& context) const {
  return scores(q_BHTd, k_BHKd, axis, context);
}

at::Tensor LayerPositions::biased_scores(const at::Tensor& q_BHTd, const at::Tensor& k_BHKd,
                                         const at::Tensor& bias) const {
  const at::Tensor content =
      at::matmul(q_BHTd * (query_scale() * sum_scale()), k_BHKd.transpose(2, 3));
  return sum_scale() == 1.0 ? content + bias : content + bias * sum_scale();
}

at::Tensor LayerPositions::value(const at::Tensor& weights_BHTK, const at::Tensor& v_BHKd,
                                 const PositionAxis&) const {
  return at::matmul(weights_BHTK, v_BHKd);
}

at::Tensor PositionScheme::embed(const at::Tensor&) const { return {}; }

std::vector<Option> position_options() {
  std::vector<std::string> names;
  for (const PositionEntry& entry : position_registry()) names.push_back(entry.name);
  std::vector<Option> options{
      Option::choice("model.positions.scheme", "xl_relative", names)
          .architecture()
          .says("How positions enter attention."),
      Option::choice("model.positions.score_scaling", nullptr,
                     {"after_biases", "before_biases", "none"})
          .or_null()
          .architecture()
          .says("Where 1/sqrt(d_head) stands: c(qk + bias), c qk + bias, or nowhere; null: as the "
                "scheme was published."),
  };
  for (const PositionEntry& entry : position_registry()) {
    options.insert(options.end(), entry.options.begin(), entry.options.end());
  }
  return options;
}

std::unique_ptr<PositionScheme> build_positions(const PositionSetup& setup) {
  return scheme_of(setup.config).build(setup);
}

void check_position_rows(const Config& config, int64_t positions, const std::string& where) {
  constexpr const char* kRows = "model.positions.max_positions";
  if (!scheme_of(config).has_rows || positions <= config.get<int64_t>(kRows)) return;
  throw Error(ErrorKind::kUsage, where,
              std::to_string(positions) + " tokens have more positions than the table has rows, " +
                  std::to_string(config.get<int64_t>(kRows)),
              std::string("raise ") + kRows + " before training, or ask for fewer tokens");
}

ScoreScaling score_scaling(const Config& config, ScoreScaling own) {
  if (config.is_null("model.positions.score_scaling")) return own;
  const auto name = config.get<std::string>("model.positions.score_scaling");
  if (name == "after_biases") return ScoreScaling::kAfterBiases;
  return name == "before_biases" ? ScoreScaling::kBeforeBiases : ScoreScaling::kNone;
}

}  // namespace lc
