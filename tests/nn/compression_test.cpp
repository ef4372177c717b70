// Convolutions that compress rows, and what decodes their slots, against the formulas written out
// number by number; which rows a choice by attention keeps.
#include <ATen/ATen.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "catch.h"
#include "core/rng.h"
#include "nn/compression/compression_loss.h"
#include "nn/compression/compressor.h"

namespace {

using lc::Compression;
using lc::CompressionSettings;

constexpr int64_t kRowWidth = 3;

size_t place(int64_t i) { return static_cast<size_t>(i); }

// A row, and the newest of the evicted rows that it depends on.
struct SlowRow {
  std::vector<double> values;
  int64_t newest = 0;
};
using SlowRows = std::vector<SlowRow>;

SlowRows slow_rows(const at::Tensor& rows_kD) {
  SlowRows rows;
  for (int64_t k = 0; k < rows_kD.size(0); ++k) {
    rows.push_back({{}, k});
    for (int64_t i = 0; i < kRowWidth; ++i) {
      rows.back().values.push_back(rows_kD[k][i].item<double>());
    }
  }
  return rows;
}

const at::Tensor& parameter(const lc::ParameterSet& parameters, const std::string& name) {
  for (const lc::Parameter& one : parameters.all()) {
    if (one.name == name) return one.value;
  }
  throw std::out_of_range(name);
}

// The sum over taps t of W[:, :, t] row[first + t * step].
SlowRow slow_taps(const at::Tensor& weight, const SlowRows& rows, int64_t first, int64_t step) {
  const auto w = weight.accessor<double, 3>();
  SlowRow sum{std::vector<double>(place(kRowWidth)), 0};
  for (int64_t t = 0; t < weight.size(2); ++t) {
    const SlowRow& row = rows[place(first + t * step)];
    sum.newest = std::max(sum.newest, row.newest);
    for (int64_t out = 0; out < kRowWidth; ++out) {
      for (int64_t in = 0; in < kRowWidth; ++in) {
        sum.values[place(out)] += w[out][in][t] * row.values[place(in)];
      }
    }
  }
  return sum;
}

SlowRows slow_slots(SlowRows rows, const CompressionSettings& settings,
                    const lc::ParameterSet& parameters) {
  for (size_t i = 0; i < settings.dilation_rates.size(); ++i) {
    const at::Tensor& weight = parameter(parameters, "dilated." + std::to_string(i) + ".weight");
    const int64_t ahead = settings.dilation_rates[i];
    SlowRows shorter;
    for (int64_t t = 0; t + ahead < static_cast<int64_t>(rows.size()); ++t) {
      shorter.push_back(slow_taps(weight, rows, t, ahead));
      for (double& value : shorter.back().values) value = std::max(value, 0.0);
    }
    rows = shorter;
  }
  const int64_t kernel = settings.rate + settings.kernel_extra;
  SlowRows slots;
  for (int64_t t = 0; t + kernel <= static_cast<int64_t>(rows.size()); t += settings.rate) {
    slots.push_back(slow_taps(parameter(parameters, "conv.weight"), rows, t, 1));
  }
  return slots;
}

// The mean over covered rows and their entries of (decoded - row)^2.
double slow_decoding_loss(const SlowRows& rows, const SlowRows& slots, const at::Tensor& decoder) {
  const auto weight = decoder.accessor<double, 3>();  // [in, out, tap]
  const int64_t rate = decoder.size(2);
  double sum = 0;
  int64_t count = 0;
  for (int64_t g = 0; g < static_cast<int64_t>(slots.size()); ++g) {
    for (int64_t t = 0; t < rate; ++t) {
      for (int64_t out = 0; out < kRowWidth; ++out) {
        double decoded = 0;
        for (int64_t in = 0; in < kRowWidth; ++in) {
          decoded += slots[place(g)].values[place(in)] * weight[in][out][t];
        }
        const double error = decoded - rows[place(g * rate + t)].values[place(out)];
        sum += error * error;
        ++count;
      }
    }
  }
  return sum / static_cast<double>(count);
}

// Every pair of a rate and an overlap, with and without dilated convolutions before.
std::vector<CompressionSettings> convolutions() {
  std::vector<CompressionSettings> all;
  for (const int64_t rate : {2, 3}) {
    for (const int64_t extra : {0, 1, 2}) {
      all.push_back({Compression::kConvolution, rate, extra, {}});
      all.push_back({Compression::kDilatedConvolution, rate, extra, {1, 2}});
    }
  }
  return all;
}

// A compressor and what decodes its slots, with all their parameters.
struct Coder {
  lc::ParameterSet parameters{{at::kDouble, at::kCPU, 5}};
  lc::ParameterSet projections{{at::kDouble, at::kCPU, 6}};
  std::unique_ptr<lc::Compressor> compressor;
  std::unique_ptr<lc::CompressionLoss> loss;

  explicit Coder(const CompressionSettings& settings)
      : compressor(lc::make_compressor(settings, parameters, "", kRowWidth)) {
    lc::TransformerSettings sizes{};
    sizes.d_model = kRowWidth;
    sizes.heads = 1;
    sizes.d_head = 2;
    loss = lc::make_auto_encoding(parameters, "", lc::HeadProjections(projections, sizes, 0),
                                  settings.rate);
  }
};

}  // namespace

TEST_CASE("slots of convolutions agree with loops over rows and taps, overlaps and dilations too") {
  for (const CompressionSettings& settings : convolutions()) {
    const Coder coder(settings);
    for (int64_t k = 1; k <= 10; ++k) {
      INFO("rate " << settings.rate << ", extra " << settings.kernel_extra << ", "
                   << settings.dilation_rates.size() << " dilations, " << k << " rows");
      const at::Tensor rows = lc::normal_draws(static_cast<uint64_t>(k), {2, k, kRowWidth});
      const SlowRows expected = slow_slots(slow_rows(rows[1]), settings, coder.parameters);
      const auto count = static_cast<int64_t>(expected.size());
      CHECK(coder.compressor->slots(k) == count);
      CHECK(lc::compressed_slots(settings, k) == count);
      if (count == 0) continue;
      const lc::CompressedRows made = coder.compressor->compress({rows, {}});
      REQUIRE(made.slots_ngD.sizes() == std::vector<int64_t>{2, count, kRowWidth});
      REQUIRE(made.newest_ng.sizes() == std::vector<int64_t>{2, count});
      for (int64_t g = 0; g < count; ++g) {
        CHECK(made.newest_ng[1][g].item<int64_t>() == expected[place(g)].newest);
        for (int64_t i = 0; i < kRowWidth; ++i) {
          CHECK(made.slots_ngD[1][g][i].item<double>() ==
                Approx(expected[place(g)].values[place(i)]).margin(1e-12));
        }
      }
      const SlowRows other = slow_slots(slow_rows(rows[0]), settings, coder.parameters);
      CHECK(made.slots_ngD[0][0][0].item<double>() ==
            Approx(other.front().values.front()).margin(1e-12));
    }
  }
}

TEST_CASE("windows that reach beyond the newest row are dropped, and idle settings say nothing") {
  CHECK(lc::compressed_slots({Compression::kConvolution, 2, 1, {}}, 4) == 1);
  CHECK(lc::compressed_slots({Compression::kConvolution, 2, 1, {}}, 5) == 2);
  CHECK(lc::compressed_slots({Compression::kDilatedConvolution, 2, 1, {1, 2}}, 5) == 0);
  CHECK(lc::compressed_slots({Compression::kDilatedConvolution, 2, 1, {1, 2}}, 7) == 1);
  CHECK(lc::compressed_slots({Compression::kDilatedConvolution, 2, 1, {1, 2}}, 8) == 2);
  CHECK(lc::compressed_slots({Compression::kConvolution, 2, 0, {1, 2}}, 5) == 2);
  for (const Compression function :
       {Compression::kMean, Compression::kMax, Compression::kMostUsed}) {
    CHECK(lc::compressed_slots({function, 2, 1, {1, 2}}, 5) == 2);
  }
}

TEST_CASE("auto-encoding counts the rows that slots stand for, as loops over them do") {
  for (const CompressionSettings& settings : convolutions()) {
    const Coder coder(settings);
    for (const int64_t k : {7, 9, 10}) {
      if (coder.compressor->slots(k) == 0) continue;
      INFO("rate " << settings.rate << ", extra " << settings.kernel_extra << ", "
                   << settings.dilation_rates.size() << " dilations, " << k << " rows");
      const at::Tensor rows = lc::normal_draws(static_cast<uint64_t>(20 + k), {2, k, kRowWidth});
      const at::Tensor slots = coder.compressor->compress({rows, {}}).slots_ngD;
      const at::Tensor found_n = coder.loss->per_lane({rows, slots, {}});
      REQUIRE(found_n.sizes() == std::vector<int64_t>{2});
      for (int64_t b = 0; b < 2; ++b) {
        const SlowRows old = slow_rows(rows[b]);
        const double expected = slow_decoding_loss(old, slow_slots(old, settings, coder.parameters),
                                                   parameter(coder.parameters, "decoder.weight"));
        CHECK(found_n[b].item<double>() == Approx(expected).epsilon(1e-10));
      }
    }
  }
}

TEST_CASE("gradients of overlapping dilated convolutions are those of central differences") {
  const CompressionSettings settings{Compression::kDilatedConvolution, 2, 1, {1, 2}};
  const Coder coder(settings);
  at::Tensor rows = lc::normal_draws(41, {2, 9, kRowWidth}).requires_grad_(true);
  const at::Tensor old = rows.detach().clone();  // a constant to the loss
  const at::Tensor factors = lc::normal_draws(42, {2, 2, kRowWidth});
  const auto value = [&] {
    const at::Tensor slots = coder.compressor->compress({rows, {}}).slots_ngD;
    return (slots * factors).sum() + coder.loss->per_lane({old, slots, {}}).sum();
  };
  value().backward();
  std::vector<std::pair<std::string, at::Tensor>> inputs{{"rows", rows}};
  for (const lc::Parameter& one : coder.parameters.all()) inputs.emplace_back(one.name, one.value);
  CHECK(inputs.size() == 5);  // two dilated convolutions, one with stride, the decoder
  constexpr double kStep = 1e-6;
  for (const auto& [name, input] : inputs) {
    INFO(name);
    REQUIRE(input.grad().defined());
    const at::Tensor gradient = input.grad().contiguous();
    CHECK(gradient.abs().max().item<double>() > 1e-3);
    for (int64_t i = 0; i < input.numel(); ++i) {
      double& entry = input.mutable_data_ptr<double>()[i];
      const double before = entry;
      entry = before + kStep;
      const double above = value().item<double>();
      entry = before - kStep;
      const double below = value().item<double>();
      entry = before;
      CHECK(gradient.const_data_ptr<double>()[i] ==
            Approx((above - below) / (2 * kStep)).epsilon(1e-6).margin(1e-7));
    }
  }
  // Two windows of 3 every 2 rows, over what dilations 1 and 2 leave of 9: row 8 is in none.
  CHECK(rows.grad().select(1, 8).abs().max().item<double>() == 0.0);
}

TEST_CASE("the rows that got most attention stay, in time order, and of equal ones the older") {
  lc::ParameterSet parameters({at::kDouble, at::kCPU, 5});
  const auto most_used =
      lc::make_compressor({Compression::kMostUsed, 2, 0, {}}, parameters, "", kRowWidth);
  CHECK(parameters.all().empty());
  const at::Tensor rows = lc::normal_draws(51, {2, 5, kRowWidth});
  const at::Tensor received =
      at::tensor({0.5, 0.1, 0.5, 0.5, 0.0, 0.1, 0.2, 0.1, 0.0, 0.9}, at::kDouble).view({2, 5});
  const lc::CompressedRows made = most_used->compress({rows, received});
  const at::Tensor expected = at::tensor({0, 2, 1, 4}, at::kLong).view({2, 2});
  CHECK(at::equal(made.newest_ng, expected));
  for (int64_t b = 0; b < 2; ++b) {
    CHECK(at::equal(made.slots_ngD[b], rows[b].index_select(0, expected[b])));
  }
}
