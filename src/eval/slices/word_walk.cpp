#include "eval/slices/word_walk.h"

#include <algorithm>
#include <vector>

#include "core/log.h"
#include "data/tokenizers/white_space.h"

namespace lc {
namespace {

constexpr int64_t kWalkedAtOnce = 1 << 16;
constexpr size_t kLookAhead = 3;  // bytes of the longest white space

using WordVisit = std::function<void(const WordSpan&)>;

std::vector<std::string> texts_of_ids(const Tokenizer& tokenizer) {
  std::vector<std::string> texts_V;
  for (int64_t id = 0; id < tokenizer.vocab_size(); ++id) {
    texts_V.push_back(tokenizer.token_text(id));
  }
  return texts_V;
}

// One document, given token by token. A word is handed on as soon as its end is known.
class DocumentWalk {
 public:
  DocumentWalk(int64_t first_token, const WordVisit& visit) : next_(first_token), visit_(visit) {}

  void add(std::string_view token_text) {
    text_ += token_text;
    ends_.push_back(text_.size());
  }
  void scan() { give_words(false); }
  void end() {
    give_words(true);
    give(ends_.size() - given_, {});
  }

 private:
  size_t space_at(size_t at) const {
    return white_space_length(std::string_view(text_).substr(at, kLookAhead));
  }
  // Whether what begins there can't be told before more text comes.
  bool open_at(size_t at, bool last) const { return !last && at + kLookAhead > text_.size(); }

  void give(size_t tokens, std::string_view word) {
    if (tokens == 0 && word.empty()) return;
    visit_({next_, static_cast<int64_t>(tokens), word});
    next_ += static_cast<int64_t>(tokens);
    given_ += tokens;
  }
  // Tokens not yet given that satisfy a condition on where they begin and end.
  template <typename Condition>
  size_t tokens_while(Condition holds) const {
    size_t token = given_;
    const auto begin = [&] { return token == 0 ? first_begin_ : ends_[token - 1]; };
    while (token < ends_.size() && holds(begin(), ends_[token])) ++token;
    return token - given_;
  }

  void give_words(bool last) {
    while (true) {
      while (begin_ < text_.size() && space_at(begin_) > 0) begin_ += space_at(begin_);
      end_ = std::max(end_, begin_);
      while (end_ < text_.size() && !open_at(end_, last) && space_at(end_) == 0) ++end_;
      if (begin_ >= text_.size() || open_at(end_, last)) break;
      give(tokens_while([&](size_t, size_t end) { return end <= begin_; }), {});
      give(tokens_while([&](size_t begin, size_t) { return begin < end_; }),
           std::string_view(text_).substr(begin_, end_ - begin_));
      begin_ = end_;
      done_ = end_;
    }
    forget();
  }
  // The text up to the end of the last word given, and the tokens given.
  void forget() {
    first_begin_ = (given_ == 0 ? first_begin_ : ends_[given_ - 1]) - done_;
    text_.erase(0, done_);
    ends_.erase(ends_.begin(), ends_.begin() + static_cast<std::ptrdiff_t>(given_));
    for (size_t& end : ends_) end -= done_;
    begin_ -= done_;
    end_ -= done_;
    given_ = 0;
    done_ = 0;
  }

  int64_t next_;  // index of the first token not given
  const WordVisit& visit_;
  std::string text_;          // from the end of the last word given on
  std::vector<size_t> ends_;  // of tokens, in text_
  size_t given_ = 0;          // of those tokens
  size_t begin_ = 0;          // white space ends here, as far as is known
  size_t end_ = 0;            // the word goes on to here, as far as is known
  size_t done_ = 0;           // the last word given ends here
  size_t first_begin_ = 0;    // the first of those tokens begins here
};

// Calls take(first, ids) for the tokens of a document, stretch by stretch.
template <typename Take>
void for_each_stretch(const TokenFile& tokens, const DocumentInfo& document, Take&& take) {
  std::vector<int64_t> ids;
  const int64_t past = document.first_token + document.tokens;
  for (int64_t first = document.first_token; first < past; first += kWalkedAtOnce) {
    ids.resize(static_cast<size_t>(std::min(kWalkedAtOnce, past - first)));
    tokens.copy(first, static_cast<int64_t>(ids.size()), ids.data());
    take(first, ids);
  }
}

}  // namespace

void for_each_word(const ReadableText& text, int64_t past, const WordVisit& visit) {
  const std::vector<std::string> texts_V = texts_of_ids(text.tokenizer);
  const bool tokens_are_words = text.tokenizer.type() == "word";
  const auto give_each = [&](int64_t first, const std::vector<int64_t>& ids) {
    for (const int64_t id : ids) {
      std::string_view word = texts_V.at(static_cast<size_t>(id));
      if (word.ends_with(' ')) word.remove_suffix(1);  // what parts it from the next one
      visit({first++, 1, word});
    }
  };
  for (const DocumentInfo& document : text.tokens.documents()) {
    if (document.first_token >= past) return;
    if (tokens_are_words) {
      for_each_stretch(text.tokens, document, give_each);
      continue;
    }
    DocumentWalk walk(document.first_token, visit);
    for_each_stretch(text.tokens, document, [&](int64_t, const std::vector<int64_t>& ids) {
      for (const int64_t id : ids) walk.add(texts_V.at(static_cast<size_t>(id)));
      walk.scan();
    });
    walk.end();
  }
}

void count_words(const ReadableText& text, WordMap<int64_t>& counts) {
  Progress progress("counting words", text.tokens.size(), "tokens");
  int64_t shown = 0;
  for_each_word(text, text.tokens.size(), [&](const WordSpan& span) {
    const auto found = counts.find(span.word);
    if (found != counts.end()) ++found->second;
    if (span.first - shown < kWalkedAtOnce) return;
    shown = span.first;
    progress.update(shown);
  });
}

}  // namespace lc
