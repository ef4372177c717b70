#include "data/split_writer.h"

#include "core/error.h"
#include "core/log.h"
#include "data/corpora/document_splitter.h"
#include "data/corpora/text_counts.h"
#include "data/token_file_writer.h"

namespace lc {
namespace {

class EncodingSink : public DocumentSink {
 public:
  EncodingSink(const SplitJob& job, const CorpusRequest& request, const Tokenizer& tokenizer)
      : words_(request.kind.words),
        encoder_(tokenizer.encoder()),
        writer_(job.path, tokenizer.vocab_size()),
        progress_("preparing " + job.split, job.bytes, "bytes") {}

  void begin_document(const std::string& name) override {
    name_ = name;
    encoder_->begin(name);
  }
  void text(std::string_view piece) override {
    counter_.add(piece);
    encoder_->add(piece, ids_);
    flush();
    bytes_ += static_cast<int64_t>(piece.size());
    progress_.update(bytes_);
  }
  void end_document() override {
    encoder_->end(DocumentEnd::kSeparator, ids_);
    flush();
    const TextCounts counts = counter_.end();
    const int64_t lines = words_ == WordRule::kRunsAndLines ? counts.line_ends : 0;
    writer_.end_document({0, 0, counts.bytes, counts.characters, counts.words + lines, name_});
    total_ += counts;
    ++documents_;
  }

  const TextCounts& total() const { return total_; }
  int64_t documents() const { return documents_; }
  int64_t tokens() const { return tokens_; }
  const EncodingReport& report() const { return encoder_->report(); }
  TokenFileWriter& writer() { return writer_; }

 private:
  void flush() {
    tokens_ += static_cast<int64_t>(ids_.size());
    writer_.add(ids_);
    ids_.clear();
  }

  WordRule words_;
  std::unique_ptr<DocumentEncoder> encoder_;
  TokenFileWriter writer_;
  Progress progress_;
  TextCounter counter_;
  std::vector<int64_t> ids_;
  std::string name_;
  TextCounts total_;
  int64_t bytes_ = 0;
  int64_t documents_ = 0;
  int64_t tokens_ = 0;
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
         std::to_string(100 * unknown.at("rate").get<double>()) + " %), for example " + examples;
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
  EncodingSink sink(job, request, tokenizer);
  TextFindings findings;
  read_split(job.parts, request, findings, sink);
  if (sink.tokens() == 0) {
    throw Error(ErrorKind::kData, job.parts.front().file.shown(),
                "gives no tokens in split " + job.split, "name files that hold text");
  }
  const EncodingReport& encoding = sink.report();
  nlohmann::json header{{"corpus", request.kind.name},
                        {"split", job.split},
                        {"official", nullptr},
                        {"tokenizer", tokenizer.description()},
                        {"lossless", encoding.lossless},
                        {"utf8", findings.utf8},
                        {"newlines_to_lf", request.rules.newlines_to_lf},
                        {"unknown", unknown_json(encoding, sink.tokens())}};
  for (const InputPart& part : job.parts) {
    if (!part.file.about.is_null()) header["about"][part.file.name] = part.file.about;
  }
  if (!encoding.lossless) header["lossy_reason"] = encoding.lossy_reason;
  report.corpus = request.kind.name;
  if (request.kind.official != nullptr) {
    const auto official = request.kind.official(job.split, sink.total(), sink.documents());
    if (official) header["official"] = *official;
    if (official == false) report.not_official.push_back(job.split);
    if (official == true && request.kind.official_words != nullptr) {
      header["official_words"] = request.kind.official_words(job.split).value();
    }
  }
  if (encoding.unknown > 0) report.warnings.push_back(unknown_note(job.split, header["unknown"]));
  if (!encoding.lossless && tokenizer.type() == "sentencepiece") {
    report.warnings.push_back(job.split + ": bits per byte will be null: " + encoding.lossy_reason);
  }
  report.cr_lf = report.cr_lf || (findings.cr_lf && !request.rules.newlines_to_lf);
  report.notes.push_back(job.split + ": " + std::to_string(sink.tokens()) + " tokens, " +
                         std::to_string(sink.documents()) + " documents, " +
                         std::to_string(sink.total().bytes) + " bytes");
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
