#include "eval/passkey/grid.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/log.h"
#include "core/number_text.h"

namespace lc {
namespace {

PasskeyScores scores_of(const std::vector<PasskeyOutcome>& outcomes) {
  PasskeyOutcome sum;
  int64_t exact = 0;
  int64_t integers = 0;
  for (const PasskeyOutcome& outcome : outcomes) {
    sum.digits += outcome.digits;
    sum.digits_right += outcome.digits_right;
    exact += outcome.exact ? 1 : 0;
    integers += outcome.first_integer ? 1 : 0;
  }
  const auto samples = static_cast<double>(outcomes.size());
  return {static_cast<double>(sum.digits_right) / static_cast<double>(sum.digits),
          static_cast<double>(exact) / samples, static_cast<double>(integers) / samples};
}

std::vector<PasskeyTask> tasks_of(const PasskeyReader& reader, const PasskeyRequest& request,
                                  PasskeyPlace place) {
  std::vector<PasskeyTask> tasks;
  for (int64_t index = 0; index < request.samples; ++index) {
    const SampleNumber number{request.seed, static_cast<uint64_t>(index)};
    tasks.push_back(passkey_task(reader.tokenizer, passkey_prompt(request.format, place, number)));
  }
  return tasks;
}

PasskeyCell measure_cell(const PasskeyReader& reader, const PasskeyRequest& request,
                         PasskeyPlace place) {
  const std::vector<PasskeyTask> tasks = tasks_of(reader, request, place);
  PasskeyCell cell{place.length, place.depth, request.samples};
  for (const PasskeyTask& task : tasks) {
    cell.tokens += static_cast<double>(task.prompt.size());
    cell.compressions += static_cast<double>(task.compressions(reader.segment_length));
  }
  cell.tokens /= static_cast<double>(request.samples);
  cell.compressions /= static_cast<double>(request.samples);
  cell.carried = scores_of(passkey_answers(reader, tasks, PasskeyMemory::kCarried));
  if (reader.model.has_memory()) {
    cell.zeroed = scores_of(passkey_answers(reader, tasks, PasskeyMemory::kZeroed));
  }
  return cell;
}

nlohmann::json scores_json(const PasskeyScores& scores) {
  return {{"digit_accuracy", scores.digit_accuracy},
          {"exact", scores.exact},
          {"first_integer", scores.first_integer}};
}

}  // namespace

void check_passkey(const PasskeyRequest& request) {
  LC_CHECK(request.samples > 0 && !request.lengths.empty() && !request.depths.empty());
  const int64_t least = shortest_prompt(request.format);
  for (const int64_t length : request.lengths) {
    if (length >= least) continue;
    throw Error(ErrorKind::kUsage, "--lengths",
                std::to_string(length) + " bytes are too short for a prompt of format " +
                    name_of(request.format),
                "give at least " + std::to_string(least));
  }
  for (const double depth : request.depths) {
    if (depth >= 0 && depth <= 1) continue;
    throw Error(ErrorKind::kUsage, "--depths",
                shortest(depth) + " is no share of the text before the needle",
                "give numbers from 0 (its start) to 1 (its end)");
  }
}

PasskeyGrid passkey_grid(const PasskeyReader& reader, const PasskeyRequest& request) {
  check_passkey(request);
  PasskeyGrid grid{request, passkey_chance(request.format), {}};
  const auto cells = static_cast<int64_t>(request.lengths.size() * request.depths.size());
  Progress progress("passkey", cells * request.samples, "prompts");
  for (const int64_t length : request.lengths) {
    for (const double depth : request.depths) {
      grid.cells.push_back(measure_cell(reader, request, {length, depth}));
      progress.update(static_cast<int64_t>(grid.cells.size()) * request.samples);
    }
  }
  grid.protocol = {{"format", name_of(request.format)},
                   {"samples", request.samples},
                   {"seed", request.seed},
                   {"segment", reader.segment_length}};
  return grid;
}

const PasskeyCell& PasskeyGrid::cell(size_t length, size_t depth) const {
  return cells.at(length * request.depths.size() + depth);
}

nlohmann::json PasskeyGrid::to_json() const {
  nlohmann::json list = nlohmann::json::array();
  for (const PasskeyCell& cell : cells) {
    nlohmann::json row = scores_json(cell.carried);
    row["length"] = cell.length;
    row["depth"] = cell.depth;
    row["samples"] = cell.samples;
    row["tokens"] = cell.tokens;
    row["compressions"] = cell.compressions;
    row["memory_zeroed"] = cell.zeroed ? scores_json(*cell.zeroed) : nlohmann::json();
    list.push_back(std::move(row));
  }
  return {{"format", name_of(request.format)},
          {"chance", {{"digit", chance.digit}, {"exact", chance.exact}}},
          {"cells", std::move(list)},
          {"protocol", protocol}};
}

}  // namespace lc
