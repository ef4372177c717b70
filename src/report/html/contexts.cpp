#include "report/html/contexts.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "report/html/comparable.h"
#include "report/html/text.h"
#include "report/svg/plot.h"
#include "report/svg/plot_text.h"

namespace lc {
namespace {

using Json = nlohmann::json;

// Of sweeps over contexts.
const std::vector<ResultTrait>& sweep_traits() {
  static const std::vector<ResultTrait> traits = [] {
    std::vector<ResultTrait> list = text_traits();
    list.push_back({"mode", "/protocol/contexts/mode"});
    list.push_back({"number of targets", "/protocol/contexts/tokens_scored"});
    list.push_back({"tokens before the first target", "/protocol/contexts/predecessors"});
    return list;
  }();
  return traits;
}

// Sweeps that are alike in all traits.
struct ComparableSweeps {
  std::vector<Json> traits;
  std::vector<const ResultOfRun*> runs;
};

// A loss that is not finite is null.
bool is_context_point(const Json& point) {
  const auto holds = [&](const char* key) { return point.is_object() && point.contains(key); };
  if (!holds("context") || !holds("nats_per_token")) return false;
  const Json& nats = point.at("nats_per_token");
  return point.at("context").is_number() && (nats.is_number() || nats.is_null());
}

bool has_contexts(const Json& result) {
  if (!result.is_object()) return false;
  const auto found = result.find("contexts");
  return found != result.end() && found->is_array() && !found->empty() &&
         std::all_of(found->begin(), found->end(), is_context_point);
}

bool has_bits(const ResultOfRun* run) {
  const Json& contexts = run->json.at("contexts");
  return std::all_of(contexts.begin(), contexts.end(), [](const Json& point) {
    return point.at("nats_per_token").is_null() || point.value("bits_per_byte", Json()).is_number();
  });
}

// The run's traits are those of the group; what the group doesn't know yet, the run may.
void join_group(const std::vector<Json>& traits, const ResultOfRun& run, ComparableSweeps& group) {
  for (size_t i = 0; i < traits.size(); ++i) {
    if (group.traits[i].is_null()) group.traits[i] = traits[i];
  }
  group.runs.push_back(&run);
}

std::vector<ComparableSweeps> grouped_sweeps(const std::vector<ResultOfRun>& results) {
  std::vector<ComparableSweeps> groups;
  for (const ResultOfRun& result : results) {
    if (!has_contexts(result.json)) continue;
    const std::vector<Json> traits = values_of(sweep_traits(), result.json);
    const auto same = [&](const ComparableSweeps& group) {
      return differing_traits(sweep_traits(), group.traits, traits).empty();
    };
    auto group = std::find_if(groups.begin(), groups.end(), same);
    if (group == groups.end()) {
      groups.push_back({traits, {}});
      group = std::prev(groups.end());
    }
    join_group(traits, result, *group);
  }
  return groups;
}

// Intervals of bits per byte are those of nats per token in the same proportion.
PlotCurve contexts_curve(const ResultOfRun& run, bool bits) {
  PlotCurve curve{run.name, {}};
  for (const Json& point : run.json.at("contexts")) {
    const auto context = point.at("context").get<double>();
    if (point.at("nats_per_token").is_null()) {
      curve.points.push_back({context, std::numeric_limits<double>::quiet_NaN()});
      continue;
    }
    const auto nats = point.at("nats_per_token").get<double>();
    const double factor = bits && nats != 0 ? point.at("bits_per_byte").get<double>() / nats : 1;
    PlotPoint drawn{context, nats * factor};
    const auto bound = [&](const char* key, double& value) {
      if (point.value(key, Json()).is_number()) value = point.at(key).get<double>() * factor;
    };
    bound("nats_low", drawn.low);
    bound("nats_high", drawn.high);
    curve.points.push_back(drawn);
  }
  return curve;
}

std::string joint_plot(const ComparableSweeps& group) {
  const bool bits = std::all_of(group.runs.begin(), group.runs.end(), has_bits);
  Plot plot;
  plot.title = "Loss against context length";
  plot.subtitle = "runs that scored the same targets; 95% intervals";
  plot.x_label = "context: tokens before the current one (logarithmic)";
  plot.y_label = bits ? "bits per byte" : "nats per token";
  for (const ResultOfRun* run : group.runs) plot.curves.push_back(contexts_curve(*run, bits));
  return html_element("div", "card wide", html_image(svg_plot(plot), plot.title));
}

// Which sweeps can't be compared with those of the largest group, and why.
std::string apart_note(const std::vector<ComparableSweeps>& groups) {
  const auto fewer_runs = [](const ComparableSweeps& a, const ComparableSweeps& b) {
    return a.runs.size() < b.runs.size();
  };
  const auto largest = std::max_element(groups.begin(), groups.end(), fewer_runs);
  std::string apart;
  for (const ComparableSweeps& group : groups) {
    if (&group == &*largest) continue;
    for (const ResultOfRun* run : group.runs) {
      apart += (apart.empty() ? "" : "; ") + run->name + " (other " +
               differing_traits(sweep_traits(), largest->traits, group.traits) + ")";
    }
  }
  const std::string text =
      "Not to be compared with " + largest->runs.front()->name + ": " + apart + ".";
  return html_element("p", "note", escape_xml(text));
}

}  // namespace

std::string html_contexts(const std::vector<ResultOfRun>& results) {
  const std::vector<ComparableSweeps> groups = grouped_sweeps(results);
  std::string html;
  for (const ComparableSweeps& group : groups) {
    if (group.runs.size() > 1) html += joint_plot(group);
  }
  if (groups.size() > 1) html += apart_note(groups);
  return html;
}

}  // namespace lc
