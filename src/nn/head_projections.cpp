#include "nn/head_projections.h"

#include <ATen/ATen.h>

#include <string>

#include "core/error.h"

namespace lc {
namespace {

std::string attention_prefix(int64_t layer) { return "layers." + std::to_string(layer) + ".attention."; }

at::Tensor matrix(ParameterSet& parameters, const std::string& name, int64_t rows, int64_t columns,
                  double deviation) {
  return parameters.add(name + ".weight", {rows, columns}, Initial::normal(deviation));
}

// A function of one lane at a time, for groups whose lanes stand at positions of their own.
template <typename F>
at::Tensor by_lane(const KeyGroup& group, F&& of_lane) {
  std::vector<at::Tensor> lanes;
  for (size_t b = 0; b < group.axes.size(); ++b) lanes.push_back(of_lane(static_cast<int64_t>(b)));
  return at::cat(lanes, 0);
}

at::Tensor group_scores(const at::Tensor& q_BHTd, const KeyGroup& group,
                        const StepContext& context) {
  if (group.axes.size() == 1) {
    return group.positions.scores(q_BHTd, group.keys_BHKd, group.axes.front(), context);
  }
  return by_lane(group, [&](int64_t b) {
    return group.positions.scores(q_BHTd.narrow(0, b, 1), group.keys_BHKd.narrow(0, b, 1),
                                  group.axes[static_cast<size_t>(b)], context);
  });
}

at::Tensor group_values(const at::Tensor& weights_BHTK, const KeyGroup& group) {
  if (group.axes.size() == 1) {
    return group.positions.value(weights_BHTK, group.values_BHKd, group.axes.front());
  }
  return by_lane(group, [&](int64_t b) {
    return group.positions.value(weights_BHTK.narrow(0, b, 1), group.values_BHKd.narrow(0, b, 1),
                                 group.axes[static_cast<size_t>(b)]);
  });
}

at::Tensor all_scores(const at::Tensor& q_BHTd, const std::vector<KeyGroup>& groups,
                      const StepContext& context) {
  const KeyGroup& first = groups.front();
  if (groups.size() == 1 && first.axes.size() == 1) {
    return first.positions.scores_for_softmax(q_BHTd, first.keys_BHKd, first.axes.front(), context);
  }
  std::vector<at::Tensor> scores;
  for (const KeyGroup& group : groups) scores.push_back(group_scores(q_BHTd, group, context));
  return at::cat(scores, 3);
}

at::Tensor all_values(const at::Tensor& weights_BHTK, const std::vector<KeyGroup>& groups) {
  at::Tensor sum_BHTd;
  int64_t first = 0;
  for (const KeyGroup& group : groups) {
    const int64_t keys = group.keys_BHKd.size(2);
    const at::Tensor part = group_values(weights_BHTK.narrow(3, first, keys), group);
    sum_BHTd = sum_BHTd.defined() ? sum_BHTd + part : part;
    first += keys;
  }
  return sum_BHTd;
}

}  // namespace

HeadProjections::HeadProjections(ParameterSet& parameters, const TransformerSettings& sizes,
                                 int64_t layer)
    : heads_(sizes.heads),
      d_head_(sizes.d_head),
      dropout_(sizes.dropout),
      attention_dropout_(sizes.attention_dropout),
      pre_norm_(sizes.norm == NormPlace::kPre),
      layer_(layer),
      query_(matrix(parameters, attention_prefix(layer) + "query", heads_ * d_head_, sizes.d_model,
                    sizes.init_deviation)),
      key_(matrix(parameters, attention_prefix(layer) + "key", heads_ * d_head_, sizes.d_model,
                  sizes.init_deviation)),
      value_(matrix(parameters, attention_prefix(layer) + "value", heads_ * d_head_, sizes.d_model,
                    sizes.init_deviation)),
      output_(matrix(parameters, attention_prefix(layer) + "output", sizes.d_model, heads_ * d_head_,
                     sizes.init_deviation)),
      norm_(parameters, attention_prefix(layer) + "norm", sizes.d_model, sizes.init_deviation,
            sizes.norm_eps) {}

HeadProjections HeadProjections::detached() const {
  HeadProjections copy = *this;
  for (at::Tensor* weight : {&copy.query_, &copy.key_, &copy.value_, &copy.output_}) {
    *weight = weight->detach();
  }
  copy.norm_ = norm_.detached();
  return copy;
}

at::Tensor HeadProjections::usable(const at::Tensor& rows_BnD) const {
  return pre_norm_ ? norm_(rows_BnD) : rows_BnD;
}

at::Tensor HeadProjections::split(const at::Tensor& rows_BnE) const {
  return rows_BnE.unflatten(2, {heads_, d_head_}).transpose(1, 2);
}

AttendedHeads HeadProjections::attend(const at::Tensor& q_BHTd, const std::vector<KeyGroup>& groups,
                                      const at::Tensor& mask_BHTK,
                                      const StepContext& context) const {
  LC_CHECK(!groups.empty());
  const at::Tensor scores_BHTK = all_scores(q_BHTd, groups, context).add_(mask_BHTK);
  const at::Tensor weights_BHTK = at::softmax(scores_BHTK, 3);
  context.observe("attention_weights", layer_, weights_BHTK);
  return {all_values(context.dropout(weights_BHTK, attention_dropout_, "attention_weights", layer_),
                     groups),
          weights_BHTK};
}

at::Tensor HeadProjections::project(const at::Tensor& mixed_BHTd,
                                    const StepContext& context) const {
  const at::Tensor branch_BTD = at::linear(mixed_BHTd.transpose(1, 2).flatten(2), output_);
  return context.dropout(branch_BTD, dropout_, "attention_branch", layer_);
}

Held HeadProjections::attention_held(int64_t queries, int64_t keys) const {
  return key_value_rows(keys) + Held::floating(heads_ * queries * keys, dtype());
}

Held HeadProjections::key_value_rows(int64_t rows) const {
  return Held::floating(2 * rows * heads_ * d_head_, dtype());
}

MixedHeads HeadProjections::mix(const at::Tensor& q_BHTd, const std::vector<KeyGroup>& groups,
                                const at::Tensor& mask_BHTK, const StepContext& context) const {
  const AttendedHeads attended = attend(q_BHTd, groups, mask_BHTK, context);
  return {project(attended.mixed_BHTd, context), attended.weights_BHTK};
}

}  // namespace lc
