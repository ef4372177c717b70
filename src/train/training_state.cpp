#include "train/training_state.h"

#include "core/error.h"

namespace lc {
namespace {

nlohmann::json auxiliary_json(const std::vector<AuxiliarySum>& sums) {
  nlohmann::json list = nlohmann::json::array();
  for (const AuxiliarySum& one : sums) {
    list.push_back(
        {{"name", one.name}, {"layer", one.layer}, {"sum", one.sum}, {"count", one.count}});
  }
  return list;
}

std::vector<AuxiliarySum> auxiliary_of(const nlohmann::json& list) {
  std::vector<AuxiliarySum> sums;
  for (const auto& one : list) {
    sums.push_back({one.at("name").get<std::string>(), one.at("layer").get<int64_t>(),
                    one.at("sum").get<double>(), one.at("count").get<int64_t>()});
  }
  return sums;
}

}  // namespace

nlohmann::json TrainingState::to_json() const {
  nlohmann::json json{{"step", step},
                      {"segments", segments},
                      {"tokens", tokens},
                      {"cursor", {{"epoch", epoch}, {"segment", segment}}},
                      {"nonfinite", nonfinite},
                      {"seconds", seconds},
                      {"evaluated_step", evaluated_step},
                      {"best", nullptr},
                      {"window",
                       {{"nats", window.nats},
                        {"weight", window.weight},
                        {"tokens", window.tokens},
                        {"seconds", window.seconds},
                        {"auxiliary", auxiliary_json(window.auxiliary)}}}};
  if (best) json["best"] = {{"step", best->step}, {"nats_per_token", best->nats_per_token}};
  return json;
}

TrainingState TrainingState::from_json(const nlohmann::json& json, const std::string& source) {
  try {
    TrainingState state;
    json.at("step").get_to(state.step);
    json.at("segments").get_to(state.segments);
    json.at("tokens").get_to(state.tokens);
    json.at("cursor").at("epoch").get_to(state.epoch);
    json.at("cursor").at("segment").get_to(state.segment);
    json.at("nonfinite").get_to(state.nonfinite);
    json.at("seconds").get_to(state.seconds);
    json.at("evaluated_step").get_to(state.evaluated_step);
    if (const auto& best = json.at("best"); !best.is_null()) {
      state.best =
          BestSoFar{best.at("step").get<int64_t>(), best.at("nats_per_token").get<double>()};
    }
    const auto& window = json.at("window");
    window.at("nats").get_to(state.window.nats);
    window.at("weight").get_to(state.window.weight);
    window.at("tokens").get_to(state.window.tokens);
    window.at("seconds").get_to(state.window.seconds);
    // Older files have none.
    state.window.auxiliary = auxiliary_of(window.value("auxiliary", nlohmann::json::array()));
    return state;
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorKind::kData, source,
                "the training state can't be read (" + std::string(error.what()) + ")",
                "it was written by another version: use that one, or start anew with --restart");
  }
}

}  // namespace lc
