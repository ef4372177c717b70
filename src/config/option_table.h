// The type of an option row and the table of all options.
//
// Every key that a user can type in a config file is one row: path, type, default, range, unit,
// help, scope, and what happens when it differs on resume. Each part of the program brings its own
// rows (data_options(), optim_options(), a registry entry's options ...); the apps merge them. The
// reader, --dump-config, --help-config and the documentation are all made from the table.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lc {

enum class OptionType {
  kInteger,  // JSON integers, and integral floats such as 1e4
  kNumber,   // any finite number
  kBoolean,
  kText,
  kChoice,  // one of a list of texts
  kIntegerList,
  kNumberList,
  kBooleanList,
  kTextList,  // a text alone is taken as a list of one
  kSchedule,  // an integer, or [[from, value], ...] with ascending from, the first 0
};

// The longest that a length in tokens, slots or segments may be: sums and products of such lengths,
// over all layers too, are whole numbers of 64 bits.
inline constexpr int64_t kLongestLength = int64_t{1} << 31;

// architecture: fixed once weights exist. runtime: may be set anew at evaluation.
enum class OptionScope { kArchitecture, kRuntime };

// Whether a changed value is taken when a run is resumed (PROTOCOL: Resume).
enum class OnResume { kRefused, kTaken, kTakenWithNote };

struct Option {
  std::string path;  // "model.layers"
  OptionType type;
  nlohmann::json fallback;        // default; null: absent unless given
  bool nullable = false;          // null may be written
  std::optional<double> minimum;  // of a number, or of each element of a list
  std::optional<double> maximum;
  bool minimum_excluded = false;
  bool maximum_excluded = false;
  std::vector<std::string> choices;
  std::string unit;  // "tokens", "steps", "nats"; empty: none
  std::string help;  // one sentence
  OptionScope scope = OptionScope::kRuntime;
  bool training_only = false;  // the same weights compute the same under every value
  OnResume on_resume = OnResume::kRefused;

  // Rows read as sentences: Option::integer("model.layers", 4).at_least(1).architecture()...
  static Option integer(std::string path, nlohmann::json fallback);
  static Option number(std::string path, nlohmann::json fallback);
  static Option boolean(std::string path, bool fallback);
  static Option text(std::string path, nlohmann::json fallback);
  static Option choice(std::string path, nlohmann::json fallback, std::vector<std::string> choices);
  static Option list(std::string path, OptionType type, nlohmann::json fallback);
  static Option schedule(std::string path, int64_t fallback);
  Option& at_least(double value);
  Option& more_than(double value);
  Option& at_most(double value);
  Option& less_than(double value);
  Option& in(std::string_view unit_name);
  Option& says(std::string_view sentence);
  Option& architecture();
  Option& for_training();  // training_only
  Option& or_null();
  Option& taken_on_resume();
  Option& taken_with_note_on_resume();
};

class OptionTable {
 public:
  void add(std::vector<Option> options);  // a path given twice is a slip
  const std::vector<Option>& options() const { return options_; }
  const Option* find(std::string_view path) const;
  // The known path of an option or a section most like this one, or "".
  std::string nearest(std::string_view path) const;

 private:
  std::vector<Option> options_;
};

}  // namespace lc
