#include "config/help_text.h"

namespace lc {
namespace {

std::string type_text(const Option& option) {
  switch (option.type) {
    case OptionType::kInteger:
      return "integer";
    case OptionType::kNumber:
      return "number";
    case OptionType::kBoolean:
      return "true | false";
    case OptionType::kText:
      return "text";
    case OptionType::kIntegerList:
      return "integers";
    case OptionType::kNumberList:
      return "numbers";
    case OptionType::kBooleanList:
      return "list of true | false";
    case OptionType::kTextList:
      return "text or texts";
    case OptionType::kSchedule:
      return "integer or [[from, value], ...]";
    case OptionType::kChoice:
      break;
  }
  std::string text;
  for (const std::string& choice : option.choices) text += (text.empty() ? "" : " | ") + choice;
  return text;
}

}  // namespace

std::string help_text(const OptionTable& table) {
  std::string text;
  std::string section;
  for (const Option& option : table.options()) {
    const std::string own = option.path.substr(0, option.path.find('.'));
    if (own != section) text += (section.empty() ? "" : "\n") + own + "\n";
    section = own;
    text += "  " + option.path + " (" + type_text(option) +
            (option.unit.empty() ? "" : ", " + option.unit) + "; default " +
            option.fallback.dump() + ")\n      " + option.help + "\n";
  }
  return text;
}

}  // namespace lc
