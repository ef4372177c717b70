#include "golden/golden_text.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <unistd.h>

#include <filesystem>

#include "data/segment_stream.h"
#include "data/text_runs.h"
#include "data/token_file_writer.h"

namespace golden {
namespace {

// A file in the folder for temporary files, removed with the object. A mapping outlives it.
struct TemporaryFile {
  std::filesystem::path path = std::filesystem::temp_directory_path() /
                               ("lctrain_golden_" + std::to_string(getpid()) + ".tokens");
  ~TemporaryFile() { std::filesystem::remove(path); }
};

}  // namespace

lc::TokenFile text_of(const at::Tensor& stream, int64_t vocab_size) {
  const at::Tensor ids = stream.contiguous();
  const int64_t* begin = ids.const_data_ptr<int64_t>();
  const TemporaryFile file;
  lc::TokenFileWriter writer(file.path, vocab_size);
  writer.add({begin, begin + ids.numel()});
  writer.end_document({});
  writer.finish({}, "", nlohmann::json::object());
  return lc::TokenFile::open(file.path);
}

lc::LanePlan reference_plan(int64_t tokens, int64_t lanes, int64_t segment_length) {
  return lc::LanePlan(lc::reference_lanes(tokens, lanes), segment_length);
}

at::Tensor score_lanes(const lc::LanguageModel& model, const lc::TokenFile& text,
                       const lc::LanePlan& plan) {
  const c10::NoGradGuard no_gradient;
  const lc::SegmentStream segments(text, plan, 0, lc::LossPart::kAll);
  lc::MemoryState memory = model.initial_memory(plan.lanes(), lc::MemoryUse::kInference);
  std::vector<at::Tensor> nll;
  for (int64_t s = 0; s < segments.segments(); ++s) {
    auto result = model.step(segments.at(s), std::move(memory), {});
    nll.push_back(result.nll_BT.t());
    memory = std::move(result.memory);
  }
  return at::cat(nll, 0);
}

}  // namespace golden
