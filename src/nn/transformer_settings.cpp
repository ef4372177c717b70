#include "nn/transformer_settings.h"

#include <string>

#include "core/error.h"

namespace lc {
namespace {

[[noreturn]] void unfit(const std::string& path, const std::string& what,
                        const std::string& remedy) {
  throw Error(ErrorKind::kUsage, path, what, remedy);
}

int64_t integer_or(const Config& config, const char* path, int64_t otherwise) {
  return config.is_null(path) ? otherwise : config.get<int64_t>(path);
}

AdaptiveSettings read_adaptive(const Config& config, const TransformerSettings& sizes,
                               int64_t vocab_size) {
  AdaptiveSettings adaptive;
  adaptive.cutoffs = config.get<std::vector<int64_t>>("model.adaptive.cutoffs");
  int64_t below = 0;
  for (const int64_t cutoff : adaptive.cutoffs) {
    if (cutoff <= below || cutoff >= vocab_size) {
      unfit("model.adaptive.cutoffs",
            std::to_string(cutoff) + " is not between " + std::to_string(below) +
                " and the vocabulary's size " + std::to_string(vocab_size),
            "cutoffs ascend and lie inside the vocabulary");
    }
    below = cutoff;
  }
  const size_t bins = adaptive.cutoffs.size() + 1;
  adaptive.divisor = config.get<int64_t>("model.adaptive.divisor");
  int64_t smallest = sizes.d_embed;
  for (size_t i = 1; i < bins; ++i) smallest /= adaptive.divisor;
  if (smallest < 1) {
    unfit("model.adaptive.divisor",
          "with divisor " + std::to_string(adaptive.divisor) + " the last of " +
              std::to_string(bins) + " bins has no width left of d_embed " +
              std::to_string(sizes.d_embed),
          "lower the divisor or the number of cutoffs");
  }
  if (config.is_null("model.adaptive.tie_projections")) {
    adaptive.tie_projections.assign(bins, true);
    adaptive.tie_projections[0] = false;
  } else {
    adaptive.tie_projections = config.get<std::vector<bool>>("model.adaptive.tie_projections");
    if (adaptive.tie_projections.size() != bins) {
      unfit("model.adaptive.tie_projections",
            std::to_string(adaptive.tie_projections.size()) + " values for " +
                std::to_string(bins) + " bins",
            "give one value per bin, which is one more than there are cutoffs");
    }
  }
  adaptive.cluster_order = config.get<std::string>("model.adaptive.cluster_order") == "descending"
                               ? ClusterOrder::kDescending
                               : ClusterOrder::kAscending;
  return adaptive;
}

}  // namespace

std::vector<Option> transformer_options() {
  return {
      Option::integer("model.layers", 4).at_least(1).architecture().says("Number of layers."),
      Option::integer("model.d_model", 256)
          .at_least(1)
          .architecture()
          .says("Width of the hidden states."),
      Option::integer("model.heads", 8)
          .at_least(1)
          .architecture()
          .says("Attention heads in each layer."),
      Option::integer("model.d_head", nullptr)
          .at_least(1)
          .or_null()
          .architecture()
          .says("Width of a head; null: d_model / heads."),
      Option::integer("model.d_inner", nullptr)
          .at_least(1)
          .or_null()
          .architecture()
          .says("Inner width of the feed-forward layers; null: 4 * d_model."),
      Option::integer("model.d_embed", nullptr)
          .at_least(1)
          .or_null()
          .architecture()
          .says("Width of the token embeddings; null: d_model."),
      Option::number("model.dropout", 0.0)
          .at_least(0)
          .less_than(1)
          .taken_on_resume()
          .says("Dropout of embeddings, position vectors, branches and the last hidden state."),
      Option::number("model.attention_dropout", 0.0)
          .at_least(0)
          .less_than(1)
          .taken_on_resume()
          .says("Dropout of attention weights."),
      Option::choice("model.norm", "post", {"post", "pre"})
          .architecture()
          .says("Layer norm after the residual sum, or before each branch."),
      Option::boolean("model.final_norm", false)
          .architecture()
          .says("One more layer norm after the last layer."),
      Option::number("model.norm_eps", 1e-5)
          .more_than(0)
          .architecture()
          .says("Epsilon of the layer norms."),
      Option::boolean("model.tie_weights", true)
          .architecture()
          .says("The output layer uses the embedding tables."),
      Option::number("model.init_std", 0.02)
          .at_least(0)
          .architecture()
          .for_training()
          .says("Standard deviation of initial weights."),
      Option::number("model.projection_init_std", 0.01)
          .at_least(0)
          .architecture()
          .for_training()
          .says("Standard deviation of initial embedding and softmax projections."),
      Option::list("model.adaptive.cutoffs", OptionType::kIntegerList, nlohmann::json::array())
          .at_least(1)
          .in("token ids")
          .architecture()
          .says("First token ids of the bins after the first; empty: plain input and softmax."),
      Option::integer("model.adaptive.divisor", 1)
          .at_least(1)
          .architecture()
          .says("Bin i has embeddings of width d_embed / divisor^i."),
      Option::list("model.adaptive.tie_projections", OptionType::kBooleanList, nullptr)
          .or_null()
          .architecture()
          .says("Per bin: the softmax uses the embedding's projection; null: all but the first."),
      Option::choice("model.adaptive.cluster_order", "descending", {"descending", "ascending"})
          .architecture()
          .says("Order of the cluster rows in the softmax of the first bin."),
  };
}

TransformerSettings read_transformer_settings(const Config& config, int64_t vocab_size) {
  TransformerSettings settings{};
  settings.layers = config.get<int64_t>("model.layers");
  settings.d_model = config.get<int64_t>("model.d_model");
  settings.heads = config.get<int64_t>("model.heads");
  if (config.is_null("model.d_head") && settings.d_model % settings.heads != 0) {
    unfit("model.heads",
          std::to_string(settings.heads) + " heads don't divide d_model " +
              std::to_string(settings.d_model),
          "choose a divisor, or give model.d_head");
  }
  settings.d_head = integer_or(config, "model.d_head", settings.d_model / settings.heads);
  settings.d_inner = integer_or(config, "model.d_inner", 4 * settings.d_model);
  settings.d_embed = integer_or(config, "model.d_embed", settings.d_model);
  settings.dropout = config.get<double>("model.dropout");
  settings.attention_dropout = config.get<double>("model.attention_dropout");
  settings.norm =
      config.get<std::string>("model.norm") == "post" ? NormPlace::kPost : NormPlace::kPre;
  settings.final_norm = config.get<bool>("model.final_norm");
  settings.norm_eps = config.get<double>("model.norm_eps");
  settings.tie_weights = config.get<bool>("model.tie_weights");
  settings.init_deviation = config.get<double>("model.init_std");
  settings.projection_init_deviation = config.get<double>("model.projection_init_std");
  settings.adaptive = read_adaptive(config, settings, vocab_size);
  return settings;
}

}  // namespace lc
