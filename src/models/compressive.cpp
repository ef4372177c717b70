// Compressive Transformer (Rae et al. 2020): Transformer-XL whose oldest memories are compressed
// into a second memory instead of being dropped.
#include <map>
#include <string>

#include "core/error.h"
#include "models/transformer_parts.h"
#include "nn/compressive_attention.h"

namespace lc {
namespace {

constexpr const char* kMemory = "model.compressive.memory_length";
constexpr const char* kCompressed = "model.compressive.compressed_length";
constexpr const char* kRate = "model.compressive.rate";
constexpr const char* kFunction = "model.compressive.compression";
constexpr const char* kKernelExtra = "model.compressive.kernel_extra";
constexpr const char* kDilations = "model.compressive.dilation_rates";
constexpr const char* kLoss = "model.compressive.compression_loss";
constexpr const char* kWeight = "model.compressive.aux_weight";
constexpr const char* kPositions = "model.compressive.compressed_positions";
constexpr const char* kInitial = "model.compressive.initial_memory";
constexpr double kMostRows = 1 << 20;  // of a slot; far beyond any segment

[[noreturn]] void refuse(const std::string& where, const std::string& what,
                         const std::string& remedy) {
  throw Error(ErrorKind::kUsage, where, what, remedy);
}

template <typename T>
T choice(const Config& config, const char* path, const std::map<std::string, T>& values) {
  return values.at(config.get<std::string>(path));
}

CompressiveSettings read_settings(const Config& config) {
  CompressiveSettings settings;
  settings.memory_length = config.get<int64_t>(kMemory);
  settings.compressed_length = config.get<int64_t>(kCompressed);
  settings.initial_memory = choice<InitialMemory>(
      config, kInitial, {{"empty", InitialMemory::kEmpty}, {"zeros", InitialMemory::kZeros}});
  settings.positions =
      choice<CompressedPositions>(config, kPositions,
                                  {{"separate", CompressedPositions::kSeparate},
                                   {"contiguous", CompressedPositions::kContiguous},
                                   {"distance", CompressedPositions::kDistance}});
  settings.compression.function =
      choice<Compression>(config, kFunction,
                          {{"mean", Compression::kMean},
                           {"max", Compression::kMax},
                           {"conv", Compression::kConvolution},
                           {"dilated_conv", Compression::kDilatedConvolution},
                           {"most_used", Compression::kMostUsed}});
  settings.compression.rate = config.get<int64_t>(kRate);
  settings.compression.kernel_extra = config.get<int64_t>(kKernelExtra);
  settings.compression.dilation_rates = config.get<std::vector<int64_t>>(kDilations);
  settings.objective = choice<CompressionObjective>(
      config, kLoss,
      {{"attention_reconstruction", CompressionObjective::kAttentionReconstruction},
       {"auto_encoding", CompressionObjective::kAutoEncoding},
       {"none", CompressionObjective::kNone}});
  settings.auxiliary_weight = config.get<double>(kWeight);
  return settings;
}

// "use 126 or 129": the multiples around a value that is none.
std::string nearest_multiples(int64_t value, int64_t of) {
  const int64_t below = value / of * of;
  return "use " + (below > 0 ? std::to_string(below) + " or " : "") + std::to_string(below + of);
}

void require_multiple(const SegmentLength& length, const std::string& of_what, int64_t of,
                      const std::string& otherwise) {
  if (length.tokens % of == 0) return;
  refuse(length.where,
         std::to_string(length.tokens) + " is no multiple of " + of_what + " " +
             std::to_string(of) + ", so rows that memory gives up don't fill whole slots",
         nearest_multiples(length.tokens, of) + otherwise);
}

constexpr const char* kOrZeros = ", or set model.compressive.initial_memory to \"zeros\"";

void check_lengths(const CompressiveSettings& settings) {
  if (settings.compressed_length == 0) return;
  if (settings.initial_memory == InitialMemory::kEmpty) {
    require_multiple({settings.memory_length, kMemory}, kRate, settings.compression.rate, kOrZeros);
  }
}

void check_loss(const Config& config) {
  const CompressiveSettings settings = read_settings(config);
  if (settings.compressed_length == 0 || settings.memory_length > 0) return;
  if (settings.objective != CompressionObjective::kAttentionReconstruction) return;
  refuse(kMemory, "0 leaves attention_reconstruction no query that stands after compressed rows",
         "use " + std::to_string(settings.compression.rate) + " or more, or set " +
             std::string(kLoss) + " to \"auto_encoding\" or \"none\"");
}

void check_positions(const PositionScheme& positions, const Config& config,
                     const CompressiveSettings& settings) {
  require_relative(positions, config, kMemory, settings.memory_length + settings.compressed_length);
  if (settings.compressed_length == 0 || settings.positions != CompressedPositions::kSeparate ||
      positions.group(0, kCompressedKeys) != nullptr) {
    return;
  }
  refuse(kPositions,
         "\"separate\" needs a scheme with a projection to give compressed slots, and \"" +
             config.get<std::string>("model.positions.scheme") + "\" has none",
         "choose \"contiguous\" or \"distance\", or the scheme \"xl_relative\"");
}

// The shortest segment that makes a slot and that memory holds whole numbers of, if any does.
int64_t shortest_segment(const CompressiveSettings& settings, bool divides_memory) {
  const int64_t rate = settings.compression.rate;
  const int64_t enough = (rows_of_one_slot(settings.compression) + rate - 1) / rate * rate;
  for (int64_t tokens = enough; divides_memory && tokens <= settings.memory_length;
       tokens += rate) {
    if (settings.memory_length % tokens == 0) return tokens;
  }
  return enough;
}

void check_segment(const Config& config, const SegmentLength& length) {
  const CompressiveSettings settings = read_settings(config);
  if (settings.compressed_length == 0) return;
  require_multiple(length, kRate, settings.compression.rate, "");
  const bool dilated = settings.compression.function == Compression::kDilatedConvolution;
  const bool divides_memory = dilated && settings.initial_memory == InitialMemory::kEmpty;
  if (compressed_slots(settings.compression, length.tokens) == 0) {
    refuse(length.where,
           std::to_string(length.tokens) + " rows are too few for one slot of " +
               config.get<std::string>(kFunction),
           "use " + std::to_string(shortest_segment(settings, divides_memory)) +
               " or more, or shorten " + std::string(dilated ? kDilations : kKernelExtra));
  }
  if (divides_memory) {
    require_multiple({settings.memory_length, kMemory}, length.where, length.tokens, kOrZeros);
  }
}

std::unique_ptr<LanguageModel> build(const Config& config, const ModelSetup& setup) {
  const CompressiveSettings compressive = read_settings(config);
  check_lengths(compressive);
  std::vector<std::string> key_groups;
  if (compressive.positions == CompressedPositions::kSeparate) key_groups = {kCompressedKeys};
  return build_transformer(
      config, setup, PositionOrigin::kSegment,
      [&](ParameterSet& parameters, const TransformerSettings& settings,
          const PositionScheme& positions, int64_t layer) -> std::unique_ptr<Mixer> {
        check_positions(positions, config, compressive);
        return std::make_unique<CompressiveAttention>(parameters, settings, compressive, positions,
                                                      layer);
      },
      key_groups);
}

std::vector<Option> memory_rows() {
  return {
      Option::integer(kMemory, 128)
          .at_least(0)
          .at_most(kLongestLength)
          .in("tokens")
          .says("Inputs of each layer that are remembered."),
      Option::integer(kCompressed, 128)
          .at_least(0)
          .at_most(kLongestLength)
          .in("slots")
          .says("Slots of each layer that inputs beyond memory_length are compressed into."),
      Option::choice(kInitial, "empty", {"empty", "zeros"})
          .says("What a lane attends to before it has seen anything: nothing, or zero vectors."),
      Option::choice(kPositions, "separate", {"separate", "contiguous", "distance"})
          .architecture()
          .says("Where compressed slots stand: counted in slots back from the segment, with a "
                "projection and bias of their own; on one axis of slots, memory, segment; or where "
                "the newest input stood that they were made of."),
  };
}

std::vector<Option> compression_rows() {
  return {
      Option::integer(kRate, 4).at_least(1).at_most(kMostRows).in("tokens").architecture().says(
          "Inputs that become one slot."),
      Option::choice(kFunction, "conv", {"mean", "max", "conv", "dilated_conv", "most_used"})
          .architecture()
          .says("How inputs become a slot."),
      Option::integer(kKernelExtra, 0)
          .at_least(0)
          .at_most(kMostRows)
          .in("tokens")
          .architecture()
          .says("Inputs that a convolution's kernel reaches beyond its own rate of them."),
      Option::list(kDilations, OptionType::kIntegerList, {1, 2})
          .at_least(1)
          .at_most(kMostRows)
          .architecture()
          .says("Dilations of the convolutions before the last, of dilated_conv."),
      Option::choice(kLoss, "attention_reconstruction",
                     {"attention_reconstruction", "auto_encoding", "none"})
          .architecture()
          .for_training()
          .says("What trains the compression; none: the loss of later segments, as far as "
                "train.bptt_segments lets it."),
      Option::number(kWeight, 1.0)
          .at_least(0)
          .says("Weight of the compression loss in the training loss."),
  };
}

}  // namespace

ModelEntry compressive_model() {
  std::vector<Option> rows = memory_rows();
  for (Option& row : compression_rows()) rows.push_back(std::move(row));
  ModelEntry entry{
      "compressive",
      std::move(rows),
      build,
      {{"memory", kMemory}, {"compressed", kCompressed}, {"clamp", "model.positions.clamp_length"}},
      check_segment,
      {kCompressorGroup}};
  entry.check_training = check_loss;
  return entry;
}

}  // namespace lc
