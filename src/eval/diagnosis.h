// What models measure of themselves while they are scored, gathered without knowing the model.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/probe.h"

namespace lc {

// Numbers of one name in one layer, over all segments.
struct MeasureSummary {
  static constexpr int64_t kBins = 10;

  int64_t count = 0;
  double sum = 0;
  double smallest = 0;
  double largest = 0;
  std::vector<int64_t> bins;  // of shares: how many in each tenth of [0, 1]; empty: no share
};

class DiagnosisProbe : public Probe {
 public:
  void observe(std::string_view, int64_t, const at::Tensor&) override {}
  void measure(std::string_view name, int64_t layer, const at::Tensor& values,
               MeasureKind kind) override;

  // {"gate": [{"layer", "min", "mean", "max", "histogram"}, ...], ...}: layers in order; the
  // histogram of shares alone, as fractions of the numbers. null: nothing was measured.
  nlohmann::json to_json() const;

 private:
  std::map<std::pair<std::string, int64_t>, MeasureSummary> summaries_;
};

}  // namespace lc
