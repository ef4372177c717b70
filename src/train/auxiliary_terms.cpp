#include "train/auxiliary_terms.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <utility>

#include "core/error.h"

namespace lc {

AuxiliaryTerms::AuxiliaryTerms(const LanguageModel& model, const MemoryState& memory,
                               const Update& update) {
  std::vector<const Segment*> segments;
  for (const auto& block : update.blocks) {
    for (const Segment& segment : block) segments.push_back(&segment);
  }
  for (AuxiliaryShare& share : model.auxiliary_shares(memory, segments)) {
    entries_.push_back({std::move(share), {}, 0});
  }
}

at::Tensor AuxiliaryTerms::add_to(at::Tensor loss, const std::vector<AuxiliaryLoss>& losses) {
  for (const AuxiliaryLoss& one : losses) {
    const auto entry = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& known) {
      return known.share.name == one.name && known.share.layer == one.layer;
    });
    LC_CHECK(entry != entries_.end() && entry->share.count > 0);
    entry->count += one.count;
    const at::Tensor sum = one.sum.detach().to(at::kDouble);
    entry->sum = entry->sum.defined() ? entry->sum + sum : sum;
    const at::Tensor term =
        one.sum * (entry->share.weight / static_cast<double>(entry->share.count));
    loss = loss.defined() ? loss + term : term;
  }
  return loss;
}

std::vector<AuxiliarySum> AuxiliaryTerms::sums() const {
  std::vector<AuxiliarySum> sums;
  for (const Entry& entry : entries_) {
    LC_CHECK(entry.count == entry.share.count);
    const double sum = entry.sum.defined() ? entry.sum.item<double>() : 0.0;
    sums.push_back({entry.share.name, entry.share.layer, sum, entry.count});
  }
  return sums;
}

void accumulate(std::vector<AuxiliarySum>& window, const std::vector<AuxiliarySum>& more) {
  for (const AuxiliarySum& one : more) {
    const auto known = std::find_if(window.begin(), window.end(), [&](const AuxiliarySum& sum) {
      return sum.name == one.name && sum.layer == one.layer;
    });
    if (known == window.end()) {
      window.push_back(one);
    } else {
      known->sum += one.sum;
      known->count += one.count;
    }
  }
}

}  // namespace lc
