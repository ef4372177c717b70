// What every part of a model may know about the step it computes, besides its input.
#pragma once

#include <ATen/core/Tensor.h>

#include <string_view>
#include <vector>

#include "core/probe.h"
#include "core/rng.h"
#include "core/segment.h"

namespace lc {

struct StepContext {
  const Segment& segment;
  bool training = false;  // dropout is on
  RandomKey key;
  Probe* probe = nullptr;

  // Inverted dropout of x_B...: kept values are divided by 1 - rate. The mask of row b depends on
  // the key, the site's name, the layer (-1: none) and the global lane alone.
  at::Tensor dropout(const at::Tensor& x_B, double rate, std::string_view site,
                     int64_t layer) const;
  // The same for a tensor that all lanes share; row 0 is the mask's first row whatever the length.
  at::Tensor shared_dropout(const at::Tensor& x, double rate, std::string_view site) const;

  void observe(std::string_view name, int64_t layer, const at::Tensor& value) const {
    if (probe != nullptr) probe->observe(name, layer, value.detach());
  }
  void measure(std::string_view name, int64_t layer, const at::Tensor& values,
               MeasureKind kind) const {
    if (probe != nullptr && values.numel() > 0) {
      probe->measure(name, layer, values.detach(), kind);
    }
  }
  // Where a layer attends to. Keyless parts: none, unless a memory has no keys.
  void attended(int64_t layer, const at::Tensor& weights_BHTK, const at::Tensor& mask,
                std::vector<KeyStretch> stretches, std::vector<KeylessShare> keyless = {}) const;
};

}  // namespace lc
