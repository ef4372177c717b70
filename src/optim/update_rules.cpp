#include <algorithm>

#include "core/error.h"
#include "optim/update_rule.h"

namespace lc {

const std::vector<UpdateRuleKind>& update_rule_kinds() {
  static const std::vector<UpdateRuleKind> kinds = {adam_rule(), adamw_rule(), sgd_rule(),
                                                    lamb_rule(), adafactor_rule()};
  return kinds;
}

std::unique_ptr<UpdateRule> make_update_rule(const Config& config, UpdatePath path) {
  const auto name = config.get<std::string>("optim.name");
  const auto& kinds = update_rule_kinds();
  const auto kind = std::find_if(kinds.begin(), kinds.end(),
                                 [&](const UpdateRuleKind& one) { return one.name == name; });
  LC_CHECK(kind != kinds.end());
  return kind->make(config, path);
}

MomentDecays moment_decays(const Config& config) {
  const auto betas = config.get<std::vector<double>>("optim.betas");
  if (betas.size() != 2) {
    throw Error(ErrorKind::kUsage, "optim.betas",
                config.at("optim.betas").dump() + " doesn't hold two numbers",
                "write [0.9, 0.999]");
  }
  return {betas[0], betas[1]};
}

}  // namespace lc
