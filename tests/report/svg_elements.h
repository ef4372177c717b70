// Plots read back: a strict reader of the subset of XML that they are made of.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace svg {

struct Element {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string text;
};

// All elements in order; any fault of the file fails the test.
std::vector<Element> parse(const std::string& text);
// The same of markup without an XML head, such as a page of HTML that closes every element.
std::vector<Element> parse_markup(const std::string& text);

// Those of that name and CSS class.
std::vector<Element> of_class(const std::vector<Element>& elements, const std::string& name,
                              const std::string& css_class);

}  // namespace svg
