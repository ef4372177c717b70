#include "nn/embedding.h"

#include <ATen/ATen.h>

#include <cmath>

namespace lc {
namespace {

at::Tensor to_model_width(const at::Tensor& rows, const at::Tensor& projection) {
  return projection.defined() ? at::linear(rows, projection) : rows;
}

}  // namespace

Embedding::Embedding(std::vector<TokenBin> bins, TokenTables tables, int64_t d_model)
    : bins_(std::move(bins)), tables_(std::move(tables)), d_model_(d_model) {}

at::Tensor Embedding::operator()(const at::Tensor& tokens_BT) const {
  const double scale = std::sqrt(static_cast<double>(d_model_));
  if (tables_.tables.size() == 1) {
    return to_model_width(at::embedding(tables_.tables[0], tokens_BT), tables_.projections[0]) * scale;
  }
  const at::Tensor tokens_N = tokens_BT.flatten();
  at::Tensor vectors_ND = at::zeros({tokens_N.size(0), d_model_}, tables_.tables[0].options());
  for (size_t i = 0; i < bins_.size(); ++i) {
    const at::Tensor in_bin =
        tokens_N.ge(bins_[i].first).logical_and(tokens_N.lt(bins_[i].first + bins_[i].size));
    const at::Tensor index = in_bin.nonzero().squeeze(1);
    const at::Tensor rows =
        at::embedding(tables_.tables[i], tokens_N.index_select(0, index) - bins_[i].first);
    vectors_ND = vectors_ND.index_add(0, index, to_model_width(rows, tables_.projections[i]));
  }
  return vectors_ND.view({tokens_BT.size(0), tokens_BT.size(1), d_model_}) * scale;
}

}  // namespace lc
