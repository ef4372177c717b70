#include "lceval/slices.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "common/value_checks.h"
#include "config/json_text.h"
#include "core/error.h"
#include "eval/comparison/compare.h"
#include "eval/number_list.h"
#include "lceval/each_run.h"
#include "lceval/output.h"
#include "lceval/runs.h"
#include "report/slice_report.h"
#include "report/slice_table.h"

namespace lc {
namespace {

// As typed.
struct SliceFlags {
  std::string by;
  std::string within;  // empty: as memory flows
  std::string bounds;
};

void add_slice_flags(CLI::App& own, SliceFlags& flags) {
  own.add_option("--by", flags.by,
                 "frequency (of the word in train), subword (first or other token of a word), "
                 "recurrence (distance to the last occurrence), position (in the document), "
                 "document")
      ->required()
      ->check(CLI::IsMember({"frequency", "subword", "recurrence", "position", "document"}));
  own.add_option("--within", flags.within,
                 "Where recurrence looks back: document, or stream, the whole text (as the run's "
                 "memory does)")
      ->check(CLI::IsMember({"document", "stream"}));
  own.add_option("--bounds", flags.bounds,
                 "Lowest values of the buckets of frequency, recurrence and position: 0,100,1000")
      ->check(not_empty_list())
      ->type_name("LIST");
}

void check_slice_flags(const SliceFlags& flags) {
  if (!flags.within.empty() && flags.by != "recurrence") {
    throw Error(ErrorKind::kUsage, "--within", "says nothing to slices by " + flags.by,
                "leave it out, or slice --by recurrence");
  }
  if (!flags.bounds.empty() && (flags.by == "subword" || flags.by == "document")) {
    throw Error(ErrorKind::kUsage, "--bounds", "says nothing to slices by " + flags.by,
                "leave it out: these slices are no buckets of numbers");
  }
}

// Words are looked up in the train split of the first.
std::vector<EvaluatedRun> evaluate_alike(const SliceFlags& own, const OptionTable& table,
                                         const EvalFlags& flags) {
  bool looked_up = own.by == "frequency";
  return for_each_run<EvaluatedRun>(
      asked_runs(flags.checkpoints, table, flags), UselessRun::kLeftOut,
      [&](const NamedRun& run) {
        EvaluatedRun evaluated =
            evaluate_named(run, table, flags, looked_up ? TrainText::kAlways : TrainText::kUnread);
        looked_up = false;
        return evaluated;
      },
      [](const EvaluatedRun& first, const EvaluatedRun& run) {
        require_same_tokens({first.result.name, first.tokens}, {run.result.name, run.tokens});
        require_same_targets({first.result.name, first.result.evaluation.scores.targets},
                             {run.result.name, run.result.evaluation.scores.targets});
      });
}

// The slices of a text, and what they depend on beside it, for the protocol.
struct ChosenSlices {
  Slicing slicing;
  nlohmann::json choice;
};

ChosenSlices choose_slices(const SliceFlags& own, const EvaluatedRun& first) {
  const ReadableText text{first.tokens, *first.tokenizer};
  const SlicedText sliced{text, first.result.evaluation.scores.targets};
  nlohmann::json choice{{"by", own.by}};
  Bounds bounds;
  if (!own.bounds.empty()) {
    bounds = parse_whole_numbers(own.bounds, "--bounds", "lowest value of a bucket");
    choice["bounds"] = *bounds;
  }
  if (own.by == "frequency") {
    choice["train_of"] = first.result.name;
    return {slice_by_frequency(sliced, *first.train, bounds), choice};
  }
  if (own.by == "subword") return {slice_by_subword(sliced), choice};
  if (own.by == "position") return {slice_by_position(sliced, bounds), choice};
  if (own.by == "document") {
    choice["words"] = "counted here";
    return {slice_by_document(sliced), choice};
  }
  const bool stream = own.within.empty()
                          ? first.result.evaluation.protocol.at("boundaries") == "stream"
                          : own.within == "stream";
  choice["within"] = stream ? "stream" : "document";
  return {slice_by_recurrence(sliced, stream ? Boundaries::kStream : Boundaries::kReset, bounds),
          choice};
}

WriteFiles slice_files(const SliceReport& report) {
  return [report](const FilePlace& place) { return write_slice_report(report, place); };
}

void print_slices(const SliceReport& report, const std::vector<EvaluatedRun>& runs,
                  const EvalFlags& flags) {
  if (flags.json) return print_result(json_text(slices_json(report), -1) + "\n");
  print_result(slices_table(report) + "\n");
  for (const EvaluatedRun& run : runs) print_protocol(run.result);
}

void slice_runs(const SliceFlags& own, const OptionTable& table, const EvalFlags& flags) {
  check_slice_flags(own);
  std::vector<EvaluatedRun> runs = evaluate_alike(own, table, flags);
  const EvaluatedRun& first = runs.front();
  auto [slicing, choice] = choose_slices(own, first);
  SliceReport report{first.tokens, std::move(slicing), first.files.split, {}};
  for (EvaluatedRun& run : runs) {
    run.result.source["slices"] = choice;
    report.runs.push_back({run.result.name, result_json(run.result).at("protocol"),
                           score_slices(run.tokens, report.slicing, run.result.evaluation.scores)});
  }
  print_slices(report, runs, flags);
  if (!flags.csv.empty()) write_result_file(flags.csv, slices_csv(report));
  if (!flags.plot.empty()) write_result_file(flags.plot, svg_dot_plot(slices_plot(report)));
  if (!flags.out.empty()) return write_files(slice_files(report), {flags.out, first.files.split});
  for (size_t i = 0; i < runs.size(); ++i) {
    SliceReport of_run = report;
    of_run.runs = {report.runs[i]};
    write_own_files(slice_files(of_run), runs[i].files);
  }
}

}  // namespace

EvalVerb slices_verb() {
  const auto own_flags = std::make_shared<SliceFlags>();
  EvalVerb verb;
  verb.name = "slices";
  verb.says = "Loss by word frequency, place in the word, recurrence, position or document";
  verb.takes = {"--checkpoint", "--split", "--data", "--tokens",  "--segment",
                "--stride",     "--lanes", "--set",  kModelGroup, kMachineGroup,
                "--json",       "--csv",   "--plot", "--out"};
  verb.reason = "cuts one evaluation of a split into slices";
  verb.add_flags = [own_flags](CLI::App& own) { add_slice_flags(own, *own_flags); };
  verb.run = [own_flags](const OptionTable& table, const EvalFlags& flags) {
    slice_runs(*own_flags, table, flags);
  };
  return verb;
}

}  // namespace lc
