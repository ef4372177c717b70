// Scores record by record: each document of a text stands alone (reset boundaries), and each gives
// one object.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "data/token_file.h"
#include "eval/evaluator.h"

namespace lc {

// For each document {record, name, nats_per_token, perplexity, bits_per_token, bits_per_byte,
// bits_per_character, word_perplexity, tokens_total, tokens_scored, tokens_skipped}; record is the
// line of its file that the document is, 1 for the first, and of documents that aren't lines their
// number; name is the document's own, such as "file:line". A number that is not defined is null: of
// a record with a single token, which is never predicted, all are. Bytes and characters are those
// of the scored tokens; words those of the record, which must be scored whole but for its first
// token.
std::vector<nlohmann::json> record_objects(const TokenFile& tokens, const TokenScores& scores);

}  // namespace lc
