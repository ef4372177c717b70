#include "common/command_help.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>

namespace lc {
namespace {

class CommandHelp : public CLI::Formatter {
 public:
  explicit CommandHelp(TakesFlag takes) : takes_(std::move(takes)) {}

  std::string make_help(const CLI::App* command, std::string name,
                        CLI::AppFormatMode mode) const override {
    std::string text = Formatter::make_help(command, std::move(name), mode);
    const CLI::App* program = command->get_parent();
    for (const std::string& group : program->get_groups()) {
      const auto flags = program->get_options([&](const CLI::Option* flag) {
        return flag->get_group() == group && flag->nonpositional() && takes_(*flag);
      });
      if (!flags.empty()) text += make_group(group, false, flags) + "\n";
    }
    return text;
  }

 private:
  TakesFlag takes_;
};

}  // namespace

void list_flags_of_program(CLI::App& command, TakesFlag takes) {
  command.formatter(std::make_shared<CommandHelp>(std::move(takes)));
}

}  // namespace lc
