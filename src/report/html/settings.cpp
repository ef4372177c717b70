#include "report/html/settings.h"

#include <algorithm>
#include <map>
#include <optional>

#include "config/json_text.h"
#include "models/registry.h"
#include "report/html/text.h"
#include "report/svg/plot_text.h"

namespace lc {
namespace {

using Leaves = std::vector<std::pair<std::string, nlohmann::json>>;

void add_leaves(const nlohmann::ordered_json& object, const std::string& prefix, Leaves& leaves) {
  for (const auto& [key, value] : object.items()) {
    const std::string path = prefix + key;
    if (value.is_object() && !value.empty()) {
      add_leaves(value, path + ".", leaves);
    } else {
      leaves.emplace_back(path, nlohmann::json::parse(value.dump(
                                    -1, ' ', false, nlohmann::json::error_handler_t::replace)));
    }
  }
}

std::string type_of(const RunSettings& run) {
  const auto model = run.config.find("model");
  if (model == run.config.end() || !model->is_object()) return "";
  const auto type = model->find("type");
  return type != model->end() && type->is_string() ? type->get<std::string>() : "";
}

// Whether a path lies in the block of another model type.
bool idle_setting(const std::string& path, const std::string& type) {
  for (const ModelEntry& entry : model_registry()) {
    if (entry.type != type && path.rfind("model." + entry.type + ".", 0) == 0) return true;
  }
  return false;
}

struct SettingRow {
  std::string path;
  std::vector<std::optional<nlohmann::json>> values;  // one a run; none: absent or idle

  bool differs() const {
    return std::any_of(values.begin(), values.end(),
                       [&](const auto& value) { return value != values.front(); });
  }
};

std::vector<SettingRow> setting_rows(const std::vector<RunSettings>& runs) {
  std::vector<SettingRow> rows;
  std::map<std::string, size_t> places;
  for (size_t r = 0; r < runs.size(); ++r) {
    Leaves leaves;
    add_leaves(runs[r].config, "", leaves);
    const std::string type = type_of(runs[r]);
    for (auto& [path, value] : leaves) {
      if (idle_setting(path, type)) continue;
      const auto [place, added] = places.try_emplace(path, rows.size());
      if (added) rows.push_back({path, std::vector<std::optional<nlohmann::json>>(runs.size())});
      rows[place->second].values[r] = std::move(value);
    }
  }
  return rows;
}

// As a config says it.
HtmlCell value_cell(const std::optional<nlohmann::json>& value) {
  if (!value) return {"", ""};
  if (value->is_null()) return {"null", "soft"};
  return {value->is_string() ? value->get<std::string>() : json_text(*value, -1), ""};
}

std::string differing_settings(const std::vector<SettingRow>& rows,
                               const std::vector<RunSettings>& runs) {
  HtmlTable table;
  table.head.push_back({"setting", ""});
  for (const RunSettings& run : runs) table.head.push_back({run.name, ""});
  for (const SettingRow& row : rows) {
    if (!row.differs()) continue;
    table.rows.push_back({{row.path, "key differs"}});
    for (const auto& value : row.values) table.rows.back().push_back(value_cell(value));
  }
  if (table.rows.empty()) return html_element("p", "note", "All settings are the same.");
  return html_table(table);
}

std::string common_settings(const std::vector<SettingRow>& rows) {
  std::vector<std::string> order;
  std::map<std::string, HtmlTable> sections;
  for (const SettingRow& row : rows) {
    if (row.differs()) continue;
    const std::string section = row.path.substr(0, row.path.find('.'));
    if (!sections.contains(section)) order.push_back(section);
    sections[section].rows.push_back({{row.path, "key"}, value_cell(row.values.front())});
  }
  std::string html;
  for (const std::string& section : order) {
    const HtmlTable& table = sections[section];
    html += html_details(section + ": " + std::to_string(table.rows.size()) + " settings",
                         html_table(table));
  }
  return html;
}

}  // namespace

std::string html_settings(const std::vector<RunSettings>& runs) {
  const std::vector<SettingRow> rows = setting_rows(runs);
  if (runs.size() < 2) return common_settings(rows);
  return html_element("h3", "", "What differs") + differing_settings(rows, runs) +
         html_element("h3", "", "The same in all runs") + common_settings(rows);
}

}  // namespace lc
