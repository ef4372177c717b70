#include "data/parallel_encoder.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>

#include "core/error.h"

namespace lc {
namespace {

constexpr int kMostThreads = 16;
constexpr size_t kPartsPerThread = 2;  // that wait before they are encoded

TextPlace behind(const TextPlace& place, std::string_view text) {
  return {.bytes = place.bytes + static_cast<int64_t>(text.size()),
          .lines = place.lines + std::count(text.begin(), text.end(), '\n')};
}

}  // namespace

// A stretch of one document. It is encoded as text comes, and closed by a cut or the document's
// end.
struct ParallelEncoder::Part {
  enum class State { kOpen, kCut, kEnded };

  std::string source;  // of the document, for messages; empty: not known
  std::string name;
  std::string text;  // not encoded yet
  TextPlace place;   // where that begins
  State state = State::kOpen;
  std::unique_ptr<DocumentEncoder> encoder;  // from the first text on
  TextCounter counter;
  TextCounts counts;  // once closed
  std::vector<int64_t> ids;
  std::exception_ptr fault;

  void encode(const Tokenizer& tokenizer) {
    try {
      if (encoder == nullptr) {
        encoder = tokenizer.encoder();
        encoder->begin_at(name, place);
      }
      encoder->add(text, ids);
      counter.add(text);
      place = behind(place, text);
      text.clear();
      if (state == State::kOpen) return;
      const bool cut = state == State::kCut;
      encoder->end(cut ? DocumentEnd::kNone : DocumentEnd::kSeparator, ids);
      counts = counter.end(cut ? TextEnd::kGoesOn : TextEnd::kWhole);
    } catch (const Error& error) {
      fault = std::make_exception_ptr(Error(error.kind(), source, error.what(), ""));
    } catch (...) {
      fault = std::current_exception();
    }
  }
};

EncodingShape all_cores() {
  cpu_set_t allowed;
  const bool known = sched_getaffinity(0, sizeof(allowed), &allowed) == 0;
  const int cores =
      known ? CPU_COUNT(&allowed) : static_cast<int>(std::thread::hardware_concurrency());
  return {.threads = std::clamp(cores, 1, kMostThreads)};
}

ParallelEncoder::ParallelEncoder(const Tokenizer& tokenizer, const EncodingShape& shape,
                                 EncodedSink& sink)
    : tokenizer_(tokenizer), shape_(shape), sink_(sink), report_(tokenizer.encoder()->report()) {
  LC_CHECK(shape.threads >= 1 && shape.part_bytes >= 1);
}

ParallelEncoder::~ParallelEncoder() = default;

void ParallelEncoder::begin_document(const std::string& name) {
  parts_.emplace_back();
  parts_.back().source = source_;
  parts_.back().name = name;
}

void ParallelEncoder::text(std::string_view piece) {
  const size_t enough = static_cast<size_t>(shape_.threads) * kPartsPerThread * shape_.part_bytes;
  while (!piece.empty()) {
    const std::string_view taken = piece.substr(0, shape_.part_bytes);
    piece.remove_prefix(taken.size());
    parts_.back().text += taken;
    waiting_bytes_ += taken.size();
    if (parts_.back().text.size() >= shape_.part_bytes) cut_last_part();
    if (waiting_bytes_ >= enough) run();
  }
}

// At the last place that is allowed and leaves some text: whether a line is unfinished must be seen
// where the document ends.
void ParallelEncoder::cut_last_part() {
  Part& part = parts_.back();
  const SafeCuts cuts = tokenizer_.safe_cuts();
  if (cuts == SafeCuts::kNowhere || part.text.size() < 2) return;
  const char* places = cuts == SafeCuts::kSpaces ? " \n" : "\n";
  const size_t last = part.text.find_last_of(places, part.text.size() - 2);
  if (last == std::string::npos) return;
  Part rest;
  rest.source = part.source;
  rest.name = part.name;
  rest.text = part.text.substr(last + 1);
  part.text.resize(last + 1);
  part.state = Part::State::kCut;
  rest.place = behind(part.place, part.text);
  parts_.push_back(std::move(rest));
}

void ParallelEncoder::end_document() { parts_.back().state = Part::State::kEnded; }

void ParallelEncoder::finish() {
  run();
  LC_CHECK(parts_.empty());
}

void ParallelEncoder::run() {
  std::vector<Part*> work;
  for (Part& part : parts_) work.push_back(&part);
  std::atomic<size_t> next{0};
  const auto encode = [&] {
    for (size_t i = 0; (i = next.fetch_add(1)) < work.size();) work[i]->encode(tokenizer_);
  };
  {
    std::vector<std::jthread> threads;
    const size_t count = std::min(static_cast<size_t>(shape_.threads), work.size());
    for (size_t i = 1; i < count; ++i) threads.emplace_back(encode);
    encode();
  }
  waiting_bytes_ = 0;
  while (!parts_.empty()) {
    Part& part = parts_.front();
    hand_on(part);
    if (part.state == Part::State::kOpen) break;
    parts_.pop_front();
  }
}

void ParallelEncoder::hand_on(Part& part) {
  if (part.fault) std::rethrow_exception(part.fault);
  if (!part.ids.empty()) sink_.ids(part.ids);
  part.ids.clear();
  if (part.state == Part::State::kOpen) return;
  document_counts_ += part.counts;
  report_.add(part.encoder->report());
  if (part.state == Part::State::kCut) return;
  sink_.document(part.name, document_counts_);
  document_counts_ = {};
}

}  // namespace lc
