#include "generate/sampler.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "core/error.h"
#include "core/rng.h"

namespace lc {
namespace {

bool more_probable(const Candidate& a, const Candidate& b) {
  return a.probability != b.probability ? a.probability > b.probability : a.id < b.id;
}

bool less_probable(const Candidate& a, const Candidate& b) { return more_probable(b, a); }

double total(const std::vector<Candidate>& tokens) {
  double sum = 0;
  for (const Candidate& token : tokens) sum += token.probability;
  return sum;
}

// exp((log p - max) / temperature): not normalised, the largest 1.
std::vector<Candidate> tempered(const at::Tensor& log_probabilities_V, double temperature) {
  const at::Tensor values_V = log_probabilities_V.to(at::kCPU, at::kDouble).contiguous();
  const double* values = values_V.const_data_ptr<double>();
  const int64_t count = values_V.numel();
  const double most = *std::max_element(values, values + count);
  const bool numbers = std::none_of(values, values + count, [](double v) { return std::isnan(v); });
  if (!numbers || !std::isfinite(most)) {
    throw Error(ErrorKind::kRuntime, "the model", "gives probabilities that are not numbers",
                "take an earlier checkpoint: the training of this one has diverged");
  }
  std::vector<Candidate> tokens;
  tokens.reserve(static_cast<size_t>(count));
  for (int64_t id = 0; id < count; ++id) {
    tokens.push_back({id, std::exp((values[id] - most) / temperature)});
  }
  return tokens;
}

void keep_most_probable(std::vector<Candidate>& tokens, size_t count) {
  if (count >= tokens.size()) return;
  std::nth_element(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(count),
                   tokens.end(), more_probable);
  tokens.resize(count);
}

// The fewest that hold the share, taken from a heap: few of many tokens, as a rule.
std::vector<Candidate> keep_share(std::vector<Candidate> tokens, double share) {
  const double goal = share * total(tokens);
  std::make_heap(tokens.begin(), tokens.end(), less_probable);
  std::vector<Candidate> kept;
  double held = 0;
  while (!tokens.empty() && (kept.empty() || held < goal)) {
    std::pop_heap(tokens.begin(), tokens.end(), less_probable);
    kept.push_back(tokens.back());
    tokens.pop_back();
    held += kept.back().probability;
  }
  return kept;
}

}  // namespace

void check_sampling(const SamplingSettings& settings) {
  const auto refuse = [](const char* flag, const std::string& value, const char* remedy) {
    throw Error(ErrorKind::kUsage, flag, "value " + value + " is out of range", remedy);
  };
  if (!std::isfinite(settings.temperature) || settings.temperature < 0) {
    refuse("--temperature", nlohmann::json(settings.temperature).dump(),
           "give a number from 0 (always the most probable token) on");
  }
  if (settings.top_k < 0) {
    refuse("--top-k", std::to_string(settings.top_k), "give a number of tokens, or 0 for all");
  }
  if (!(settings.top_p > 0 && settings.top_p <= 1)) {
    refuse("--top-p", nlohmann::json(settings.top_p).dump(),
           "give a share above 0 and up to 1 (all tokens)");
  }
}

std::vector<Candidate> candidates(const at::Tensor& log_probabilities_V,
                                  const SamplingSettings& settings) {
  const bool greedy = settings.temperature == 0;
  std::vector<Candidate> tokens = tempered(log_probabilities_V, greedy ? 1 : settings.temperature);
  if (greedy) {
    return {{std::min_element(tokens.begin(), tokens.end(), more_probable)->id, 1}};
  }
  if (settings.top_k > 0) keep_most_probable(tokens, static_cast<size_t>(settings.top_k));
  if (settings.top_p < 1) tokens = keep_share(std::move(tokens), settings.top_p);
  std::sort(tokens.begin(), tokens.end(),
            [](const Candidate& a, const Candidate& b) { return a.id < b.id; });
  const double sum = total(tokens);
  for (Candidate& token : tokens) token.probability /= sum;
  return tokens;
}

int64_t pick(const std::vector<Candidate>& candidates, double at) {
  double below = 0;
  int64_t last = -1;
  for (const Candidate& token : candidates) {
    if (token.probability <= 0) continue;
    last = token.id;
    below += token.probability;
    if (at < below) break;
  }
  LC_CHECK(last >= 0);
  return last;
}

int64_t sample(const at::Tensor& log_probabilities_V, const SamplingSettings& settings,
               int64_t position) {
  const uint64_t key = combine_keys(combine_keys(settings.seed, hash_text("sampling")),
                                    static_cast<uint64_t>(position));
  return pick(candidates(log_probabilities_V, settings), uniform_from_bits(hash_bits(key)));
}

}  // namespace lc
