#include "lceval_passkey.h"

#include <filesystem>

#include "common/load_run.h"
#include "core/error.h"
#include "core/file_io.h"
#include "core/log.h"
#include "eval/passkey_report.h"
#include "eval/report_files.h"
#include "eval/table_results.h"
#include "lceval_output.h"

namespace lc {
namespace {

namespace fs = std::filesystem;

void write_reports(const PasskeyGrid& grid, const std::string& name, const fs::path& folder) {
  for (const fs::path& file : write_passkey_report(grid, name, folder)) {
    log_info("wrote " + file.string());
  }
}

void write_files(const PasskeyGrid& grid, const std::string& name, const EvalFlags& flags,
                 const fs::path& own_folder) {
  if (!flags.csv.empty()) write_file_atomically(flags.csv, passkey_csv(grid));
  if (!flags.plot.empty()) {
    write_file_atomically(flags.plot, svg_heat_map(passkey_heat_map(grid, name)));
  }
  if (!flags.out.empty()) return write_reports(grid, name, flags.out);
  try {
    write_reports(grid, name, own_folder);
  } catch (const Error& error) {  // the run's folder may be read-only
    log_warning(error.what());
  }
}

}  // namespace

void score_passkey(const NamedRun& run, const OptionTable& table, const EvalFlags& flags) {
  if (run.one_of_several) {
    throw Error(ErrorKind::kUsage, "passkey", "takes one run, and the folder holds several",
                "name one of them with --checkpoint");
  }
  const ReadyModel ready =
      make_ready(load_model(table, {run.path, flags.machine}), run, table, flags);
  const int64_t segment =
      flags.request.segment.value_or(ready.config.get<int64_t>("train.segment_length"));
  PasskeyGrid grid =
      passkey_grid({*ready.model, *ready.loaded.tokenizer, segment}, flags.passkey_request);
  grid.protocol.update(model_protocol(ready.config));
  grid.protocol.update(ready.source);
  if (flags.json) {
    print_result(json_text(grid.to_json(), -1) + "\n");
  } else {
    print_result(passkey_table(grid) + "\nprotocol of " + run.name + ": " +
                 protocol_line(grid.protocol) + "\n");
  }
  write_files(grid, run.name, flags, ready.loaded.folder.evaluations());
}

}  // namespace lc
