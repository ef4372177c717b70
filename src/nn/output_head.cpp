#include "nn/output_head.h"

#include <ATen/ATen.h>

#include <string>

namespace lc {
namespace {

// Softmax and everything after it in at least float32.
at::Tensor log_softmax(const at::Tensor& logits) {
  const bool narrow = logits.scalar_type() == at::kHalf || logits.scalar_type() == at::kBFloat16;
  return at::log_softmax(narrow ? logits.to(at::kFloat) : logits, -1);
}

at::Tensor to_bin_width(const at::Tensor& hidden, const at::Tensor& projection) {
  return projection.defined() ? at::matmul(hidden, projection) : hidden;
}

at::Tensor picked(const at::Tensor& log_probabilities_NC, const at::Tensor& columns_N) {
  return log_probabilities_NC.gather(1, columns_N.unsqueeze(1)).squeeze(1);
}

}  // namespace

OutputHead::OutputHead(ParameterSet& parameters, const TransformerSettings& settings,
                       std::vector<TokenBin> bins, const TokenTables& tables)
    : bins_(std::move(bins)), cluster_order_(settings.adaptive.cluster_order) {
  const bool shared_table = settings.adaptive.divisor == 1;
  const int64_t vocab_size = bins_.back().first + bins_.back().size;
  const auto normal = Initial::normal(settings.init_deviation);
  for (size_t i = 0; i < bins_.size(); ++i) {
    const std::string name = "output." + std::to_string(i);
    Bin bin;
    if (shared_table && i > 0) {
      bin = weights_[0];
    } else {
      const int64_t size = shared_table ? vocab_size : bins_[i].size;
      bin.weight = settings.tie_weights
                       ? tables.tables[i]
                       : parameters.add(name + ".weight", {size, bins_[i].width}, normal);
      bin.bias = parameters.add(name + ".bias", {size}, Initial::constant(0));
    }
    const at::Tensor& input_projection = tables.projections[shared_table ? 0 : i];
    if (input_projection.defined()) {
      bin.projection =
          settings.adaptive.tie_projections[i]
              ? input_projection
              : parameters.add(name + ".projection", {settings.d_model, bins_[i].width},
                               Initial::normal(settings.projection_init_deviation));
    }
    weights_.push_back(std::move(bin));
  }
  if (bins_.size() > 1) {
    const auto clusters = static_cast<int64_t>(bins_.size()) - 1;
    cluster_weight_ = parameters.add("output.cluster.weight", {clusters, settings.d_embed}, normal);
    cluster_bias_ = parameters.add("output.cluster.bias", {clusters}, Initial::constant(0));
  }
}

int64_t OutputHead::cluster_column(size_t bin) const {
  const auto i = static_cast<int64_t>(bin);
  const auto last = static_cast<int64_t>(bins_.size()) - 1;
  return bins_[0].size + (cluster_order_ == ClusterOrder::kDescending ? last - i : i - 1);
}

at::Tensor OutputHead::rows(const at::Tensor& table, size_t bin) const {
  const bool whole = table.size(0) == bins_[bin].size;
  return whole ? table : table.narrow(0, bins_[bin].first, bins_[bin].size);
}

at::Tensor OutputHead::head_log_probabilities(const at::Tensor& hidden_ND) const {
  const at::Tensor reduced = to_bin_width(hidden_ND, weights_[0].projection);
  at::Tensor weight = rows(weights_[0].weight, 0);
  at::Tensor bias = rows(weights_[0].bias, 0);
  if (bins_.size() > 1) {
    weight = at::cat({weight, cluster_weight_}, 0);
    bias = at::cat({bias, cluster_bias_}, 0);
  }
  return log_softmax(at::linear(reduced, weight, bias));
}

at::Tensor OutputHead::tail_log_probabilities(size_t bin, const at::Tensor& hidden_ND) const {
  const Bin& tail = weights_[bin];
  return log_softmax(at::linear(to_bin_width(hidden_ND, tail.projection), rows(tail.weight, bin),
                                rows(tail.bias, bin)));
}

at::Tensor OutputHead::nll(const at::Tensor& hidden_BTD, const at::Tensor& targets_BT) const {
  const at::Tensor hidden_ND = hidden_BTD.flatten(0, 1);
  const at::Tensor targets_N = targets_BT.flatten();
  const at::Tensor head = head_log_probabilities(hidden_ND);
  if (bins_.size() == 1) return picked(head, targets_N).neg().view(targets_BT.sizes());

  at::Tensor columns_N = targets_N;
  for (size_t i = 1; i < bins_.size(); ++i) {
    columns_N = at::where(targets_N.ge(bins_[i].first), cluster_column(i), columns_N);
  }
  at::Tensor log_p_N = picked(head, columns_N);
  for (size_t i = 1; i < bins_.size(); ++i) {
    const at::Tensor in_bin =
        targets_N.ge(bins_[i].first).logical_and(targets_N.lt(bins_[i].first + bins_[i].size));
    const at::Tensor index = in_bin.nonzero().squeeze(1);
    const at::Tensor tail = tail_log_probabilities(i, hidden_ND.index_select(0, index));
    log_p_N = log_p_N.index_add(0, index,
                                picked(tail, targets_N.index_select(0, index) - bins_[i].first));
  }
  return log_p_N.neg().view(targets_BT.sizes());
}

at::Tensor OutputHead::log_probabilities(const at::Tensor& hidden_BD) const {
  const at::Tensor head = head_log_probabilities(hidden_BD);
  std::vector<at::Tensor> parts{head.narrow(1, 0, bins_[0].size)};
  for (size_t i = 1; i < bins_.size(); ++i) {
    parts.push_back(tail_log_probabilities(i, hidden_BD) + head.narrow(1, cluster_column(i), 1));
  }
  return at::cat(parts, 1);
}

}  // namespace lc
