#include "generate/generate.h"

namespace lc {

void generate(TextReader& reader, const GenerationRequest& request,
              const std::function<void(int64_t token)>& take) {
  std::vector<int64_t> unread = request.prompt;
  for (int64_t i = 0; i < request.tokens; ++i) {
    const at::Tensor log_probabilities_V = reader.read(unread);
    unread = {sample(log_probabilities_V, request.sampling, reader.position())};
    take(unread.front());
  }
}

}  // namespace lc
