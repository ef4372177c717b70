#include "nn/compression/compression_loss.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

namespace lc {
namespace {

class AttentionReconstruction : public CompressionLoss {
 public:
  AttentionReconstruction(const HeadProjections& heads, int64_t memory_length)
      : heads_(heads), memory_length_(memory_length) {}

  std::string name() const override { return "attention_reconstruction_mse"; }

  at::Tensor per_lane(const CompressionStep& step) const override {
    const int64_t length = step.queries_nHTd.size(2);
    const int64_t first = std::max<int64_t>(length - memory_length_, 0);
    const at::Tensor q_nHTd = step.queries_nHTd.detach().narrow(2, first, length - first) /
                              std::sqrt(static_cast<double>(heads_.d_head()));
    const HeadProjections constant = heads_.detached();
    const auto content = [&](const at::Tensor& rows) {
      const at::Tensor usable = constant.usable(rows);
      const at::Tensor keys = constant.split(at::linear(usable, constant.key()));
      const at::Tensor values = constant.split(at::linear(usable, constant.value()));
      return at::matmul(at::softmax(at::matmul(q_nHTd, keys.transpose(2, 3)), 3), values);
    };
    return (content(step.old_nkD) - content(step.new_ngD)).square().mean({1, 2, 3});
  }

 private:
  const HeadProjections& heads_;
  int64_t memory_length_;
};

class AutoEncoding : public CompressionLoss {
 public:
  AutoEncoding(ParameterSet& parameters, const std::string& name, int64_t d_model, int64_t rate)
      : decoder_(parameters.add(name, {d_model, d_model, rate},
                                Initial::normal(1 / std::sqrt(static_cast<double>(d_model))),
                                kCompressorGroup)) {}

  std::string name() const override { return "auto_encoding_mse"; }

  at::Tensor per_lane(const CompressionStep& step) const override {
    const at::Tensor matrix = decoder_.permute({2, 1, 0}).flatten(0, 1);  // [tap * out, in]
    const at::Tensor decoded =
        at::linear(step.new_ngD, matrix).view({step.new_ngD.size(0), -1, decoder_.size(1)});
    const at::Tensor covered = step.old_nkD.narrow(1, 0, decoded.size(1));
    return (decoded - covered).square().mean({1, 2});
  }

 private:
  at::Tensor decoder_;
};

}  // namespace

std::unique_ptr<CompressionLoss> make_attention_reconstruction(const HeadProjections& heads,
                                                               int64_t memory_length) {
  return std::make_unique<AttentionReconstruction>(heads, memory_length);
}

std::unique_ptr<CompressionLoss> make_auto_encoding(ParameterSet& parameters,
                                                    const std::string& prefix,
                                                    const HeadProjections& heads, int64_t rate) {
  return std::make_unique<AutoEncoding>(parameters, prefix + "decoder.weight", heads.d_model(),
                                        rate);
}

}  // namespace lc
