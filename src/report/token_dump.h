// A file with one line for each scored token.
//
// CSV, since a split may have 10^8 tokens: half as long as JSON lines, which also could not hold
// bytes that are no UTF-8; texts are escaped, so that a line is a row for every tool.
#pragma once

#include <filesystem>

#include "eval/evaluator.h"
#include "eval/slices/word_walk.h"

namespace lc {

// Columns: document (from 1), position (tokens before it in the document), byte_offset (bytes
// before it in the document; empty where tokens have none of their own), token_id, text
// (visible_text), nll_nats (the shortest number that reads back the same). In the order of the
// text; written as it is made, at once under its name when all is there. Error(kRuntime) if it
// can't be written.
void dump_token_scores(const ReadableText& text, const TokenScores& scores,
                       const std::filesystem::path& file);

}  // namespace lc
