#include "eval/diagnosis.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

namespace lc {
namespace {

void count_shares(const at::Tensor& values, std::vector<int64_t>& bins) {
  bins.resize(static_cast<size_t>(MeasureSummary::kBins), 0);
  const double* value = values.const_data_ptr<double>();
  for (int64_t i = 0; i < values.numel(); ++i) {
    if (std::isnan(value[i])) continue;
    const auto bin = static_cast<int64_t>(std::floor(value[i] * MeasureSummary::kBins));
    ++bins[static_cast<size_t>(std::clamp<int64_t>(bin, 0, MeasureSummary::kBins - 1))];
  }
}

nlohmann::json summary_json(const MeasureSummary& summary) {
  const auto count = static_cast<double>(summary.count);
  nlohmann::json json{
      {"min", summary.smallest}, {"mean", summary.sum / count}, {"max", summary.largest}};
  for (const int64_t in_bin : summary.bins) {
    json["histogram"].push_back(static_cast<double>(in_bin) / count);
  }
  return json;
}

}  // namespace

void DiagnosisProbe::measure(std::string_view name, int64_t layer, const at::Tensor& values,
                             MeasureKind kind) {
  const at::Tensor plain = values.to(at::kCPU, at::kDouble).contiguous();
  MeasureSummary& summary = summaries_[{std::string(name), layer}];
  const double smallest = plain.min().item<double>();
  const double largest = plain.max().item<double>();
  summary.smallest = summary.count == 0 ? smallest : std::min(summary.smallest, smallest);
  summary.largest = summary.count == 0 ? largest : std::max(summary.largest, largest);
  summary.sum += plain.sum().item<double>();
  summary.count += plain.numel();
  if (kind == MeasureKind::kShare) count_shares(plain, summary.bins);
}

nlohmann::json DiagnosisProbe::to_json() const {
  nlohmann::json json;
  for (const auto& [key, summary] : summaries_) {
    nlohmann::json entry = summary_json(summary);
    entry["layer"] = key.second;
    json[key.first].push_back(std::move(entry));
  }
  return json;
}

}  // namespace lc
