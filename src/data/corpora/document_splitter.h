// Cuts a text given in pieces into documents.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "data/corpora/corpus.h"

namespace lc {

// Receives documents, one after the other.
class DocumentSink {
 public:
  virtual ~DocumentSink() = default;
  // The documents that follow stand in that part of a file.
  virtual void begin_part(const struct InputPart& /*part*/) {}
  virtual void begin_document(const std::string& name) = 0;
  // The document is that line of its file, 1 for the first.
  virtual void begin_line(const std::string& name, int64_t /*line*/) { begin_document(name); }
  virtual void text(std::string_view piece) = 0;
  virtual void end_document() = 0;
};

class DocumentSplitter {
 public:
  virtual ~DocumentSplitter() = default;
  virtual void add(std::string_view piece) = 0;
  virtual void end() = 0;  // of the file
};

// name: of the file. Documents without any text are left out, and all others keep every byte, but
// for the newlines between the records of kLine.
std::unique_ptr<DocumentSplitter> make_splitter(DocumentRule rule, const std::string& name,
                                                DocumentSink& sink);

}  // namespace lc
