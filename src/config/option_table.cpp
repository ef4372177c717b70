#include "config/option_table.h"

#include <algorithm>

#include "config/nearest_name.h"
#include "core/error.h"

namespace lc {
namespace {

Option make(std::string path, OptionType type, nlohmann::json fallback) {
  Option option;
  option.path = std::move(path);
  option.type = type;
  option.fallback = std::move(fallback);
  return option;
}

}  // namespace

Option Option::integer(std::string path, nlohmann::json fallback) {
  return make(std::move(path), OptionType::kInteger, std::move(fallback));
}
Option Option::number(std::string path, nlohmann::json fallback) {
  return make(std::move(path), OptionType::kNumber, std::move(fallback));
}
Option Option::boolean(std::string path, bool fallback) {
  return make(std::move(path), OptionType::kBoolean, fallback);
}
Option Option::text(std::string path, nlohmann::json fallback) {
  return make(std::move(path), OptionType::kText, std::move(fallback));
}
Option Option::choice(std::string path, nlohmann::json fallback, std::vector<std::string> choices) {
  Option option = make(std::move(path), OptionType::kChoice, std::move(fallback));
  option.choices = std::move(choices);
  return option;
}
Option Option::list(std::string path, OptionType type, nlohmann::json fallback) {
  return make(std::move(path), type, std::move(fallback));
}
Option Option::schedule(std::string path, int64_t fallback) {
  return make(std::move(path), OptionType::kSchedule, fallback);
}
Option& Option::at_least(double value) {
  minimum = value;
  return *this;
}
Option& Option::more_than(double value) {
  minimum = value;
  minimum_excluded = true;
  return *this;
}
Option& Option::at_most(double value) {
  maximum = value;
  return *this;
}
Option& Option::less_than(double value) {
  maximum = value;
  maximum_excluded = true;
  return *this;
}
Option& Option::in(std::string_view unit_name) {
  unit = unit_name;
  return *this;
}
Option& Option::says(std::string_view sentence) {
  help = sentence;
  return *this;
}
Option& Option::architecture() {
  scope = OptionScope::kArchitecture;
  return *this;
}
Option& Option::for_training() {
  training_only = true;
  return *this;
}
Option& Option::or_null() {
  nullable = true;
  return *this;
}
Option& Option::taken_on_resume() {
  on_resume = OnResume::kTaken;
  return *this;
}
Option& Option::taken_with_note_on_resume() {
  on_resume = OnResume::kTakenWithNote;
  return *this;
}

void OptionTable::add(std::vector<Option> options) {
  for (Option& option : options) {
    LC_CHECK(std::none_of(options_.begin(), options_.end(),
                          [&](const Option& known) { return known.path == option.path; }));
    options_.push_back(std::move(option));
  }
}

const Option* OptionTable::find(std::string_view path) const {
  for (const Option& option : options_) {
    if (option.path == path) return &option;
  }
  return nullptr;
}

std::string OptionTable::nearest(std::string_view path) const {
  NearestName nearest{std::string(path)};
  for (const Option& option : options_) {
    const std::string_view known = option.path;
    for (size_t dot = known.find('.'); dot != known.npos; dot = known.find('.', dot + 1)) {
      nearest.offer(known.substr(0, dot));  // a section
    }
    // The whole path, or a key that was written outside of its section.
    nearest.offer(
        known, std::min(edits(known, path), 1 + edits(known.substr(known.rfind('.') + 1), path)));
  }
  return nearest.best();
}

}  // namespace lc
