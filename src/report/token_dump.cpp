#include "report/token_dump.h"

#include <algorithm>
#include <optional>

#include "core/error.h"
#include "core/file_io.h"
#include "eval/token_text.h"
#include "report/csv.h"

namespace lc {
namespace {

constexpr int64_t kDumpedAtOnce = 1 << 16;

// What stands in the rows of each token id.
struct IdColumns {
  std::vector<std::string> texts_V;  // escaped
  std::vector<int64_t> bytes_V;      // empty: undefined
};

IdColumns id_columns(const ReadableText& text) {
  IdColumns columns;
  for (int64_t id = 0; id < text.tokenizer.vocab_size(); ++id) {
    columns.texts_V.push_back(visible_text(text.tokenizer.token_text(id)));
  }
  if (text.tokens.header().value("lossless", true)) {
    columns.bytes_V = text.tokens.token_sizes().bytes_V;
  }
  return columns;
}

class DumpWriter {
 public:
  DumpWriter(const ReadableText& text, const TokenScores& scores, AtomicFile& file)
      : text_(text), scores_(scores), file_(file), columns_(id_columns(text)) {}

  // Rows of the document's targets; its other tokens only count.
  void add_document(size_t number, const DocumentInfo& document) {
    const int64_t past = document.first_token + document.tokens;
    if (done() || scores_.targets[next_] >= past) return;
    if (columns_.bytes_V.empty()) {
      offset_.reset();
    } else {
      offset_ = 0;
    }
    std::vector<int64_t> ids;
    for (int64_t first = document.first_token; first < past && !done(); first += kDumpedAtOnce) {
      ids.resize(static_cast<size_t>(std::min(kDumpedAtOnce, past - first)));
      text_.tokens.copy(first, static_cast<int64_t>(ids.size()), ids.data());
      std::string rows;
      for (size_t i = 0; i < ids.size() && !done(); ++i) {
        const int64_t token = first + static_cast<int64_t>(i);
        if (scores_.targets[next_] == token) {
          rows +=
              row({std::to_string(number), std::to_string(token - document.first_token)}, ids[i]);
          ++next_;
        }
        advance(ids[i]);
      }
      file_.write(rows);
    }
  }
  bool done() const { return next_ == scores_.targets.size(); }

 private:
  std::string row(std::vector<std::string> fields, int64_t id) const {
    fields.push_back(offset_ ? std::to_string(*offset_) : "");
    fields.push_back(std::to_string(id));
    fields.push_back(columns_.texts_V.at(static_cast<size_t>(id)));
    fields.push_back(csv_number(scores_.nll[next_]));
    return csv_line(fields);
  }
  void advance(int64_t id) {
    if (!offset_) return;
    const int64_t bytes = columns_.bytes_V.at(static_cast<size_t>(id));
    if (bytes < 0) {
      offset_.reset();
    } else {
      *offset_ += bytes;
    }
  }

  const ReadableText& text_;
  const TokenScores& scores_;
  AtomicFile& file_;
  IdColumns columns_;
  size_t next_ = 0;  // of the scores
  std::optional<int64_t> offset_;
};

}  // namespace

void dump_token_scores(const ReadableText& text, const TokenScores& scores,
                       const std::filesystem::path& file) {
  AtomicFile out(file);
  out.write(csv_line({"document", "position", "byte_offset", "token_id", "text", "nll_nats"}));
  DumpWriter writer(text, scores, out);
  const std::vector<DocumentInfo>& documents = text.tokens.documents();
  for (size_t d = 0; d < documents.size(); ++d) writer.add_document(d + 1, documents[d]);
  LC_CHECK(writer.done());
  out.commit();
}

}  // namespace lc
