#include "data/corpora/split_plan.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/log.h"
#include "data/corpora/document_splitter.h"
#include "data/tokenizers/tokenizer.h"

namespace lc {
namespace {

constexpr int64_t kLineSearch = int64_t{1} << 20;

// A text that comes without splits, as one stretch of bytes: files one after the other.
class Pool {
 public:
  Pool(std::vector<MeasuredInput> files, const CorpusRequest& request)
      : files_(std::move(files)), request_(request) {
    for (const MeasuredInput& file : files_) {
      begins_.push_back(total_);
      total_ += file.digest.bytes;
    }
  }
  int64_t total() const { return total_; }

  std::vector<InputPart> between(int64_t first, int64_t past) const {
    std::vector<InputPart> parts;
    for (size_t i = 0; i < files_.size(); ++i) {
      const int64_t length = files_[i].digest.bytes;
      const int64_t begin = std::max(first - begins_[i], int64_t{0});
      const int64_t end = std::min(past - begins_[i], length);
      if (begin < end) parts.push_back({files_[i].file, begin, end - begin});
    }
    return parts;
  }

  // Where documents begin.
  std::vector<int64_t> document_starts() const;
  // At or behind a byte: the next line's beginning, or where one is far, the next character's.
  int64_t next_line(int64_t at) const { return after(at, true); }
  int64_t next_character(int64_t at) const { return after(at, false); }

 private:
  int64_t after(int64_t at, bool line) const;

  std::vector<MeasuredInput> files_;
  const CorpusRequest& request_;
  std::vector<int64_t> begins_;
  int64_t total_ = 0;
};

TextRules lenient(const CorpusRequest& request) {
  return {.newlines_to_lf = request.rules.newlines_to_lf, .any_bytes = true, .utf8 = false};
}

class StartCollector : public DocumentSink {
 public:
  void begin_document(const std::string&) override { starts.push_back(byte); }
  void text(std::string_view piece) override { byte += static_cast<int64_t>(piece.size()); }
  void end_document() override {}
  std::vector<int64_t> starts;
  int64_t byte = 0;
};

std::vector<int64_t> Pool::document_starts() const {
  if (request_.kind.documents == DocumentRule::kFile) return begins_;
  StartCollector collector;
  TextFindings findings;
  CorpusRequest request = request_;
  request.rules = lenient(request_);
  read_split(between(0, total_), request, findings, collector);
  return collector.starts;
}

int64_t Pool::after(int64_t at, bool line) const {
  std::string text;
  TextFindings findings;
  const int64_t past = std::min(total_, at + kLineSearch);
  for (const InputPart& part : between(at, past)) {
    read_part(part, lenient(request_), findings, [&](std::string_view piece) { text += piece; });
  }
  const size_t newline = text.find('\n');
  if (line && newline != std::string::npos) return at + static_cast<int64_t>(newline) + 1;
  size_t skip = 0;
  while (skip < text.size() && (static_cast<unsigned char>(text[skip]) & 0xC0) == 0x80) ++skip;
  return at + static_cast<int64_t>(skip);
}

// The start nearest to a byte, among starts[lowest .. highest].
size_t nearest(const std::vector<int64_t>& starts, int64_t at, size_t lowest, size_t highest) {
  size_t best = lowest;
  for (size_t i = lowest; i <= highest; ++i) {
    if (std::abs(starts[i] - at) < std::abs(starts[best] - at)) best = i;
  }
  return best;
}

// Where valid and test begin.
struct Cuts {
  int64_t valid;
  int64_t test;
};

Cuts cut_at_documents(const Pool& pool, const std::vector<int64_t>& starts, Cuts wanted) {
  const bool has_valid = wanted.test > wanted.valid;
  const bool has_test = pool.total() > wanted.test;
  const size_t count = starts.size();
  const size_t test = has_test ? nearest(starts, wanted.test, has_valid ? 2 : 1, count - 1) : count;
  const int64_t test_at = has_test ? starts[test] : pool.total();
  if (!has_valid) return {test_at, test_at};
  return {starts[nearest(starts, wanted.valid, 1, test - 1)], test_at};
}

Cuts cut(const Pool& pool, const CorpusRequest& request) {
  const auto part = [&](double fraction) {
    return std::llround(fraction * static_cast<double>(pool.total()));
  };
  const int64_t test = pool.total() - part(request.test_fraction);
  const Cuts wanted{test - part(request.valid_fraction), test};
  if (request.kind.cut == CutRule::kByte && !request.rules.utf8) return wanted;
  if (request.kind.cut == CutRule::kByte) {
    return {pool.next_character(wanted.valid), pool.next_character(wanted.test)};
  }
  const std::vector<int64_t> starts = pool.document_starts();
  const size_t splits =
      1U + (request.valid_fraction > 0 ? 1U : 0U) + (request.test_fraction > 0 ? 1U : 0U);
  if (starts.size() >= splits) return cut_at_documents(pool, starts, wanted);
  log_info("the text has too few documents to be split by documents: it is cut at line ends");
  return {pool.next_line(wanted.valid), pool.next_line(wanted.test)};
}

void add_pool(std::vector<MeasuredInput> files, const CorpusRequest& request, SplitPlan& plan) {
  const Pool pool(std::move(files), request);
  const Cuts cuts = cut(pool, request);
  const auto add = [&](const char* split, int64_t first, int64_t past) {
    if (first >= past) return;
    plan.parts[split] = pool.between(first, past);
    plan.bytes[split] = past - first;
  };
  add("train", 0, cuts.valid);
  add("valid", cuts.valid, cuts.test);
  add("test", cuts.test, pool.total());
}

FilesBySplit find_files(const CorpusRequest& request) {
  if (!request.generated.empty()) return request.generated;
  if (!request.path.empty()) return request.kind.locate(request.path);
  FilesBySplit files;
  for (const auto& [split, patterns] : request.listed) {
    for (const std::string& pattern : patterns) {
      for (InputFile& file : list_pattern(pattern)) files[split].push_back(std::move(file));
    }
  }
  return files;
}

std::vector<MeasuredInput> measure(const std::vector<InputFile>& files,
                                   const CorpusRequest& request, nlohmann::json& identity) {
  const bool published = request.kind.official != nullptr;
  const SymbolCount symbols =
      published && files.size() == 1 ? SymbolCount::kWanted : SymbolCount::kIgnored;
  std::vector<MeasuredInput> measured;
  for (const InputFile& file : files) {
    measured.push_back({file, digest_input(file, request.rules, symbols)});
    const InputDigest& digest = measured.back().digest;
    identity.push_back({file.name, digest.sha256});
    if (!file.about.is_null()) identity.back().push_back(file.about);
    if (digest.bytes == 0 && files.size() > 1) log_warning(file.shown() + ": empty, left out");
  }
  if (std::all_of(measured.begin(), measured.end(),
                  [](const MeasuredInput& file) { return file.digest.bytes == 0; })) {
    throw Error(ErrorKind::kData, files.front().shown(), "is empty: 0 bytes",
                "name a file that holds text");
  }
  return measured;
}

// Which splits are read from a published text, as published.
void recognise_splits(const std::string& origin, const std::vector<MeasuredInput>& inputs,
                      const CorpusRequest& request, SplitPlan& plan) {
  const OfficialCorpus* official = request.kind.official;
  if (official == nullptr) return;
  RecognisedText found;
  const auto texts = official->texts.find(origin);
  const bool as_published = request.rules.newlines_to_lf == request.kind.newlines_to_lf;
  if (texts != official->texts.end() && as_published) found = recognise(texts->second, inputs);
  if (origin != "all") {
    plan.recognised[origin] = found;
    return;
  }
  // A text may be cut elsewhere than published.
  for (const auto& [split, bytes] : plan.bytes) {
    const auto published = official->splits.find(split);
    const bool cut = published != official->splits.end() && published->second.bytes == bytes;
    plan.recognised[split] = cut ? found : RecognisedText{};
  }
}

// That the text has exactly one origin.
void check_places(const CorpusRequest& request) {
  if (!request.generated.empty()) {
    if (request.path.empty() && request.listed.empty()) return;
    throw Error(ErrorKind::kUsage, request.path.empty() ? "data.train" : "data.path",
                "names a text, but the corpus " + request.kind.name + " makes its own",
                "leave out data.path, data.train, data.valid and data.test");
  }
  if (request.path.empty() != request.listed.empty()) return;
  throw Error(ErrorKind::kUsage, "data.path",
              request.path.empty() ? "names no text, nor do data.train, data.valid and data.test"
                                   : "is given beside data.train, data.valid or data.test",
              "give either data.path (a whole corpus) or lists of files by split");
}

}  // namespace

CorpusRequest corpus_request(const Config& config) {
  CorpusRequest request;
  request.kind = corpus_kind(config.get<std::string>("data.corpus"));
  if (!config.is_null("data.path")) request.path = config.get<std::string>("data.path");
  for (const char* split : kSplits) {
    const std::string key = std::string("data.") + split;
    if (config.is_null(key)) continue;
    request.listed[split] = config.get<std::vector<std::string>>(key);
    if (request.listed[split].empty()) request.listed.erase(split);
  }
  if (request.kind.generate != nullptr) request.generated = request.kind.generate(config);
  check_places(request);
  for (const auto& [key, fraction] :
       {std::pair<const char*, double&>{"data.valid_fraction", request.valid_fraction},
        std::pair<const char*, double&>{"data.test_fraction", request.test_fraction}}) {
    if (config.is_null(key)) continue;
    fraction = config.get<double>(key);
    request.fractions_given = true;
  }
  if (request.valid_fraction + request.test_fraction >= 1) {
    throw Error(ErrorKind::kUsage, "data.valid_fraction",
                "and data.test_fraction leave nothing to train on", "let their sum be less than 1");
  }
  const std::string newlines = config.get<std::string>("data.newlines");
  request.rules.newlines_to_lf =
      newlines == "lf" || (newlines == "corpus" && request.kind.newlines_to_lf);
  request.rules.any_bytes = request.kind.any_bytes;
  request.rules.utf8 = needs_utf8(config);
  return request;
}

SplitPlan plan_splits(const CorpusRequest& request) {
  const FilesBySplit files = find_files(request);
  SplitPlan plan;
  plan.identity = nlohmann::json::object();
  for (const auto& [split, inputs] : files) {
    const std::vector<MeasuredInput> measured = measure(inputs, request, plan.identity[split]);
    if (split == "all") add_pool(measured, request, plan);
    for (const MeasuredInput& input : measured) {
      if (split == "all" || input.digest.bytes == 0) continue;
      plan.parts[split].push_back({input.file, 0, input.digest.bytes});
      plan.bytes[split] += input.digest.bytes;
    }
    recognise_splits(split, measured, request, plan);
  }
  if (request.fractions_given && !files.contains("all")) {
    throw Error(ErrorKind::kUsage, "data.valid_fraction",
                "(or data.test_fraction) is given for a text that comes with its splits",
                "leave the fractions out");
  }
  return plan;
}

void read_split(const std::vector<InputPart>& parts, const CorpusRequest& request,
                TextFindings& findings, DocumentSink& sink) {
  for (const InputPart& part : parts) {
    sink.begin_part(part);
    const auto splitter = make_splitter(request.kind.documents, part.file.name, sink);
    read_part(part, request.rules, findings, [&](std::string_view piece) { splitter->add(piece); });
    splitter->end();
  }
}

}  // namespace lc
