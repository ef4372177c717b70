// Runs side by side on the slices of one text: JSON, CSV, files. Tables: slice_table.h.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "eval/slices/slice_scores.h"
#include "report/file_place.h"
#include "report/svg/dot_plot.h"

namespace lc {

struct SlicedRun {
  std::string name;
  nlohmann::json protocol;  // of the evaluation, completed by the source
  SlicedScores scores;
};

struct SliceReport {
  TokenFile tokens;
  Slicing slicing;
  std::string split;            // "test", or "text"
  std::vector<SlicedRun> runs;  // all scored the targets that were sliced
};

// One run: {by, slices: [...], whole, protocol}; several: {by, runs: [{name, slices, ...}]}. A
// slice: {slice, tokens, share_of_tokens, share_of_nats, nats_per_token, nats_low, nats_high,
// perplexity, bits_per_byte}, of buckets also {from, to}, of documents also {document, words,
// word_perplexity, word_perplexity_low, word_perplexity_high} and what the corpus knows of it, such
// as {id, title, year}. whole: the same of
// all scored tokens. A number that is not defined is null. protocol.slices: {by, measured,
// interval_blocks, whole_interval_blocks} and what else the caller put there.
nlohmann::json slices_json(const SliceReport& report);

// run, then the keys of a slice; the last row of a run is its whole, named "all".
std::string slices_csv(const SliceReport& report);

// Nats per token by slice; of more than kPlottedSlices slices the first so many.
inline constexpr size_t kPlottedSlices = 200;
DotPlot slices_plot(const SliceReport& report);

// BEGIN_slices_BY.json, .csv and .svg; the folder is made if absent. Returns the files written.
std::vector<std::filesystem::path> write_slice_report(const SliceReport& report,
                                                      const FilePlace& place);

}  // namespace lc
