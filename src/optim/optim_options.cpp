#include "optim/schedule.h"
#include "optim/update_rule.h"

namespace lc {
namespace {

using O = Option;

Option rule_row() {
  std::vector<std::string> names;
  std::string says;
  for (const UpdateRuleKind& kind : update_rule_kinds()) {
    names.push_back(kind.name);
    says += (says.empty() ? "" : "; ") + kind.name + ": " + kind.says;
  }
  return O::choice("optim.name", "adam", names).says(says + ".");
}

std::vector<Option> optimizer_rows() {
  return {
      rule_row(),
      O::number("optim.lr", 2.5e-4)
          .more_than(0)
          .taken_on_resume()
          .says("Highest learning rate; the schedule says how it changes."),
      O::list("optim.betas", OptionType::kNumberList, {0.9, 0.999})
          .at_least(0)
          .less_than(1)
          .taken_on_resume()
          .says("Decay rates of the two moments of adam, adamw and lamb."),
      O::number("optim.eps", 1e-8)
          .more_than(0)
          .taken_on_resume()
          .says("Added to the root of their second moment."),
      O::number("optim.weight_decay", 0.0)
          .at_least(0)
          .taken_on_resume()
          .says("Weight decay; it touches matrices only."),
      O::number("optim.clip_norm", nullptr)
          .more_than(0)
          .or_null()
          .taken_on_resume()
          .says("The gradient of each group is scaled down to this 2-norm; null: never."),
  };
}

std::vector<Option> group_rows(const std::string& name) {
  const std::string section = "optim.groups." + name;
  return {
      O::number(section + ".lr", nullptr)
          .at_least(0)
          .or_null()
          .taken_on_resume()
          .says("Highest rate of parameter group \"" + name +
                "\", scheduled in proportion; null: optim.lr."),
      O::number(section + ".weight_decay", nullptr)
          .at_least(0)
          .or_null()
          .taken_on_resume()
          .says("Weight decay of the group; null: optim.weight_decay."),
      O::number(section + ".clip_norm", nullptr)
          .more_than(0)
          .or_null()
          .taken_on_resume()
          .says("2-norm that the group's gradient is clipped to; null: optim.clip_norm."),
  };
}

std::vector<Option> schedule_rows() {
  return {
      O::choice("optim.schedule.name", "constant", {"constant", "linear", "cosine", "inverse_sqrt"})
          .taken_on_resume()
          .says("How the learning rate changes after the warm-up."),
      O::integer("optim.schedule.warmup_steps", 0)
          .at_least(0)
          .in("steps")
          .taken_on_resume()
          .says("Updates over which the rate rises to optim.lr."),
      O::integer("optim.schedule.total_steps", nullptr)
          .at_least(1)
          .or_null()
          .in("steps")
          .taken_on_resume()
          .says("Updates at which linear and cosine reach min_lr; null: those of the run."),
      O::number("optim.schedule.min_lr", 0.0)
          .at_least(0)
          .taken_on_resume()
          .says("Lowest rate after the warm-up."),
      O::choice("optim.schedule.convention", "standard", {"standard", "reference"})
          .taken_on_resume()
          .says("reference: the first update at full rate, decay not shifted by the warm-up."),
      O::schedule("optim.update_period", 1)
          .at_least(1)
          .taken_on_resume()
          .says("Blocks of bptt_segments in an update; in a list, from counts segments."),
  };
}

}  // namespace

std::vector<Option> optim_options(const std::vector<std::string>& groups) {
  std::vector<Option> rows = optimizer_rows();
  const auto add = [&](const std::vector<Option>& more) {
    rows.insert(rows.end(), more.begin(), more.end());
  };
  for (const UpdateRuleKind& kind : update_rule_kinds()) add(kind.options);
  for (const std::string& name : groups) add(group_rows(name));
  add(schedule_rows());
  return rows;
}

}  // namespace lc
