#include "report/svg_elements.h"

#include <utility>

#include "catch.h"

namespace svg {
namespace {

std::string unescape(std::string text) {
  const std::vector<std::pair<std::string, std::string>> entities = {
      {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&amp;", "&"}};
  for (const auto& [entity, character] : entities) {
    for (size_t at = text.find(entity); at != std::string::npos; at = text.find(entity, at + 1)) {
      text.replace(at, entity.size(), character);
    }
  }
  return text;
}

Element read_tag(const std::string& inside) {
  Element element;
  size_t at = inside.find_first_of(" \n");
  element.name = inside.substr(0, at);
  while (at != std::string::npos && (at = inside.find_first_not_of(" \n", at)) < inside.size()) {
    const size_t equals = inside.find("=\"", at);
    REQUIRE(equals != std::string::npos);
    const size_t close = inside.find('"', equals + 2);
    REQUIRE(close != std::string::npos);
    const std::string key = inside.substr(at, equals - at);
    REQUIRE(key.find_first_of(" \n<>'") == std::string::npos);
    REQUIRE(element.attributes.count(key) == 0);
    element.attributes[key] = inside.substr(equals + 2, close - equals - 2);
    at = close + 1;
  }
  return element;
}

}  // namespace

std::vector<Element> parse(const std::string& file) {
  REQUIRE(file.rfind("<?xml version=\"1.0\" encoding=\"UTF-8\"?>", 0) == 0);
  std::vector<Element> elements = parse_markup(file.substr(file.find("?>") + 2));
  REQUIRE(elements.front().name == "svg");
  return elements;
}

std::vector<Element> parse_markup(const std::string& file) {
  std::vector<Element> elements;
  std::vector<size_t> open;
  size_t at = 0;
  while (at < file.size()) {
    const size_t tag = file.find('<', at);
    const std::string text = file.substr(at, tag - at);
    for (size_t amp = text.find('&'); amp != std::string::npos; amp = text.find('&', amp + 1)) {
      const std::string entity = text.substr(amp, text.find(';', amp) - amp + 1);
      CAPTURE(entity);
      REQUIRE((entity == "&amp;" || entity == "&lt;" || entity == "&gt;" || entity == "&quot;"));
    }
    if (!open.empty()) elements[open.back()].text += unescape(text);
    if (tag == std::string::npos) break;
    const size_t end = file.find('>', tag);
    REQUIRE(end != std::string::npos);
    std::string inside = file.substr(tag + 1, end - tag - 1);
    at = end + 1;
    if (inside[0] == '/') {
      REQUIRE(!open.empty());
      REQUIRE(elements[open.back()].name == inside.substr(1));
      open.pop_back();
      continue;
    }
    const bool closed = inside.back() == '/';
    if (closed) inside.pop_back();
    REQUIRE(inside.find('<') == std::string::npos);
    elements.push_back(read_tag(inside));
    if (!closed) open.push_back(elements.size() - 1);
  }
  REQUIRE(open.empty());
  REQUIRE(!elements.empty());
  return elements;
}

std::vector<Element> of_class(const std::vector<Element>& elements, const std::string& name,
                              const std::string& css_class) {
  std::vector<Element> result;
  for (const Element& element : elements) {
    const auto found = element.attributes.find("class");
    if (element.name != name || found == element.attributes.end()) continue;
    if ((" " + found->second + " ").find(" " + css_class + " ") != std::string::npos) {
      result.push_back(element);
    }
  }
  return result;
}

}  // namespace svg
