#include "checkpoint/foreign/foreign_weights.h"

#include <ATen/ATen.h>

#include <map>

#include "core/error.h"

namespace lc {
namespace {

using ByName = std::map<std::string, at::Tensor>;

// Of constants: they are computed in other ways, and stored in half precision at times.
constexpr double kConstantTolerance = 1e-2;

ByName by_name(const NamedTensors& tensors) { return {tensors.begin(), tensors.end()}; }

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : " or ") + name;
  return text;
}

// Parts of a tied tensor may be stored in types of different width.
bool same_values(const at::Tensor& left, const at::Tensor& right) {
  if (left.scalar_type() == right.scalar_type()) return at::equal(left, right);
  return at::equal(left.to(at::kDouble), right.to(at::kDouble));
}

bool same_constant(const at::Tensor& found, const at::Tensor& known) {
  return found.sizes() == known.sizes() &&
         at::allclose(found.to(at::kDouble), known.to(at::kDouble), kConstantTolerance, 0);
}

// Cuts and turns one tensor after the other, and gathers what is wrong with the whole file.
class ForeignReader {
 public:
  explicit ForeignReader(const NamedTensors& theirs) : theirs_(by_name(theirs)) {}

  void read(const ForeignTensor& entry) {
    const at::Tensor value = take(entry);
    if (!value.defined()) {
      if (!entry.ours.empty()) fault("missing " + listed(entry.names));
      return;
    }
    if (entry.ours.empty()) {
      if (!same_constant(value, entry.constant)) {
        fault(entry.names.front() + " is another constant than the model's");
      }
      return;
    }
    const auto blocks = static_cast<int64_t>(entry.ours.size());
    if (value.dim() == 0 || value.size(0) % blocks != 0) {
      fault(entry.names.front() + " has no " + std::to_string(blocks) + " equal blocks of rows");
      return;
    }
    const at::Tensor rows = entry.rows == RowOrder::kReversed ? value.flip(0) : value;
    const int64_t height = value.size(0) / blocks;
    for (int64_t i = 0; i < blocks; ++i) {
      ours_.emplace_back(entry.ours[static_cast<size_t>(i)], rows.narrow(0, i * height, height));
    }
  }

  NamedTensors finish(const std::string& source) && {
    for (const auto& [name, tensor] : theirs_) fault("unknown " + name);
    if (faults_.empty()) return std::move(ours_);
    throw Error(
        ErrorKind::kData, source, "the weights don't fit the config: " + faults_,
        "give finite floating-point weights, the config that they were trained with, and the "
        "format that they are written in");
  }

 private:
  void fault(const std::string& text) { faults_ += (faults_.empty() ? "" : ", ") + text; }

  void check_numbers(const std::string& name, const at::Tensor& tensor) {
    if (!at::isFloatingType(tensor.scalar_type())) {
      fault(name + " holds " + at::toString(tensor.scalar_type()) +
            " instead of floating-point numbers");
    } else if (!at::isfinite(tensor).all().item<bool>()) {
      fault(name + " holds values that aren't finite");
    }
  }

  // The value under any of its names, all of which are used up.
  at::Tensor take(const ForeignTensor& entry) {
    at::Tensor value;
    std::string taken;
    for (const std::string& name : entry.names) {
      const auto found = theirs_.find(name);
      if (found == theirs_.end()) continue;
      check_numbers(name, found->second);
      if (!value.defined()) {
        value = found->second;
        taken = name;
      } else if (!same_values(value, found->second)) {
        fault(name + " isn't " + taken + ", to which the config ties it");
      }
      theirs_.erase(found);
    }
    return value;
  }

  ByName theirs_;
  NamedTensors ours_;
  std::string faults_;
};

}  // namespace

NamedTensors from_foreign(const std::vector<ForeignTensor>& table, const NamedTensors& theirs,
                          const std::string& source) {
  ForeignReader reader(theirs);
  for (const ForeignTensor& entry : table) reader.read(entry);
  return std::move(reader).finish(source);
}

NamedTensors to_foreign(const std::vector<ForeignTensor>& table, const NamedTensors& ours) {
  const ByName own = by_name(ours);
  NamedTensors theirs;
  for (const ForeignTensor& entry : table) {
    at::Tensor value = entry.constant;
    if (!entry.ours.empty()) {
      std::vector<at::Tensor> blocks;
      for (const std::string& name : entry.ours) blocks.push_back(own.at(name));
      value = blocks.size() == 1 ? blocks.front() : at::cat(blocks, 0);
      if (entry.rows == RowOrder::kReversed) value = value.flip(0);
    }
    for (const std::string& name : entry.names) theirs.emplace_back(name, value);
  }
  return theirs;
}

}  // namespace lc
