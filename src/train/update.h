// The data of one update, fetched whole before its first forward, so that the loss is divided once.
//
// An update is update_period blocks of bptt_segments segments; memory is detached between blocks,
// gradients flow through memory inside one. Neither a block nor an update crosses an epoch end, so
// the last of an epoch may be shorter.
#pragma once

#include <cstdint>
#include <vector>

#include "core/segment.h"
#include "data/segment_stream.h"

namespace lc {

struct UpdateSize {
  int64_t blocks = 1;
  int64_t block_segments = 1;
};

struct Update {
  std::vector<std::vector<Segment>> blocks;  // never empty, nor is a block
  double weight = 0;   // sum of weights_BT: what the summed loss is divided by
  int64_t tokens = 0;  // inputs that aren't padding

  int64_t segments() const;
};

// Segments [first, first + blocks * block_segments) of the stream's epoch, as far as there are.
Update fetch_update(const SegmentStream& stream, int64_t first, UpdateSize size);

// So many segments does an update of that size take from `first` on in an epoch of `segments`.
int64_t update_length(int64_t segments, int64_t first, UpdateSize size);

}  // namespace lc
