#include "data/corpora/document_splitter.h"

#include <optional>

#include "core/error.h"

namespace lc {
namespace {

constexpr size_t kLongestHeading = 4096;

// Begins documents when the first text of them comes, so that none is empty.
class Documents {
 public:
  explicit Documents(DocumentSink& sink) : sink_(sink) {}
  void set_name(std::string name) { name_ = std::move(name); }
  void set_line(const std::string& file, int64_t line) {
    set_name(file + ":" + std::to_string(line));
    line_ = line;
  }
  void text(std::string_view piece) {
    if (piece.empty()) return;
    if (!open_) begin();
    open_ = true;
    sink_.text(piece);
  }
  void end() {
    if (open_) sink_.end_document();
    open_ = false;
  }

 private:
  void begin() {
    if (line_) {
      sink_.begin_line(name_, *line_);
    } else {
      sink_.begin_document(name_);
    }
  }

  DocumentSink& sink_;
  std::string name_;
  std::optional<int64_t> line_;  // of documents that are lines
  bool open_ = false;
};

class FileSplitter : public DocumentSplitter {
 public:
  FileSplitter(const std::string& name, DocumentSink& sink) : documents_(sink) {
    documents_.set_name(name);
  }
  void add(std::string_view piece) override { documents_.text(piece); }
  void end() override { documents_.end(); }

 private:
  Documents documents_;
};

class LineSplitter : public DocumentSplitter {
 public:
  LineSplitter(const std::string& name, DocumentSink& sink) : file_(name), documents_(sink) {
    documents_.set_line(file_, line_);
  }
  void add(std::string_view piece) override {
    while (!piece.empty()) {
      const size_t end = piece.find('\n');
      hold_carriage_return(piece.substr(0, end), end != std::string_view::npos);
      if (end == std::string_view::npos) return;
      next_line();
      piece.remove_prefix(end + 1);
    }
  }
  void end() override {
    if (held_cr_) documents_.text("\r");
    documents_.end();
  }

 private:
  // A CR before the newline belongs to the line end, not to the record.
  void hold_carriage_return(std::string_view text, bool line_ends) {
    if (held_cr_ && !text.empty()) {
      documents_.text("\r");
      held_cr_ = false;
    }
    if (text.ends_with('\r')) {
      held_cr_ = true;
      text.remove_suffix(1);
    }
    documents_.text(text);
    if (line_ends) held_cr_ = false;
  }
  void next_line() {
    documents_.end();
    documents_.set_line(file_, ++line_);
  }

  std::string file_;
  int64_t line_ = 1;
  Documents documents_;
  bool held_cr_ = false;
};

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

// " = Title = ", but not " = = Part = = ". Returns the title, empty if it is none.
std::string_view article_title(std::string_view line) {
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
  if (!line.starts_with(" = ") || !line.ends_with(" = ") || line.size() < 7) return {};
  const std::string_view title = line.substr(3, line.size() - 6);
  return title.starts_with("= ") || title.ends_with(" =") ? std::string_view() : title;
}

class ArticleSplitter : public DocumentSplitter {
 public:
  ArticleSplitter(const std::string& name, DocumentSink& sink) : documents_(sink) {
    documents_.set_name(name);
  }
  void add(std::string_view piece) override {
    while (!piece.empty()) {
      const size_t end = piece.find('\n');
      const bool whole = end != std::string_view::npos;
      const std::string_view part = piece.substr(0, whole ? end + 1 : end);
      piece.remove_prefix(part.size());
      if (long_line_) {
        give(part);
      } else {
        line_ += part;
      }
      if (whole) {
        finish_line();
      } else if (line_.size() > kLongestHeading) {
        give_heading(false);
        give_line();
        long_line_ = true;
      }
    }
  }
  void end() override {
    give_heading(false);
    give_line();
    documents_.text(leading_);
    documents_.end();
  }

 private:
  void finish_line() {
    const bool blank = !long_line_ && is_blank(line_);
    give_heading(blank);
    if (blank_before_ && !long_line_ && !article_title(line_).empty()) {
      heading_ = std::move(line_);
      line_.clear();
    } else {
      give_line();
    }
    blank_before_ = blank;
    long_line_ = false;
  }
  // The line that looked like a heading is one if a blank line follows.
  void give_heading(bool blank_follows) {
    if (heading_.empty()) return;
    if (blank_follows) {
      if (has_text_) documents_.end();
      documents_.set_name(std::string(article_title(heading_)));
      documents_.text(leading_);
      leading_.clear();
    }
    give(heading_);
    heading_.clear();
  }
  void give_line() {
    give(line_);
    line_.clear();
  }
  // Blank lines before anything else wait for the name of the first article.
  void give(std::string_view text) {
    if (!has_text_ && is_blank(text) && leading_.size() < kLongestHeading) {
      leading_ += text;
      return;
    }
    has_text_ = true;
    documents_.text(leading_);
    leading_.clear();
    documents_.text(text);
  }

  Documents documents_;
  std::string line_;
  std::string heading_;
  std::string leading_;
  bool blank_before_ = true;
  bool long_line_ = false;  // the running line is no heading, and its beginning was given on
  bool has_text_ = false;
};

}  // namespace

std::unique_ptr<DocumentSplitter> make_splitter(DocumentRule rule, const std::string& name,
                                                DocumentSink& sink) {
  switch (rule) {
    case DocumentRule::kFile:
      return std::make_unique<FileSplitter>(name, sink);
    case DocumentRule::kWikiArticle:
      return std::make_unique<ArticleSplitter>(name, sink);
    case DocumentRule::kLine:
      return std::make_unique<LineSplitter>(name, sink);
  }
  LC_CHECK(false);
}

}  // namespace lc
