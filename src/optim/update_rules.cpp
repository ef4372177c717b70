#include <map>

#include "core/error.h"
#include "optim/update_rule.h"

namespace lc {

std::unique_ptr<UpdateRule> make_update_rule(const Config& config, UpdatePath path) {
  using Maker = std::unique_ptr<UpdateRule> (*)(const Config&, UpdatePath);
  static const std::map<std::string, Maker> makers = {
      {"adam", make_adam}, {"adamw", make_adamw}, {"sgd", make_sgd}};
  const auto maker = makers.find(config.get<std::string>("optim.name"));
  LC_CHECK(maker != makers.end());
  return maker->second(config, path);
}

}  // namespace lc
