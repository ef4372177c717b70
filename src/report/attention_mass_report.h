// Attention masses as people and programs read them.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "eval/attention_mass.h"
#include "report/file_place.h"
#include "report/svg/bars.h"

namespace lc {

struct AttentionResult {
  std::string name;  // of the run, as it is shown
  AttentionMass mass;
  nlohmann::json protocol = nlohmann::json::object();
};

// One row a bucket, means over layers; then one row a layer with the mass of each kind of keys.
std::string attention_table(const AttentionResult& result);

// One result: the object of its masses with "protocol". Several: {"runs": [{"name", ...}]}.
nlohmann::json attention_json(const std::vector<AttentionResult>& results);

// run, layer (empty: the mean over layers), kind, bucket, first, last, mass, keys.
std::string attention_csv(const std::vector<AttentionResult>& results);

// Of each result the mean over layers, then every layer on one scale, in percent.
BarChart attention_chart(const std::vector<AttentionResult>& results);

// BEGIN_attention.json, .csv and .svg; the folder is made if absent. Returns the files written.
std::vector<std::filesystem::path> write_attention_report(
    const std::vector<AttentionResult>& results, const FilePlace& place);

}  // namespace lc
