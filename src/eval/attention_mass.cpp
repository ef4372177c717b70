#include "eval/attention_mass.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "core/error.h"

namespace lc {
namespace {

// Sums over lanes and queries that are scored: [K], float64 on the CPU.
at::Tensor scored_sums(const at::Tensor& values_BTK, const at::Tensor& scored_BT) {
  return (values_BTK * scored_BT.unsqueeze(2)).sum({0, 1}).to(at::kCPU).contiguous();
}

// The softmax weights, each head's with what memories without keys leave it, mean over heads.
at::Tensor keyed_mass_BTK(const AttentionReading& reading) {
  const at::Tensor& weights_BHTK = reading.weights_BHTK;
  if (reading.keyless.empty()) return weights_BHTK.mean(1, false, at::kDouble);
  at::Tensor left_BH = at::ones({}, weights_BHTK.options().dtype(at::kDouble));
  for (const KeylessShare& part : reading.keyless) left_BH = left_BH - part.share_BH;
  return (weights_BHTK * left_BH.unsqueeze(2).unsqueeze(3)).mean(1);
}

at::Tensor visible_BTK(const AttentionReading& reading) {
  const at::Tensor visible = reading.mask.eq(0).to(at::kDouble);
  const at::Tensor all = visible.dim() == 2 ? visible.unsqueeze(0) : visible.squeeze(1);
  return all.expand({reading.scored_BT.size(0), -1, -1});
}

// Borders of the buckets of places oldest .. 0 or more: the first place of each, and the end.
std::vector<int64_t> borders(int64_t oldest, int64_t places, int64_t buckets) {
  const int64_t count = std::min(buckets, places);
  std::vector<int64_t> result;
  for (int64_t i = 0; i < count; ++i) result.push_back(oldest + i * (places / count));
  result.push_back(oldest + places);
  return result;
}

double sum_between(const std::vector<double>& by_place, int64_t first, int64_t end) {
  double sum = 0;
  const auto size = static_cast<int64_t>(by_place.size());
  for (int64_t i = std::max<int64_t>(first, 0); i < std::min(end, size); ++i) {
    sum += by_place[static_cast<size_t>(i)];
  }
  return sum;
}

}  // namespace

AttentionMassProbe::Kind& AttentionMassProbe::kind_of(Layer& layer, std::string_view name) {
  for (Kind& kind : layer.kinds) {
    if (kind.name == name) return kind;
  }
  layer.kinds.push_back({std::string(name), 0, {}, {}});
  return layer.kinds.back();
}

void AttentionMassProbe::attended(const AttentionReading& reading) {
  const auto index = static_cast<size_t>(reading.layer);
  if (layers_.size() <= index) layers_.resize(index + 1);
  Layer& layer = layers_[index];
  const at::Tensor scored_BT = reading.scored_BT.gt(0).to(at::kDouble);
  layer.queries += scored_BT.sum().item<double>();
  for (const KeylessShare& part : reading.keyless) {
    Kind& kind = kind_of(layer, part.kind);
    kind.mass.resize(1);
    const at::Tensor share_B1 = part.share_BH.to(at::kDouble).mean(1, true);
    kind.mass[0] += (share_B1 * scored_BT).sum().item<double>();
  }
  const at::Tensor mass_K = scored_sums(keyed_mass_BTK(reading), scored_BT);
  const at::Tensor keys_K = scored_sums(visible_BTK(reading), scored_BT);
  int64_t column = 0;
  for (const KeyStretch& stretch : reading.stretches) {
    Kind& kind = kind_of(layer, stretch.kind);
    kind.oldest = stretch.oldest;
    const int64_t offset = stretch.first - stretch.oldest;
    const auto places = static_cast<size_t>(offset + stretch.keys);
    kind.mass.resize(std::max(kind.mass.size(), places));
    kind.keys.resize(kind.mass.size());
    for (int64_t j = 0; j < stretch.keys; ++j, ++column) {
      const auto at = static_cast<size_t>(offset + j);
      kind.mass[at] += mass_K.const_data_ptr<double>()[column];
      kind.keys[at] += keys_K.const_data_ptr<double>()[column];
    }
  }
  LC_CHECK(column == mass_K.size(0));
}

AttentionMass AttentionMassProbe::mass(int64_t buckets) const {
  LC_CHECK(buckets >= 1);
  AttentionMass result;
  if (layers_.empty()) return result;
  result.queries = static_cast<int64_t>(layers_.front().queries);
  for (const Kind& kind : layers_.front().kinds) {
    if (kind.keys.empty()) {
      result.buckets.push_back({kind.name, 0, {}});
      continue;
    }
    const auto edges = borders(kind.oldest, static_cast<int64_t>(kind.mass.size()), buckets);
    for (size_t i = 0; i + 1 < edges.size(); ++i) {
      result.buckets.push_back(
          {kind.name, static_cast<int64_t>(i), std::pair{edges[i], edges[i + 1] - 1}});
    }
  }
  for (Layer layer : layers_) {
    const double queries = std::max(layer.queries, 1.0);
    std::vector<AttentionShare>& shares = result.layers.emplace_back();
    for (const AttentionBucket& bucket : result.buckets) {
      const Kind& kind = kind_of(layer, bucket.kind);
      const auto [first, last] = bucket.places.value_or(std::pair<int64_t, int64_t>{0, 0});
      const int64_t begin = first - kind.oldest;
      const int64_t end = last - kind.oldest + 1;
      shares.push_back({sum_between(kind.mass, begin, end) / queries,
                        sum_between(kind.keys, begin, end) / queries});
    }
  }
  return result;
}

std::vector<AttentionShare> AttentionMass::mean() const {
  std::vector<AttentionShare> means(buckets.size());
  for (size_t b = 0; b < buckets.size(); ++b) {
    for (const auto& shares : layers) {
      means[b].mass += shares[b].mass / static_cast<double>(layers.size());
      means[b].keys += shares[b].keys / static_cast<double>(layers.size());
    }
  }
  return means;
}

nlohmann::json AttentionMass::to_json() const {
  nlohmann::json json{{"queries", queries},
                      {"buckets", nlohmann::json::array()},
                      {"layers", nlohmann::json::array()}};
  const std::vector<AttentionShare> means = mean();
  for (size_t b = 0; b < buckets.size(); ++b) {
    nlohmann::json object{{"kind", buckets[b].kind}, {"bucket", buckets[b].number},
                          {"first", nullptr},        {"last", nullptr},
                          {"mass", means[b].mass},   {"keys", nullptr}};
    if (buckets[b].places) {
      object["first"] = buckets[b].places->first;
      object["last"] = buckets[b].places->second;
      object["keys"] = means[b].keys;
    }
    json["buckets"].push_back(std::move(object));
  }
  for (size_t layer = 0; layer < layers.size(); ++layer) {
    nlohmann::json object{{"layer", layer}};
    for (size_t b = 0; b < buckets.size(); ++b) {
      object["mass"].push_back(layers[layer][b].mass);
      const bool keyed = buckets[b].places.has_value();
      object["keys"].push_back(keyed ? nlohmann::json(layers[layer][b].keys) : nlohmann::json());
    }
    json["layers"].push_back(std::move(object));
  }
  return json;
}

}  // namespace lc
