#include "report/csv_results.h"

#include "report/csv.h"

namespace lc {

std::string results_csv(const std::vector<RunResult>& results) {
  std::vector<nlohmann::json> objects;
  for (const RunResult& result : results) {
    nlohmann::json object = result_json(result);
    object.update(result.source);
    object["run"] = result.name;
    object.update(intervals_json(result.evaluation.measures));
    objects.push_back(std::move(object));
  }
  return csv_of_objects({"run", "step", "split", "nats_per_token", "nats_low", "nats_high",
                         "perplexity", "bits_per_token", "bits_per_byte", "bits_per_character",
                         "word_perplexity", "word_perplexity_low", "word_perplexity_high",
                         "tokens_total", "tokens_scored", "tokens_skipped"},
                        objects);
}

std::string contexts_csv(const std::vector<RunResult>& results) {
  std::vector<nlohmann::json> objects;
  for (const RunResult& result : results) {
    const nlohmann::json contexts = result.sweep->contexts_json();
    for (nlohmann::json object : contexts) {
      object["run"] = result.name;
      objects.push_back(std::move(object));
    }
  }
  return csv_of_objects({"run", "context", "nats_per_token", "nats_low", "nats_high",
                         "bits_per_byte", "perplexity", "mean_visible"},
                        objects);
}

std::string sweep_csv(const std::vector<RunResult>& results) {
  std::vector<std::string> columns = {"run"};
  for (const SweepAxis& axis : results.front().grid->axes) columns.push_back(axis.flag);
  for (const char* key :
       {"nats_per_token", "nats_low", "nats_high", "bits_per_byte", "perplexity", "word_perplexity",
        "word_perplexity_low", "word_perplexity_high", "tokens_scored", "mode"}) {
    columns.emplace_back(key);
  }
  std::vector<nlohmann::json> objects;
  for (const RunResult& result : results) {
    const nlohmann::json cells = result.grid->cells_json();
    for (nlohmann::json object : cells) {
      object["run"] = result.name;
      objects.push_back(std::move(object));
    }
  }
  return csv_of_objects(columns, objects);
}

}  // namespace lc
