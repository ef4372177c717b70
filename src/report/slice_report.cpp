#include "report/slice_report.h"

#include <algorithm>
#include <cmath>

#include "config/json_text.h"
#include "core/file_io.h"
#include "core/number_text.h"
#include "eval/metrics.h"
#include "eval/units.h"
#include "report/csv.h"

namespace lc {
namespace {

nlohmann::json share(double part, double whole) {
  if (whole == 0 || !std::isfinite(part) || !std::isfinite(whole)) return nullptr;
  return part / whole;
}

std::optional<double> exp_of_slice(const std::optional<double>& nats) {
  if (!nats) return {};
  return std::exp(*nats);
}

nlohmann::json score_json(const SliceScore& score, const SliceScore& whole) {
  nlohmann::json json{{"tokens", score.tokens},
                      {"share_of_tokens",
                       share(static_cast<double>(score.tokens), static_cast<double>(whole.tokens))},
                      {"share_of_nats", share(score.nats, whole.nats)},
                      {"nats_per_token", optional_number(score.nats_per_token())},
                      {"nats_low", nullptr},
                      {"nats_high", nullptr},
                      {"perplexity", optional_number(exp_of_slice(score.nats_per_token()))},
                      {"bits_per_byte", optional_number(score.bits_per_byte())}};
  if (score.interval) {
    json["nats_low"] = score.interval->low;
    json["nats_high"] = score.interval->high;
  }
  return json;
}

// The words that were scored of a document, as counted here; none where it isn't scored whole but
// for its first token.
std::optional<double> scored_words(const TokenFile& tokens, const DocumentInfo& document,
                                   const SliceScore& score) {
  if (score.tokens == 0) return {};
  if (counts_tokens_as_words(tokens, document)) return static_cast<double>(score.tokens);
  if (score.tokens + 1 < document.tokens || document.words == 0) return {};
  return static_cast<double>(document.words);
}

void add_word_perplexity(const SliceScore& score, const std::optional<double>& words,
                         nlohmann::json& json) {
  for (const char* key : {"word_perplexity", "word_perplexity_low", "word_perplexity_high"}) {
    json[key] = nullptr;
  }
  if (!words) return;
  const auto in_words = [&](double nats) { return optional_number(std::exp(nats / *words)); };
  json["word_perplexity"] = in_words(score.nats);
  if (!score.interval) return;
  const auto tokens = static_cast<double>(score.tokens);
  json["word_perplexity_low"] = in_words(score.interval->low * tokens);
  json["word_perplexity_high"] = in_words(score.interval->high * tokens);
}

void add_document(const SliceReport& report, const SliceScore& score, size_t number,
                  nlohmann::json& json) {
  const DocumentInfo& document = report.tokens.documents()[number];
  const nlohmann::json about = report.tokens.about(document);
  if (about.is_object()) json.update(about);
  json["document"] = number + 1;
  json["words"] = document.words;
  add_word_perplexity(score, scored_words(report.tokens, document, score), json);
}

nlohmann::json slice_json(const SliceReport& report, const SlicedScores& scores, size_t index) {
  const Slice& slice = report.slicing.slices[index];
  const SliceScore& score = scores.slices[index];
  nlohmann::json json = score_json(score, scores.whole);
  json["slice"] = slice.name;
  if (!report.slicing.measured.empty()) {
    json["from"] = slice.from ? nlohmann::json(*slice.from) : nlohmann::json();
    json["to"] = slice.to ? nlohmann::json(*slice.to) : nlohmann::json();
  }
  if (slice.document) add_document(report, score, *slice.document, json);
  return json;
}

nlohmann::json run_json(const SliceReport& report, const SlicedRun& run) {
  nlohmann::json json{{"slices", nlohmann::json::array()},
                      {"whole", score_json(run.scores.whole, run.scores.whole)},
                      {"protocol", run.protocol}};
  json["protocol"]["slices"]["by"] = report.slicing.by;
  json["protocol"]["slices"]["measured"] = report.slicing.measured;
  json["protocol"]["slices"]["interval_blocks"] = run.scores.blocks;
  json["protocol"]["slices"]["whole_interval_blocks"] = run.scores.whole_blocks;
  for (size_t s = 0; s < report.slicing.slices.size(); ++s) {
    json["slices"].push_back(slice_json(report, run.scores, s));
  }
  return json;
}

std::vector<std::string> csv_columns(const SliceReport& report) {
  std::vector<std::string> columns = {"run", "slice"};
  const auto add = [&](const std::vector<std::string>& more) {
    columns.insert(columns.end(), more.begin(), more.end());
  };
  if (!report.slicing.measured.empty()) add({"from", "to"});
  const bool of_documents = report.slicing.by == "document";
  if (of_documents) add({"document", "id", "title", "year"});
  add({"tokens", "share_of_tokens", "share_of_nats", "nats_per_token", "nats_low", "nats_high",
       "perplexity", "bits_per_byte"});
  if (of_documents) {
    add({"words", "word_perplexity", "word_perplexity_low", "word_perplexity_high"});
  }
  return columns;
}

}  // namespace

nlohmann::json slices_json(const SliceReport& report) {
  nlohmann::json json{{"by", report.slicing.by}};
  if (report.runs.size() == 1) {
    json.update(run_json(report, report.runs.front()));
    return json;
  }
  json["runs"] = nlohmann::json::array();
  for (const SlicedRun& run : report.runs) {
    json["runs"].push_back(run_json(report, run));
    json["runs"].back()["name"] = run.name;
  }
  return json;
}

std::string slices_csv(const SliceReport& report) {
  std::vector<nlohmann::json> rows;
  for (const SlicedRun& run : report.runs) {
    nlohmann::json json = run_json(report, run);
    json["slices"].push_back(json["whole"]);
    json["slices"].back()["slice"] = "all";
    for (nlohmann::json& slice : json["slices"]) {
      slice["run"] = run.name;
      rows.push_back(std::move(slice));
    }
  }
  return csv_of_objects(csv_columns(report), rows);
}

DotPlot slices_plot(const SliceReport& report) {
  const size_t slices = report.slicing.slices.size();
  const size_t drawn = std::min(slices, kPlottedSlices);
  DotPlot plot;
  plot.title = "Loss by " + report.slicing.by;
  plot.subtitle =
      (report.split == "text" ? report.split : report.split + " split") + ": " +
      grouped(report.runs.front().scores.whole.tokens) + " tokens" +
      (report.slicing.measured.empty() ? "" : ", sliced by " + report.slicing.measured) +
      "; 95% intervals";
  if (drawn < slices) plot.title += ", the first " + grouped(static_cast<int64_t>(drawn));
  plot.x_label = "nats per token";
  for (size_t s = 0; s < drawn; ++s) plot.rows.push_back(report.slicing.slices[s].name);
  for (const SlicedRun& run : report.runs) {
    plot.series.push_back({run.name, {}});
    for (size_t s = 0; s < drawn; ++s) {
      const SliceScore& score = run.scores.slices[s];
      Dot dot;
      const auto nats = score.nats_per_token();
      if (nats) dot.value = *nats;
      dot.lost = !nats && score.tokens > 0;
      if (score.interval) {
        dot.low = score.interval->low;
        dot.high = score.interval->high;
      }
      plot.series.back().dots.push_back(dot);
    }
  }
  return plot;
}

std::vector<std::filesystem::path> write_slice_report(const SliceReport& report,
                                                      const FilePlace& place) {
  const auto file = [&](const char* extension) {
    return place.file("_slices_" + report.slicing.by + extension);
  };
  write_file_atomically(file(".json"), json_text(slices_json(report), 2) + "\n");
  write_file_atomically(file(".csv"), slices_csv(report));
  write_file_atomically(file(".svg"), svg_dot_plot(slices_plot(report)));
  return {file(".json"), file(".csv"), file(".svg")};
}

}  // namespace lc
