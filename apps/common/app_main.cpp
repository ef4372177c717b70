#include "common/app_main.h"

#include <ATen/Context.h>
#include <c10/util/Exception.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <map>
#include <new>
#include <sstream>
#include <stdexcept>

#include "common/output.h"
#include "core/error.h"
#include "core/log.h"
#include "core/shell_word.h"
#include "core/version.h"

namespace lc {
namespace {

// --help or --version has been answered.
struct Answered {};

int fail(const std::string& program, ErrorKind kind, std::string message) {
  while (!message.empty() && message.back() == '\n') message.pop_back();
  std::fprintf(stderr, "%s: %s\n", program.c_str(), message.c_str());
  return static_cast<int>(kind);
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// "CPU", or "CUDA 13.0": the version that LibTorch was built with, from the library itself.
std::string build_of_libtorch(const VersionInfo& info) {
  if (!at::Context::hasCUDART()) return info.libtorch_build;
  const long version = at::Context::versionCUDART();  // 1000 * major + 10 * minor
  return "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace

int run_app(int argc, char** argv, const std::function<int(int argc, char** argv)>& body) {
  const std::string program =
      argc > 0 ? std::filesystem::path(argv[0]).filename().string() : "lctrain";
  const auto out_of_memory = [&](const std::string& what) {
    return fail(program, ErrorKind::kMemory,
                "out of memory: " + what + "; " +
                    (program == "lctrain"
                         ? "lower train.lanes, raise train.accumulation, or take shorter segments"
                         : "take fewer lanes, or shorter segments, memories and texts"));
  };
  try {
    return body(argc, argv);
  } catch (const Answered&) {
    return 0;
  } catch (const Error& error) {
    return fail(program, error.kind(), error.what());
  } catch (const std::bad_alloc& error) {
    return out_of_memory(error.what());
  } catch (const std::length_error& error) {  // more than any memory holds
    return out_of_memory(error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    const Error told(ErrorKind::kData, error.path1().string(),
                     "can't be looked at: " + error.code().message(),
                     "check the path and its permissions");
    return fail(program, told.kind(), told.what());
  } catch (const c10::OutOfMemoryError& error) {
    return out_of_memory(first_line(error.what_without_backtrace()));
  } catch (const c10::Error& error) {
    const std::string what = first_line(error.what_without_backtrace());
    // LibTorch's allocator on the CPU has no exception of its own.
    if (what.find("can't allocate memory") != std::string::npos) return out_of_memory(what);
    return fail(program, ErrorKind::kRuntime, what);
  } catch (const std::exception& error) {
    return fail(program, ErrorKind::kRuntime, first_line(error.what()));
  }
}

std::string version_text() {
  const VersionInfo info = version_info();
  return std::string("lctrain ") + info.version + " (commit " + info.commit + ", " +
         info.build_type + " build, " + info.compiler + ")\nLibTorch " + info.libtorch + " (" +
         build_of_libtorch(info) + " build), CUDA device " + (at::hasCUDA() ? "yes" : "no");
}

std::string command_line(int argc, char** argv) {
  if (argc == 0) return "";
  std::string line = std::filesystem::path(argv[0]).filename().string();
  for (int i = 1; i < argc; ++i) line += " " + shell_word(argv[i]);
  return line;
}

void add_common_flags(CLI::App& app) {
  static const std::map<std::string, LogLevel> kLevels = {{"debug", LogLevel::kDebug},
                                                          {"info", LogLevel::kInfo},
                                                          {"warning", LogLevel::kWarning},
                                                          {"error", LogLevel::kError},
                                                          {"off", LogLevel::kOff}};
  const std::string usual = app.option_defaults()->get_group();
  app.option_defaults()->group(kMessageGroup);
  app.set_version_flag(
      "--version", [] { return version_text(); },
      "Print versions of this program and of LibTorch, and whether CUDA is there");
  app.add_flag_callback(
      "--quiet",
      [] {
        set_log_level(LogLevel::kWarning);
        Progress::disable();
      },
      "Print warnings and errors only");
  app.add_flag_callback(
      "--no-progress", [] { Progress::disable(); }, "Draw no progress bar");
  app.add_option_function<std::string>(
         "--log-level", [](const std::string& level) { set_log_level(kLevels.at(level)); },
         "debug, info, warning, error or off")
      ->check(CLI::IsMember({"debug", "info", "warning", "error", "off"}));
  app.option_defaults()->group(usual);
}

void parse_flags(CLI::App& app, int argc, char** argv, const TakesFlag& takes) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& answered) {
    std::ostringstream answer;
    app.exit(answered, answer, answer);
    print_result(answer.str());
    throw Answered{};
  } catch (const CLI::ValidationError& error) {  // says what may be given
    throw Error(ErrorKind::kUsage, "", error.what(), "");
  } catch (const CLI::ParseError& error) {
    refuse_unknown_argument(app, takes);
    throw Error(ErrorKind::kUsage, "", error.what(), "see " + called_command(app) + " --help");
  }
}

}  // namespace lc
