// Encodes and counts documents on several cores, with the ids, counts and messages of one core.
//
// Text is gathered into parts, cut only where the tokenizer allows; parts of one document or of
// several are encoded side by side, each by an encoder of its own, and handed on in their order.
// Where no cut is allowed (one line of many megabytes) a part goes on with the encoder that began
// it, so that memory stays bounded whatever the text. Errors of an encoder are thrown from text(),
// end_document() or finish(), the first in the order of the text, with the source of its document.
#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/corpora/document_splitter.h"
#include "data/corpora/text_counts.h"
#include "data/tokenizers/tokenizer.h"

namespace lc {

// Receives documents in their order: ids as often as they come, then the document's end.
class EncodedSink {
 public:
  virtual ~EncodedSink() = default;
  virtual void ids(const std::vector<int64_t>& ids) = 0;
  virtual void document(const std::string& name, const TextCounts& counts) = 0;
};

struct EncodingShape {
  int64_t threads = 1;
  size_t part_bytes = size_t{1} << 18;
};

// As many threads as there are cores for this process, up to 16: beyond, reading takes the time.
EncodingShape all_cores();

class ParallelEncoder : public DocumentSink {
 public:
  ParallelEncoder(const Tokenizer& tokenizer, const EncodingShape& shape, EncodedSink& sink);
  ~ParallelEncoder() override;

  // Where the documents that follow come from, for messages: "valid split of b.txt".
  void set_source(std::string source) { source_ = std::move(source); }
  void begin_document(const std::string& name) override;
  void text(std::string_view piece) override;
  void end_document() override;
  void finish();  // hands on what is left; no document may be open

  const EncodingReport& report() const { return report_; }  // of what was handed on

 private:
  struct Part;

  void cut_last_part();
  void run();
  void hand_on(Part& part);

  const Tokenizer& tokenizer_;
  EncodingShape shape_;
  EncodedSink& sink_;
  std::list<Part> parts_;  // the last one may be open: more text of its document may come
  std::string source_;     // of the documents that begin
  size_t waiting_bytes_ = 0;
  TextCounts document_counts_;  // of the parts of the running document handed on so far
  EncodingReport report_;
};

}  // namespace lc
