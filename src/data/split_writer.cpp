#include "data/split_writer.h"

#include "core/error.h"
#include "core/log.h"
#include "core/number_text.h"
#include "data/corpora/document_splitter.h"
#include "data/parallel_encoder.h"
#include "data/token_file_writer.h"

namespace lc {
namespace {

class TokenSink : public EncodedSink {
 public:
  TokenSink(const SplitJob& job, const CorpusRequest& request, const Tokenizer& tokenizer)
      : words_(request.kind.words), writer_(job.path, tokenizer.vocab_size()) {
    counts_.split = job.split;
  }

  void ids(const std::vector<int64_t>& ids) override {
    tokens_ += static_cast<int64_t>(ids.size());
    writer_.add(ids);
  }
  void document(const std::string& name, const TextCounts& counts) override {
    const int64_t lines = words_ == WordRule::kRunsAndLines ? counts.line_ends : 0;
    const int64_t words = counts.words + lines;
    writer_.end_document({0, 0, counts.bytes, counts.characters, words, name});
    counts_.bytes += counts.bytes;
    counts_.words += words;
    ++counts_.documents;
  }

  const SplitCounts& counts() const { return counts_; }
  int64_t tokens() const { return tokens_; }
  TokenFileWriter& writer() { return writer_; }

 private:
  WordRule words_;
  TokenFileWriter writer_;
  SplitCounts counts_;
  int64_t tokens_ = 0;
};

// Shows how far the text is read, tells the encoder where documents come from, and notes which
// lines they are.
class Reading : public DocumentSink {
 public:
  Reading(const SplitJob& job, ParallelEncoder& next)
      : next_(next), split_(job.split), progress_("preparing " + job.split, job.bytes, "bytes") {}
  // Lines are counted from the beginning of the part, which need not be that of the file.
  void begin_part(const InputPart& part) override {
    const std::string from =
        part.first > 0 ? " from byte " + std::to_string(part.first) + " on" : "";
    next_.set_source(split_ + " split of " + part.file.shown() + from);
  }
  void begin_document(const std::string& name) override { next_.begin_document(name); }
  void begin_line(const std::string& name, int64_t line) override {
    lines_.push_back(line);
    if (line != static_cast<int64_t>(lines_.size())) numbered_as_lines_ = false;
    next_.begin_line(name, line);
  }
  void text(std::string_view piece) override {
    next_.text(piece);
    bytes_ += static_cast<int64_t>(piece.size());
    progress_.update(bytes_);
  }
  void end_document() override { next_.end_document(); }

  // Of each document that is a line; empty where document n is line n throughout.
  std::vector<int64_t> lines() const {
    return numbered_as_lines_ ? std::vector<int64_t>{} : lines_;
  }

 private:
  ParallelEncoder& next_;
  std::string split_;
  Progress progress_;
  int64_t bytes_ = 0;
  std::vector<int64_t> lines_;
  bool numbered_as_lines_ = true;
};

nlohmann::json unknown_json(const EncodingReport& report, int64_t tokens) {
  const double rate =
      tokens > 0 ? static_cast<double>(report.unknown) / static_cast<double>(tokens) : 0;
  return {{"count", report.unknown}, {"rate", rate}, {"examples", report.unknown_examples}};
}

std::string unknown_note(const std::string& split, const nlohmann::json& unknown) {
  std::string examples;
  for (const auto& example : unknown.at("examples")) {
    examples += (examples.empty() ? "" : ", ") + example.get<std::string>();
  }
  return split + ": " + unknown.at("count").dump() + " tokens unknown (" +
         decimal(100 * unknown.at("rate").get<double>(), 2) + " %), for example " + examples;
}

// Characters of a text that isn't UTF-8 are not defined.
TokenSizes sizes_of(const Tokenizer& tokenizer, const TextFindings& findings) {
  TokenSizes sizes = tokenizer.token_sizes();
  if (!findings.utf8) sizes.characters_V.assign(sizes.characters_V.size(), -1);
  return sizes;
}

}  // namespace

void write_split(const SplitJob& job, const CorpusRequest& request, const Tokenizer& tokenizer,
                 SplitReport& report) {
  TokenSink sink(job, request, tokenizer);
  ParallelEncoder encoder(tokenizer, all_cores(), sink);
  Reading reading(job, encoder);
  TextFindings findings;
  read_split(job.parts, request, findings, reading);
  encoder.finish();
  if (sink.tokens() == 0) {
    throw Error(ErrorKind::kData, job.parts.front().file.shown(),
                "gives no tokens in split " + job.split, "name files that hold text");
  }
  const EncodingReport& encoding = encoder.report();
  nlohmann::json header{{"corpus", request.kind.name},
                        {"split", job.split},
                        {"official", nullptr},
                        {"tokenizer", tokenizer.description()},
                        {"lossless", encoding.lossless},
                        {"utf8", findings.utf8},
                        {"newlines_to_lf", request.rules.newlines_to_lf},
                        {"unknown", unknown_json(encoding, sink.tokens())}};
  if (const auto lines = reading.lines(); !lines.empty()) header["lines"] = lines;
  for (const InputPart& part : job.parts) {
    if (!part.file.about.is_null()) header["about"][part.file.name] = part.file.about;
  }
  if (!encoding.lossless) header["lossy_reason"] = encoding.lossy_reason;
  report.corpus = request.kind.name;
  if (request.kind.official != nullptr) {
    const bool official = is_official(*request.kind.official, job.recognised, sink.counts());
    header["official"] = official;
    if (!official) report.not_official.push_back(job.split);
    const auto words =
        official ? request.kind.official->splits.at(job.split).published_words : std::nullopt;
    if (words) header["official_words"] = *words;
  }
  if (!encoding.cut.empty()) report.warnings.push_back(encoding.cut);
  if (encoding.unknown > 0) report.warnings.push_back(unknown_note(job.split, header["unknown"]));
  if (!encoding.lossless && tokenizer.type() == "sentencepiece") {
    report.warnings.push_back(job.split + ": bits per byte will be null: " + encoding.lossy_reason);
  }
  // Of documents that are lines, no line end is part.
  const bool keeps_line_ends =
      !request.rules.newlines_to_lf && request.kind.documents != DocumentRule::kLine;
  report.cr_lf = report.cr_lf || (findings.cr_lf && keeps_line_ends);
  report.notes.push_back(job.split + ": " + std::to_string(sink.tokens()) + " tokens, " +
                         std::to_string(sink.counts().documents) + " documents, " +
                         std::to_string(sink.counts().bytes) + " bytes");
  sink.writer().finish(sizes_of(tokenizer, findings), tokenizer.hash(), std::move(header));
}

void log_split_report(const SplitReport& report) {
  for (const std::string& note : report.notes) log_info(note);
  for (const std::string& warning : report.warnings) log_warning(warning);
  if (report.cr_lf) {
    log_warning(
        "the text has CR LF line ends, which are kept: data.newlines \"lf\" reads them as LF");
  }
  if (report.not_official.empty()) return;
  std::string splits;
  for (const std::string& split : report.not_official)
    splits += (splits.empty() ? "" : ", ") + split;
  log_warning(report.corpus + ": not the published split (" + splits +
              "), so that figures aren't comparable with published ones");
}

}  // namespace lc
