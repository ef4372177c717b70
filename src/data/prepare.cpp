#include "data/prepare.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <optional>

#include "core/error.h"
#include "core/file_io.h"
#include "core/log.h"
#include "data/corpora/document_splitter.h"
#include "data/corpora/split_plan.h"
#include "data/split_writer.h"

namespace lc {
namespace fs = std::filesystem;
namespace {

constexpr int kPreparationVersion = 3;  // raised when the same input gives another token file

std::string key_of(const nlohmann::json& identity) {
  return sha256_of(identity.dump()).substr(0, 32);
}

nlohmann::json request_identity(const CorpusRequest& request, const SplitPlan& plan) {
  nlohmann::json cuts = nlohmann::json::object();
  for (const auto& [split, parts] : plan.parts) {
    for (const InputPart& part : parts) cuts[split].push_back({part.first, part.bytes});
  }
  return {{"version", kPreparationVersion},
          {"corpus", request.kind.name},
          {"documents", static_cast<int>(request.kind.documents)},
          {"newlines_to_lf", request.rules.newlines_to_lf},
          {"inputs", plan.identity},
          {"cuts", cuts}};
}

// A file of the cache, or nothing if it isn't there or damaged (which is said).
template <typename Open>
auto from_cache(const fs::path& path, Open&& open) -> std::optional<decltype(open(path))> {
  if (!fs::exists(path)) return {};
  try {
    return open(path);
  } catch (const Error& error) {
    log_warning(std::string(error.what()) + " (it is made anew now)");
    return {};
  }
}

std::shared_ptr<const Tokenizer> read_tokenizer(const fs::path& path) {
  const std::string content = read_file(path);
  const size_t end = content.rfind('\n');
  const std::string body = content.substr(0, std::min(end, content.size()));
  if (end == std::string::npos || content.substr(end + 1) != sha256_of(body)) {
    throw Error(ErrorKind::kData, path.string(), "is damaged: its checksum doesn't match",
                "delete it and run the same command again");
  }
  return make_tokenizer(body, path.string());
}

void write_tokenizer(const fs::path& path, const Tokenizer& tokenizer) {
  const std::string content = tokenizer.content();
  write_file_atomically(path, content + "\n" + sha256_of(content));
}

class TextPieces : public DocumentSink {
 public:
  explicit TextPieces(const std::function<void(std::string_view)>& on_piece) : give_(on_piece) {}
  void begin_document(const std::string&) override {}
  void text(std::string_view piece) override { give_(piece); }
  void end_document() override { give_({}); }

 private:
  const std::function<void(std::string_view)>& give_;
};

TrainingText training_text(const CorpusRequest& request, const SplitPlan& plan) {
  const auto pass = [&](std::vector<std::string> splits) {
    return [&request, &plan, splits](const std::function<void(std::string_view)>& on_piece) {
      TextFindings findings;
      TextPieces pieces(on_piece);
      for (const std::string& split : splits) {
        const auto parts = plan.parts.find(split);
        if (parts != plan.parts.end()) read_split(parts->second, request, findings, pieces);
      }
    };
  };
  const auto train = plan.bytes.find("train");
  return {
      .train =
          [&plan, read = pass({"train"})](const std::function<void(std::string_view)>& on_piece) {
            if (!plan.parts.contains("train")) {
              throw Error(ErrorKind::kData, "data.train",
                          "is missing: there is no train split "
                          "to make a vocabulary from",
                          "name train files, or a model or vocabulary in data.tokenizer");
            }
            read(on_piece);
          },
      .all = pass({"train", "valid", "test"}),
      .train_bytes = train == plan.bytes.end() ? 0 : train->second};
}

}  // namespace

fs::path cache_folder(const Config& config) {
  if (!config.is_null("data.cache_dir")) return config.get<std::string>("data.cache_dir");
  const auto variable = [](const char* name) -> std::string {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
  };
  if (const std::string own = variable("LCTRAIN_CACHE"); !own.empty()) return own;
  if (const std::string xdg = variable("XDG_CACHE_HOME"); !xdg.empty()) {
    return fs::path(xdg) / "lctrain";
  }
  const std::string home = variable("HOME");
  if (home.empty()) {
    throw Error(ErrorKind::kUsage, "data.cache_dir", "isn't given, and HOME isn't set",
                "set data.cache_dir or LCTRAIN_CACHE to a folder for prepared texts");
  }
  return fs::path(home) / ".cache" / "lctrain";
}

namespace {

// A request with its plan, and what is in the cache for it.
struct Preparation {
  CorpusRequest request;
  SplitPlan plan;
  PreparedData data;

  explicit Preparation(const Config& config)
      : request(corpus_request(config)), plan(plan_splits(request)) {
    nlohmann::json identity = request_identity(request, plan);
    identity["tokenizer"] = tokenizer_identity(config);
    data.folder = cache_folder(config) / "prepared" / key_of(identity);
    data.cached = true;
    const fs::path file = data.folder / "tokenizer.lctokenizer";
    if (auto found = from_cache(file, read_tokenizer)) data.tokenizer = *found;
    if (data.tokenizer != nullptr) return;
    data.cached = false;
    data.tokenizer = build_tokenizer(config, training_text(request, plan));
    check_vocabulary(config, Recognition::kProven);
    write_tokenizer(file, *data.tokenizer);
  }

  // Of a train split that is official, recognised in that way.
  void check_vocabulary(const Config& config, Recognition how) const {
    const auto train = plan.recognised.find("train");
    if (train == plan.recognised.end() || train->second.how != how) return;
    check_official_vocabulary(train->second.text, *data.tokenizer, config);
  }
};

}  // namespace

bool names_text(const Config& config) {
  if (!config.is_null("data.path")) return true;
  if (corpus_kind(config.get<std::string>("data.corpus")).generate != nullptr) return true;
  return std::any_of(std::begin(kSplits), std::end(kSplits), [&](const std::string& split) {
    const nlohmann::json& files = config.at("data." + split);
    return !files.is_null() && !files.empty();
  });
}

std::shared_ptr<const Tokenizer> prepare_tokenizer(const Config& config) {
  return Preparation(config).data.tokenizer;
}

PreparedData prepare_data(const Config& config) {
  Preparation preparation(config);
  const CorpusRequest& request = preparation.request;
  const SplitPlan& plan = preparation.plan;
  PreparedData& data = preparation.data;
  SplitReport all;
  for (const char* split : kSplits) {
    const auto parts = plan.parts.find(split);
    if (parts == plan.parts.end()) continue;
    const fs::path path = data.folder / (std::string(split) + ".lctok");
    auto tokens = from_cache(path, TokenFile::open);
    if (!tokens || tokens->tokenizer_hash() != data.tokenizer->hash()) {
      data.cached = false;
      const auto recognised = plan.recognised.find(split);
      write_split({path, split, parts->second, plan.bytes.at(split),
                   recognised == plan.recognised.end() ? RecognisedText{} : recognised->second},
                  request, *data.tokenizer, all);
      tokens = TokenFile::open(path);
    }
    data.splits.emplace(split, *tokens);
    const bool official = tokens->header().at("official") == true;
    if (official && split == std::string_view("train")) {
      preparation.check_vocabulary(config, Recognition::kByName);
    }
  }
  log_split_report(all);
  if (data.cached) log_info("prepared data found in " + data.folder.string());
  return std::move(preparation.data);
}

TokenFile prepare_text(const Config& config, const Tokenizer& tokenizer, const fs::path& text,
                       Records records) {
  CorpusRequest request;
  request.kind = corpus_kind(config.get<std::string>("data.corpus"));
  if (records == Records::kLines) request.kind.documents = DocumentRule::kLine;
  request.kind.official = nullptr;
  request.listed["text"] = {text.string()};
  const std::string newlines = config.get<std::string>("data.newlines");
  request.rules = {
      .newlines_to_lf = newlines == "lf" || (newlines == "corpus" && request.kind.newlines_to_lf),
      .any_bytes = request.kind.any_bytes,
      .utf8 = tokenizer.type() != "byte"};
  const SplitPlan plan = plan_splits(request);
  nlohmann::json identity = request_identity(request, plan);
  identity["tokenizer"] = tokenizer.hash();
  if (records == Records::kLines) identity["numbered"] = "by line";
  const fs::path path = cache_folder(config) / "prepared" / key_of(identity) / "text.lctok";
  if (auto found = from_cache(path, TokenFile::open)) return *found;
  SplitReport report;
  write_split({path, "text", plan.parts.at("text"), plan.bytes.at("text")}, request, tokenizer,
              report);
  log_split_report(report);
  return TokenFile::open(path);
}

}  // namespace lc
