#include "train/run_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <numbers>
#include <sstream>
#include <utility>

#include "core/error.h"
#include "core/file_io.h"
#include "core/log.h"

namespace lc {
namespace {

std::string formatted(const char* format, double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

std::string loss_text(LossUnit unit, double nats) {
  return "loss " + formatted("%.4f", nats) +
         (unit == LossUnit::kPerplexity ? " | ppl " + formatted("%.2f", std::exp(nats))
                                        : " | bpc " + formatted("%.4f", nats / std::numbers::ln2));
}

std::string rate_text(double tokens_per_second) {
  return tokens_per_second < 10000 ? formatted("%.0f", tokens_per_second)
                                   : formatted("%.1fk", tokens_per_second / 1000);
}

double quotient(double part, double whole) { return whole > 0 ? part / whole : 0; }

// Whether a line is still true once the run is back at that state.
bool stays(const nlohmann::json& line, const TrainingState& state) {
  const int64_t last = line.contains("split") ? state.evaluated_step : state.step;
  return line.value("step", int64_t{0}) <= last;
}

}  // namespace

LossUnit loss_unit(const TokenFile& tokens) {
  const auto& bytes_V = tokens.token_sizes().bytes_V;
  const bool single = !bytes_V.empty() && std::all_of(bytes_V.begin(), bytes_V.end(),
                                                      [](int64_t bytes) { return bytes == 1; });
  return single ? LossUnit::kBitsPerCharacter : LossUnit::kPerplexity;
}

RunLog::RunLog(std::filesystem::path metrics_file, LossUnit unit)
    : metrics_file_(std::move(metrics_file)), unit_(unit) {}

void RunLog::append(const nlohmann::json& line) {
  const std::string text = line.dump() + "\n";
  const int file = ::open(metrics_file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  const bool written =
      file >= 0 && ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int fault = errno;
  if (file >= 0) ::close(file);
  if (!written) {
    throw Error(ErrorKind::kRuntime, metrics_file_.string(),
                std::string("a line can't be written: ") + std::strerror(fault),
                "make room or give write access, then run the same command again to resume");
  }
}

void RunLog::training(const TrainingState& state, const LineDetails& details) {
  const LogWindow& window = state.window;
  const double nats = quotient(window.nats, window.weight);
  const double speed = quotient(static_cast<double>(window.tokens), window.seconds);
  nlohmann::json object{{"step", state.step},
                        {"segments", state.segments},
                        {"tokens", state.tokens},
                        {"seconds", state.seconds},
                        {"loss_nats_per_token", nats},
                        {"lr", details.learning_rate},
                        {"grad_norm", details.grad_norm},
                        {"tokens_per_second", speed}};
  for (const AuxiliarySum& one : window.auxiliary) {
    const std::string key = "aux/" + one.name + "/" + std::to_string(one.layer);
    object[key] = quotient(one.sum, static_cast<double>(one.count));
    object[key + "/count"] = one.count;
  }
  append(object);
  std::string line = "step " + std::to_string(state.step);
  if (details.steps_planned) line.append("/").append(std::to_string(*details.steps_planned));
  line.append(" | ").append(loss_text(unit_, nats));
  line.append(" | lr ").append(formatted("%.3g", details.learning_rate));
  line.append(" | grad norm ").append(formatted("%.3g", details.grad_norm));
  line.append(" | ").append(rate_text(speed)).append(" tokens/s");
  if (details.seconds_left) line.append(" | ETA ").append(format_duration(*details.seconds_left));
  log_info(line);
}

void RunLog::evaluation(int64_t step, const std::string& split, const Evaluation& evaluation) {
  const Measures& measures = evaluation.measures;
  nlohmann::json object{{"step", step},
                        {"split", split},
                        {"nats_per_token", optional_number(measures.nats_per_token)},
                        {"bits_per_byte", optional_number(measures.bits_per_byte)},
                        {"perplexity", optional_number(measures.perplexity)}};
  if (!evaluation.measured.is_null()) object["measured"] = evaluation.measured;
  if (evaluation.without_memory) {
    object["nats_per_token_without_memory"] =
        optional_number(evaluation.without_memory->nats_per_token);
  }
  append(object);
  std::string line = "step " + std::to_string(step) + " | " + split + " ";
  line += measures.nats_per_token ? loss_text(unit_, *measures.nats_per_token) : "loss not finite";
  if (measures.bits_per_byte && unit_ == LossUnit::kPerplexity) {
    line += " | bits per byte " + formatted("%.4f", *measures.bits_per_byte);
  }
  log_info(line + " | " + std::to_string(measures.tokens_scored) + " tokens");
}

void RunLog::rewind(const std::filesystem::path& metrics_file, const TrainingState& state) {
  if (!std::filesystem::exists(metrics_file)) return;
  const std::string before = read_file(metrics_file);
  std::istringstream lines(before);
  std::string after;
  for (std::string line; std::getline(lines, line);) {
    const auto parsed = nlohmann::json::parse(line, nullptr, false);
    if (parsed.is_object() && stays(parsed, state)) after += line + "\n";
  }
  if (after != before) write_file_atomically(metrics_file, after);
}

std::string format_duration(double seconds) {
  const auto total = static_cast<int64_t>(std::llround(std::max(seconds, 0.0)));
  const auto two = [](int64_t large, char large_unit, int64_t small, char small_unit) {
    std::string text = std::to_string(large) + large_unit;
    return text + (small < 10 ? "0" : "") + std::to_string(small) + small_unit;
  };
  if (total < 60) return std::to_string(total) + "s";
  if (total < 3600) return two(total / 60, 'm', total % 60, 's');
  if (total < 86400) return two(total / 3600, 'h', total % 3600 / 60, 'm');
  return two(total / 86400, 'd', total % 86400 / 3600, 'h');
}

}  // namespace lc
