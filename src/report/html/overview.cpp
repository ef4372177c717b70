#include "report/html/overview.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "core/number_text.h"
#include "models/registry.h"
#include "report/html/text.h"
#include "report/shown_name.h"
#include "report/svg/plot_text.h"

namespace lc {
namespace {

nlohmann::json setting(const ReportedRun& run, const std::string& pointer) {
  const nlohmann::ordered_json::json_pointer place(pointer);
  if (!run.settings.config.contains(place)) return {};
  const nlohmann::ordered_json& value = run.settings.config.at(place);
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_integer()) return value.get<int64_t>();
  return {};
}

std::string model_line(const ReportedRun& run) {
  std::string line = shown_name(html_value(setting(run, "/model/type")).text);
  for (const auto& [pointer, unit] :
       {std::pair{"/model/layers", " layers"}, std::pair{"/model/d_model", " wide"},
        std::pair{"/model/heads", " heads"}}) {
    const nlohmann::json value = setting(run, pointer);
    if (value.is_number()) line += ", " + html_value(value).text + unit;
  }
  return line;
}

std::optional<double> number_in(const nlohmann::json& object, const std::string& key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return {};
  return found->get<double>();
}

bool plain_evaluation(const ReportedResult& result) {
  return result.json.is_object() && number_in(result.json, "nats_per_token").has_value() &&
         number_in(result.json, "tokens_scored").has_value();
}

// The split that says most about the run, as lceval chooses it; the run as it was trained first.
const ReportedResult* headline_result(const ReportedRun& run) {
  for (const std::string other : {"", "_other"}) {
    for (const std::string split : {"test", "valid", "text", "train"}) {
      for (const ReportedResult& result : run.results) {
        if (result.stem == split + other && plain_evaluation(result)) return &result;
      }
    }
  }
  return nullptr;
}

struct HeadlineUnit {
  const char* key;
  const char* name;
  int decimals;
};

std::string interval_note(const nlohmann::json& json, const HeadlineUnit& unit, double value) {
  const nlohmann::json::json_pointer place("/protocol/intervals");
  if (!json.contains(place) || !json.at(place).is_object()) return "";
  const auto low = number_in(json.at(place), "nats_low");
  const auto high = number_in(json.at(place), "nats_high");
  const double nats = *number_in(json, "nats_per_token");
  if (!low || !high || nats == 0) return "";
  const bool bits = std::string_view(unit.key) == "bits_per_byte";
  const auto in_unit = [&](double bound) { return bits ? bound * value / nats : std::exp(bound); };
  return ", 95% interval " + decimal(in_unit(*low), unit.decimals) + " to " +
         decimal(in_unit(*high), unit.decimals);
}

// "/model/transformer_xl/memory_length" for each runtime value of the run's model, and what else an
// evaluation may change, by the name that the protocol has for it.
std::map<std::string, std::string> evaluation_settings_of(const ReportedRun& run) {
  std::map<std::string, std::string> places = {{"segment", "/train/segment_length"},
                                               {"boundaries", "/data/boundaries"},
                                               {"sequence_segments", "/data/sequence_segments"},
                                               {"lane_split", "/data/lane_split"}};
  const nlohmann::json type = setting(run, "/model/type");
  for (const ModelEntry& entry : model_registry()) {
    if (type != entry.type) continue;
    for (const auto& [flag, path] : entry.overrides) {
      std::string place = "/" + path;
      std::replace(place.begin(), place.end(), '.', '/');
      places[flag] = std::move(place);
    }
  }
  return places;
}

// What the evaluation did otherwise than the run's own settings say: "; memory 0 instead of 128".
std::string departures(const ReportedRun& run, const nlohmann::json& protocol) {
  if (!protocol.is_object()) return "";
  std::string text;
  for (const auto& [name, place] : evaluation_settings_of(run)) {
    const nlohmann::ordered_json::json_pointer pointer(place);
    if (!run.settings.config.contains(pointer) || !protocol.contains(name)) continue;
    const nlohmann::json own = run.settings.config.at(pointer);
    const nlohmann::json& used = protocol.at(name);
    if (own != used) {
      text += "; " + name + " " + html_value(used).text + " instead of " + html_value(own).text;
    }
  }
  if (protocol.contains("data")) text += "; text " + html_value(protocol.at("data")).text;
  if (protocol.value("tokens_limit", nlohmann::json()).is_number())
    text += "; its first tokens only";
  return text;
}

std::string headline(const ReportedRun& run) {
  const ReportedResult* result = headline_result(run);
  if (result == nullptr) return html_element("p", "note", "Not evaluated yet.");
  const HeadlineUnit bits{"bits_per_byte", "bits per byte", 3};
  const HeadlineUnit perplexity{"perplexity", "perplexity", 2};
  const HeadlineUnit& unit = number_in(result->json, bits.key) ? bits : perplexity;
  const double value = number_in(result->json, unit.key)
                           .value_or(std::exp(*number_in(result->json, "nats_per_token")));
  const auto tokens = static_cast<int64_t>(*number_in(result->json, "tokens_scored"));
  return html_element("p", "headline",
                      decimal(value, unit.decimals) + " " + html_element("small", "", unit.name)) +
         html_element(
             "p", "note",
             escape_xml(result->stem + ", " + grouped(tokens) + " tokens" +
                        interval_note(result->json, unit, value) +
                        departures(run, result->json.value("protocol", nlohmann::json()))));
}

std::string duration(double seconds) {
  const auto minutes = static_cast<int64_t>(std::llround(seconds / 60));
  if (minutes < 2) return decimal(seconds, 0) + " s";
  if (minutes < 120) return std::to_string(minutes) + " min";
  return decimal(seconds / 3600, 1) + " h";
}

// The lowest loss of a periodic evaluation.
std::optional<double> best_of(const LearningCurves& curves, const std::string& split) {
  std::optional<double> best;
  for (const LearningPoint& point : curves.evaluations.at(split)) {
    if (!std::isfinite(point.nats_per_token)) continue;
    best = std::min(best.value_or(point.nats_per_token), point.nats_per_token);
  }
  return best;
}

std::string facts(const ReportedRun& run) {
  const LearningCurves& curves = run.curves;
  std::string list;
  const auto add = [&](const std::string& name, const std::string& value) {
    list += html_element("dt", "", escape_xml(name)) + html_element("dd", "", escape_xml(value));
  };
  if (curves.training.empty()) return "";
  add("updates", grouped(curves.steps));
  add("tokens", grouped(static_cast<int64_t>(curves.tokens)));
  add("time", duration(curves.seconds));
  add("training loss, last", decimal(curves.training.back().nats_per_token, 4) + " nats");
  for (const auto& [split, points] : curves.evaluations) {
    if (const auto best = best_of(curves, split))
      add(split + ", best", decimal(*best, 4) + " nats");
  }
  return html_element("dl", "facts", list);
}

}  // namespace

std::string html_card(const ReportedRun& run) {
  return html_element("div", "card",
                      html_element("div", "name", escape_xml(run.settings.name)) +
                          html_element("p", "kind", escape_xml(model_line(run))) + headline(run) +
                          facts(run));
}

}  // namespace lc
