#include "config/config.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "config/json_text.h"
#include "core/error.h"

namespace lc {
namespace {

using Json = nlohmann::json;

std::string pointer(std::string_view path) {
  std::string text = "/";
  for (const char c : path) text += c == '.' ? '/' : c;
  return text;
}

bool passes_unread(std::string_view key) {
  return key == "$schema" || key.substr(0, 8) == "_comment";
}

std::string number_text(double value) { return Json(value).dump(); }

std::string range_text(const Option& option) {
  std::string text;
  if (option.minimum) {
    text += (option.minimum_excluded ? "more than " : "at least ") + number_text(*option.minimum);
  }
  if (option.maximum) {
    text += std::string(text.empty() ? "" : " and ") +
            (option.maximum_excluded ? "less than " : "at most ") + number_text(*option.maximum);
  }
  return text + (option.unit.empty() ? "" : " " + option.unit);
}

// Checks one value against its row; gives it in the row's own type (1e4 as an integer).
class Checker {
 public:
  Checker(const Option& option, std::string path) : option_(option), path_(std::move(path)) {}

  std::optional<Json> check(const Json& value) {
    if (value.is_null()) {
      if (option_.nullable) return value;
      return fault(value, "give " + wanted());
    }
    switch (option_.type) {
      case OptionType::kInteger:
        return integer(value);
      case OptionType::kNumber:
        return number(value);
      case OptionType::kBoolean:
        return value.is_boolean() ? take(value) : fault(value, "");
      case OptionType::kText:
        return value.is_string() ? take(value) : fault(value, "");
      case OptionType::kChoice:
        return choice(value);
      case OptionType::kSchedule:
        return schedule(value);
      default:
        return list(value);
    }
  }
  const std::string& message() const { return message_; }

 private:
  static std::optional<Json> take(const Json& value) { return value; }

  std::string wanted() const {
    switch (option_.type) {
      case OptionType::kInteger:
        return "an integer";
      case OptionType::kNumber:
        return "a number";
      case OptionType::kBoolean:
        return "true or false";
      case OptionType::kText:
        return "a text";
      case OptionType::kChoice:
        return "one of its choices";
      case OptionType::kIntegerList:
        return "a list of integers";
      case OptionType::kNumberList:
        return "a list of numbers";
      case OptionType::kBooleanList:
        return "a list of true and false";
      case OptionType::kTextList:
        return "a text or a list of texts";
      case OptionType::kSchedule:
        return "an integer or [[from, value], ...]";
    }
    return "";
  }

  std::optional<Json> fault(const Json& value, const std::string& remedy) {
    message_ =
        path_ + ": " + value.dump() + " is not " + wanted() + (remedy.empty() ? "" : "; " + remedy);
    return {};
  }
  std::optional<Json> outside(const Json& value) {
    message_ = path_ + ": " + value.dump() + " is out of range; give " + range_text(option_);
    return {};
  }

  bool in_range(double value) const {
    if (option_.minimum &&
        (value < *option_.minimum || (option_.minimum_excluded && value == *option_.minimum))) {
      return false;
    }
    return !(option_.maximum &&
             (value > *option_.maximum || (option_.maximum_excluded && value == *option_.maximum)));
  }

  std::optional<Json> integer(const Json& value) {
    if (!value.is_number()) return fault(value, "");
    const double real = value.get<double>();
    if (value.is_number_float() && (real != std::floor(real) || std::abs(real) > 9e15)) {
      return fault(value, "");
    }
    if (value.is_number_unsigned() && value.get<uint64_t>() > INT64_MAX) return outside(value);
    if (!in_range(real)) return outside(value);
    return Json(value.is_number_float() ? static_cast<int64_t>(real) : value.get<int64_t>());
  }
  std::optional<Json> number(const Json& value) {
    if (!value.is_number() || !std::isfinite(value.get<double>())) return fault(value, "");
    return in_range(value.get<double>()) ? Json(value.get<double>()) : outside(value);
  }
  std::optional<Json> choice(const Json& value) {
    if (value.is_string() &&
        std::count(option_.choices.begin(), option_.choices.end(), value.get<std::string>()) > 0) {
      return value;
    }
    std::string choices;
    for (const std::string& one : option_.choices) choices += (choices.empty() ? "" : ", ") + one;
    message_ = path_ + ": " + value.dump() + " is unknown; choose one of " + choices;
    return {};
  }
  std::optional<Json> element(const Json& value) {
    switch (option_.type) {
      case OptionType::kIntegerList:
        return integer(value);
      case OptionType::kNumberList:
        return number(value);
      case OptionType::kBooleanList:
        return value.is_boolean() ? take(value) : fault(value, "");
      default:
        return value.is_string() ? take(value) : fault(value, "");
    }
  }
  std::optional<Json> list(const Json& value) {
    if (option_.type == OptionType::kTextList && value.is_string()) return Json::array({value});
    if (!value.is_array()) return fault(value, "");
    Json result = Json::array();
    for (const Json& one : value) {
      const auto checked = element(one);
      if (!checked) return {};
      result.push_back(*checked);
    }
    return result;
  }
  std::optional<Json> schedule(const Json& value) {
    if (value.is_number()) return integer(value);
    if (!value.is_array() || value.empty()) return fault(value, "");
    Json result = Json::array();
    int64_t before = -1;
    for (const Json& pair : value) {
      if (!pair.is_array() || pair.size() != 2 || !pair[0].is_number_integer()) {
        return fault(value, "");
      }
      const auto from = pair[0].get<int64_t>();
      if (from <= before || (before == -1 && from != 0)) {
        message_ = path_ + ": " + value.dump() + " doesn't ascend from 0; begin with [0, value]";
        return {};
      }
      before = from;
      const auto checked = integer(pair[1]);
      if (!checked) return {};
      result.push_back({from, *checked});
    }
    return result;
  }

  const Option& option_;
  std::string path_;
  std::string message_;
};

// Gathers values and faults while the given JSON is walked.
struct Reader {
  const OptionTable& table;
  Json values = Json::object();
  std::vector<std::string> given;
  std::vector<std::string> faults;

  bool is_section(const std::string& path) const {
    const std::string beginning = path + ".";
    for (const Option& option : table.options()) {
      if (option.path.starts_with(beginning)) return true;
      const size_t star = option.path.find('*');
      if (star != std::string::npos && path.starts_with(option.path.substr(0, star)) &&
          std::count(path.begin(), path.end(), '.') <
              std::count(option.path.begin(), option.path.end(), '.')) {
        return true;
      }
    }
    return false;
  }

  void set(const std::string& path, const Json& value) {
    const Option* option = table.find(path);
    if (option == nullptr) return unknown(path);
    Checker checker(*option, path);
    if (const auto checked = checker.check(value)) {
      values[Json::json_pointer(pointer(path))] = *checked;
      given.push_back(path);
    } else {
      faults.push_back(checker.message());
    }
  }

  void unknown(const std::string& path) {
    const std::string nearest = table.nearest(path);
    faults.push_back(path + ": unknown key; " +
                     (nearest.empty() ? "see --help-config" : "did you mean " + nearest + "?"));
  }

  void walk(const Json& json, const std::string& prefix) {
    for (const auto& [key, value] : json.items()) {
      if (passes_unread(key)) continue;
      const std::string path = prefix.empty() ? key : prefix + "." + key;
      if (value.is_object() && is_section(path)) {
        walk(value, path);
      } else if (is_section(path) && table.find(path) == nullptr) {
        faults.push_back(path + ": " + value.dump() + " is no section; give an object { ... }");
      } else {
        set(path, value);
      }
    }
  }

  void override_with(const std::string& text) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      faults.push_back("--set " + text + ": there is no key=value; write --set model.layers=6");
      return;
    }
    const std::string path = text.substr(0, equals);
    const std::string written = text.substr(equals + 1);
    const Json parsed = Json::parse(written, nullptr, false);
    set(path, parsed.is_discarded() ? Json(written) : parsed);
  }

  // Defaults of all rows; those under a "*" only where the user named something there.
  void fill_defaults() {
    for (const Option& option : table.options()) {
      const size_t star = option.path.find("*");
      if (star == std::string::npos) {
        const Json::json_pointer place(pointer(option.path));
        if (!values.contains(place)) values[place] = option.fallback;
        continue;
      }
      const std::string parent = option.path.substr(0, star - 1);
      const Json::json_pointer place(pointer(parent));
      if (!values.contains(place)) values[place] = Json::object();
      for (auto& [name, entry] : values[place].items()) {
        const Json::json_pointer inside(pointer(option.path.substr(star + 2)));
        if (!entry.contains(inside)) entry[inside] = option.fallback;
      }
    }
  }
};

}  // namespace

Config Config::read(const OptionTable& table, std::string_view text, std::string_view source,
                    const std::vector<std::string>& overrides) {
  Reader reader{table, Json::object(), {}, {}};
  reader.walk(parse_strict_json(text, source, reader.faults), "");
  for (const std::string& one : overrides) reader.override_with(one);
  if (!reader.faults.empty()) {
    std::string all;
    for (const std::string& fault : reader.faults) {
      if (!all.empty()) all += '\n';
      all.append(source).append(": ").append(fault);
    }
    throw Error(ErrorKind::kUsage, "", all, "");
  }
  reader.fill_defaults();
  Config config;
  config.values_ = std::move(reader.values);
  config.given_ = std::move(reader.given);
  return config;
}

bool Config::given(std::string_view path) const {
  return std::find(given_.begin(), given_.end(), path) != given_.end();
}

const Json& Config::at(std::string_view path) const {
  const Json::json_pointer place(pointer(path));
  LC_CHECK(values_.contains(place));
  return values_.at(place);
}

Config Config::with(const OptionTable& table, std::string_view path, const Json& value) const {
  Reader reader{table, values_, given_, {}};
  reader.set(std::string(path), value);
  if (!reader.faults.empty()) throw Error(ErrorKind::kUsage, "", reader.faults.front(), "");
  Config changed;
  changed.values_ = std::move(reader.values);
  changed.given_ = std::move(reader.given);
  return changed;
}

std::string Config::dump() const { return values_.dump(2) + "\n"; }

std::vector<ConfigChange> changes(const OptionTable& table, const Config& before,
                                  const Config& after) {
  std::set<std::string> paths;
  for (const Config* config : {&before, &after}) {
    for (const auto& [place, value] : config->values().flatten().items()) {
      // Leaves of lists and schedules belong to the row above them.
      std::string path;
      for (const char c : place.substr(1)) path += c == '/' ? '.' : c;
      while (!path.empty() && table.find(path) == nullptr) {
        const size_t dot = path.rfind('.');
        path = dot == std::string::npos ? "" : path.substr(0, dot);
      }
      if (!path.empty()) paths.insert(path);
    }
  }
  std::vector<ConfigChange> result;
  for (const std::string& path : paths) {
    const Json::json_pointer place(pointer(path));
    const Json old_value = before.values().contains(place) ? before.values().at(place) : Json();
    const Json new_value = after.values().contains(place) ? after.values().at(place) : Json();
    if (old_value != new_value) {
      result.push_back({path, old_value, new_value, table.find(path)->on_resume});
    }
  }
  return result;
}

int64_t scheduled_value(const Json& schedule, int64_t step) {
  if (schedule.is_number()) return schedule.get<int64_t>();
  int64_t value = 0;
  for (const Json& pair : schedule) {
    if (pair[0].get<int64_t>() <= step) value = pair[1].get<int64_t>();
  }
  return value;
}

}  // namespace lc
