// Pieces of a self-contained HTML page. What comes from runs goes through these: text is escaped,
// and plots stand there as images of their own, in which nothing runs and nothing is fetched.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace lc {

// "loss" and CSS class "value" of a <td>; inner is HTML already.
std::string html_element(const std::string& tag, const std::string& css_class,
                         const std::string& inner);

// The whole SVG file as a data URI; alt: what a reader who can't see it gets.
std::string html_image(std::string_view svg, const std::string& alt);

struct HtmlCell {
  std::string text;       // not escaped yet
  std::string css_class;  // "number", "differs", ...; may be empty
};
struct HtmlTable {
  std::vector<HtmlCell> head;  // empty: none
  std::vector<std::vector<HtmlCell>> rows;
};
// In a frame that scrolls sideways where the page is narrow.
std::string html_table(const HtmlTable& table);

// What opens on a click.
std::string html_details(const std::string& summary, const std::string& inner);

// Numbers with the digits that people read, whole ones from 10,000 on with thousands separators;
// "-" for null, "yes" or "no", lists with commas.
HtmlCell html_value(const nlohmann::json& value);

}  // namespace lc
