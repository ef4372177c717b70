// Where a model's attention goes: the mass that queries give to buckets of keys, from the oldest
// compressed memory to the segment itself (Rae et al. 2020, figure 2).
//
// A mass is the sum of softmax weights in a bucket, mean over heads and over the queries whose
// targets are scored. Of a head that also reads a memory without keys, the softmax counts with what
// the gate leaves it, and the gate's share is a bucket of its own. So the masses of every query sum
// to 1, and keys that it doesn't see, empty slots among them, have none.
//
// Buckets: each kind of keys is cut, oldest first, into as many of equal size, in places; the
// newest takes the remainder. Places count from the segment: its first input is 0, the newest row
// or slot before it -1.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/probe.h"

namespace lc {

struct AttentionBucket {
  std::string kind;    // "compressed", "memory", "segment"; "associative": a memory without keys
  int64_t number = 0;  // within its kind, 0 the oldest
  std::optional<std::pair<int64_t, int64_t>> places{};  // first and last; none: without keys
};

// Means over queries.
struct AttentionShare {
  double mass = 0;
  double keys = 0;  // that a query sees in the bucket
};

struct AttentionMass {
  int64_t queries = 0;                              // that were counted, in each layer
  std::vector<AttentionBucket> buckets;             // oldest first
  std::vector<std::vector<AttentionShare>> layers;  // [layer][bucket]

  std::vector<AttentionShare> mean() const;  // over layers
  // {"queries", "buckets": [{"kind", "bucket", "first", "last", "mass", "keys"}], "layers":
  // [{"layer", "mass": [...], "keys": [...]}]}: the masses of buckets are means over layers.
  nlohmann::json to_json() const;
};

class AttentionMassProbe : public Probe {
 public:
  void observe(std::string_view, int64_t, const at::Tensor&) override {}
  void attended(const AttentionReading& reading) override;

  // buckets: of each kind, at least 1; a kind of fewer places has as many buckets as places.
  AttentionMass mass(int64_t buckets) const;

 private:
  struct Kind {
    std::string name;
    int64_t oldest = 0;        // place of entry 0
    std::vector<double> mass;  // sums over queries, by place; of a memory without keys one
    std::vector<double> keys;  // how many queries saw the key; empty: a memory without keys
  };
  struct Layer {
    double queries = 0;
    std::vector<Kind> kinds;  // oldest first
  };
  static Kind& kind_of(Layer& layer, std::string_view name);

  std::vector<Layer> layers_;
};

}  // namespace lc
