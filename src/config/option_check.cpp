#include "config/option_check.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <tuple>

#include "config/json_text.h"

namespace lc {
namespace {

using Json = nlohmann::json;

// Integers beyond this aren't all numbers of their own in a double.
constexpr double kLargestExact = 9007199254740992.0;

std::string text_of(const Json& value) { return json_text(value, -1); }

std::string range_text(const Option& option) {
  const auto bound = [](double value) {
    const auto whole = static_cast<int64_t>(value);
    return static_cast<double>(whole) == value ? std::to_string(whole) : text_of(value);
  };
  std::string text;
  if (option.minimum) {
    text += (option.minimum_excluded ? " more than " : " of at least ") + bound(*option.minimum);
  }
  if (option.maximum) {
    text += (text.empty() ? "" : " and") +
            std::string(option.maximum_excluded ? " less than " : " at most ") +
            bound(*option.maximum);
  }
  return text;
}

}  // namespace

std::string OptionCheck::wanted() const {
  const std::string range = range_text(option_);
  switch (option_.type) {
    case OptionType::kInteger:
      return "an integer" + range;
    case OptionType::kNumber:
      return "a number" + range;
    case OptionType::kBoolean:
      return "true or false";
    case OptionType::kText:
      return "a text";
    case OptionType::kIntegerList:
      return "a list of integers" + range;
    case OptionType::kNumberList:
      return "a list of numbers" + range;
    case OptionType::kBooleanList:
      return "a list of true and false";
    case OptionType::kTextList:
      return "a text or a list of texts";
    case OptionType::kSchedule:
      return "an integer" + range + ", or [[0, value], [from, value], ...] with ascending from";
    case OptionType::kChoice:
      break;
  }
  std::string choices;
  for (const std::string& choice : option_.choices) {
    choices += (choices.empty() ? "" : ", ") + choice;
  }
  return "one of " + choices;
}

OptionCheck::Checked OptionCheck::refuse(const Json& written, const std::string& what) {
  message_ = option_.path + ": " + text_of(written) + " " + what + "; give " + wanted() +
             (option_.nullable ? ", or null" : "");
  return {};
}

OptionCheck::Checked OptionCheck::value(const Json& written) {
  if (written.is_null() && option_.nullable) return written;
  switch (option_.type) {
    case OptionType::kIntegerList:
    case OptionType::kNumberList:
    case OptionType::kBooleanList:
    case OptionType::kTextList:
      return list(written);
    case OptionType::kSchedule:
      return schedule(written);
    default:
      return element(written);
  }
}

OptionCheck::Checked OptionCheck::element(const Json& written) {
  const auto taken = [&](bool fits, const char* otherwise) -> Checked {
    return fits ? Checked(written) : refuse(written, otherwise);
  };
  switch (option_.type) {
    case OptionType::kInteger:
    case OptionType::kIntegerList:
    case OptionType::kSchedule:
      return integer(written);
    case OptionType::kNumber:
    case OptionType::kNumberList:
      return number(written);
    case OptionType::kBoolean:
    case OptionType::kBooleanList:
      return taken(written.is_boolean(), "is neither true nor false");
    case OptionType::kText:
    case OptionType::kTextList:
      if (!written.is_string()) return refuse(written, "is no text");
      return taken(!written.get<std::string>().empty(), "is empty");
    case OptionType::kChoice:
      break;
  }
  const auto& choices = option_.choices;
  return taken(written.is_string() && std::find(choices.begin(), choices.end(),
                                                written.get<std::string>()) != choices.end(),
               "is no choice");
}

OptionCheck::Checked OptionCheck::in_range(const Json& written, const Json& taken) {
  const double value = taken.get<double>();
  const auto& [low, high] = std::tie(option_.minimum, option_.maximum);
  const bool below = low && (value < *low || (option_.minimum_excluded && value == *low));
  const bool above = high && (value > *high || (option_.maximum_excluded && value == *high));
  return below || above ? refuse(written, "is out of range") : Checked(taken);
}

OptionCheck::Checked OptionCheck::integer(const Json& written) {
  if (!written.is_number()) return refuse(written, "is no integer");
  if (written.is_number_float()) {
    const double real = written.get<double>();
    if (!(std::abs(real) <= kLargestExact) || real != std::floor(real)) {
      return refuse(written, "is no integer");
    }
    return in_range(written, static_cast<int64_t>(real));
  }
  if (written.is_number_unsigned() &&
      written.get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    return refuse(written, "is out of range");
  }
  return in_range(written, written.get<int64_t>());
}

OptionCheck::Checked OptionCheck::number(const Json& written) {
  if (!written.is_number() || !std::isfinite(written.get<double>())) {
    return refuse(written, "is no finite number");
  }
  return in_range(written, written.get<double>());
}

OptionCheck::Checked OptionCheck::list(const Json& written) {
  if (option_.type == OptionType::kTextList && written.is_string()) {
    return element(written) ? Checked(Json::array({written})) : Checked();
  }
  if (!written.is_array()) return refuse(written, "is no list");
  Json taken = Json::array();
  for (const Json& one : written) {
    const Checked checked = element(one);
    if (!checked) return {};
    taken.push_back(*checked);
  }
  return taken;
}

OptionCheck::Checked OptionCheck::schedule(const Json& written) {
  if (!written.is_array()) return integer(written);
  Json taken = Json::array();
  int64_t before = -1;
  for (const Json& pair : written) {
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_number_integer()) {
      return refuse(written, "is no schedule");
    }
    const auto from = pair[0].get<int64_t>();
    if (from <= before || (before == -1 && from != 0)) {
      return refuse(written, "doesn't ascend from 0");
    }
    before = from;
    const Checked checked = integer(pair[1]);
    if (!checked) return {};
    taken.push_back({from, *checked});
  }
  return taken.empty() ? refuse(written, "is empty") : Checked(taken);
}

}  // namespace lc
