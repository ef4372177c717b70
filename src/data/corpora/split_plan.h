// Which bytes of which files make up each split.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "config/config.h"
#include "data/corpora/corpus.h"
#include "data/corpora/official.h"
#include "data/corpora/text_reader.h"

namespace lc {

inline constexpr const char* kSplits[] = {"train", "valid", "test"};

// What section data asks for.
struct CorpusRequest {
  CorpusKind kind;
  std::string path;                                        // empty: the lists below
  std::map<std::string, std::vector<std::string>> listed;  // patterns by split
  FilesBySplit generated;                                  // of a corpus that makes its texts
  double valid_fraction = 0.05;                            // of a text that comes without splits
  double test_fraction = 0.05;
  bool fractions_given = false;
  TextRules rules;
};

// Error(kUsage) where options contradict each other.
CorpusRequest corpus_request(const Config& config);

struct SplitPlan {
  std::map<std::string, std::vector<InputPart>> parts;  // by split; none is empty
  std::map<std::string, int64_t> bytes;                 // by split
  std::map<std::string, RecognisedText> recognised;     // by split, where anything is published
  nlohmann::json identity;                              // names and SHA-256 of the inputs
};

// Reads every input once. Error(kData): a file is missing or damaged, a split is empty.
SplitPlan plan_splits(const CorpusRequest& request);

// Hands the split's documents to the sink. What was found is added to findings.
void read_split(const std::vector<InputPart>& parts, const CorpusRequest& request,
                TextFindings& findings, class DocumentSink& sink);

}  // namespace lc
