#include "config/config.h"

#include <algorithm>
#include <optional>
#include <set>

#include "config/json_text.h"
#include "config/option_check.h"
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

// Gathers values and faults while the given JSON is walked.
struct Reader {
  const OptionTable& table;
  Json values = Json::object();
  std::vector<std::string> given;
  std::vector<std::string> faults;

  bool is_section(const std::string& path) const {
    const std::string beginning = path + ".";
    return std::any_of(table.options().begin(), table.options().end(),
                       [&](const Option& option) { return option.path.starts_with(beginning); });
  }

  void set(const std::string& path, const Json& value) {
    const Option* option = table.find(path);
    if (option == nullptr) return unknown(path);
    OptionCheck check(*option);
    if (const auto checked = check.value(value)) {
      values[Json::json_pointer(pointer(path))] = *checked;
      given.push_back(path);
    } else {
      faults.push_back(check.message());
    }
  }

  // A part of a path is a name: no dot, nothing that JSON pointers read otherwise.
  static bool is_name(std::string_view key) {
    const auto letter = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    const auto fits = [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '-'; };
    return !key.empty() && letter(key.front()) && std::all_of(key.begin(), key.end(), fits);
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
      if (!is_name(key)) {
        faults.push_back(path + ": \"" + key + "\" is no name; nest sections with { }, and use " +
                         "letters, digits, - and _");
        continue;
      }
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
      faults.push_back(text + ": there is no key=value; write --set model.layers=6");
      return;
    }
    // Nested as a file has it, so that whole sections may be given too.
    const std::string path = text.substr(0, equals);
    Json nested = typed_value(text.substr(equals + 1));
    size_t end = path.size();
    while (true) {
      const size_t dot = path.rfind('.', end == 0 ? 0 : end - 1);
      const size_t begin = dot == std::string::npos || end == 0 ? 0 : dot + 1;
      nested = Json{{path.substr(begin, end - begin), std::move(nested)}};
      if (begin == 0) break;
      end = begin - 1;
    }
    walk(nested, "");
  }

  void fill_defaults() {
    for (const Option& option : table.options()) {
      const Json::json_pointer place(pointer(option.path));
      if (!values.contains(place)) values[place] = option.fallback;
    }
  }
};

}  // namespace

Config Config::read(const OptionTable& table, std::string_view text, std::string_view source,
                    const std::vector<std::string>& overrides) {
  Reader reader{table, Json::object(), {}, {}};
  reader.walk(parse_strict_json(text, source, reader.faults), "");
  for (const std::string& one : overrides) {
    const size_t known = reader.faults.size();
    reader.override_with(one);
    for (size_t i = known; i < reader.faults.size(); ++i) reader.faults[i].insert(0, "--set ");
  }
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
  for (const Option& option : table.options()) config.order_.push_back(option.path);
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
  if (!reader.faults.empty()) {
    const std::string rest = reader.faults.front().substr(path.size() + 2);  // after "path: "
    throw Error(ErrorKind::kUsage, path, rest, "");
  }
  Config changed;
  changed.values_ = std::move(reader.values);
  changed.given_ = std::move(reader.given);
  changed.order_ = order_;
  return changed;
}

std::string Config::dump() const {
  nlohmann::ordered_json ordered;
  for (const std::string& path : order_) {
    const std::string place = pointer(path);
    ordered[nlohmann::ordered_json::json_pointer(place)] = values_.at(Json::json_pointer(place));
  }
  return ordered.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::vector<ConfigChange> changes(const OptionTable& table, const Config& before,
                                  const Config& after) {
  std::set<std::string> paths;
  for (const Config* config : {&before, &after}) {
    const Json flat = config->values().flatten();
    for (const auto& [place, value] : flat.items()) {
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
