// A text goes on: read, draw, read what was drawn.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "generate/sampler.h"
#include "generate/text_reader.h"

namespace lc {

struct GenerationRequest {
  std::vector<int64_t> prompt;  // one token at least
  int64_t tokens = 0;           // to be drawn
  SamplingSettings sampling;
};

// Hands each token over as soon as it is drawn. Error(kRuntime) as candidates() throws it.
void generate(TextReader& reader, const GenerationRequest& request,
              const std::function<void(int64_t token)>& take);

}  // namespace lc
