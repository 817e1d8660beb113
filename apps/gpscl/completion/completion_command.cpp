#include <fmt/format.h>

#include <memory>

#include "commands.h"
#include "completion/command_words.h"
#include "gps/core/errors.h"

namespace gps::cli {
namespace {

constexpr const char* kCompletionHelp =
    R"(gpscl completion: print completion files for shells, or the man page

Usage: gpscl completion bash|zsh|fish|man

They contain the commands and options of this gpscl. make deb and make install install them.

Example: use it in this shell, without installing
  source <(gpscl completion bash)
)";

}  // namespace

void add_completion_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("completion", kCompletionHelp);
  command->set_help_flag();
  const auto shell = std::make_shared<std::string>();
  const auto wants_help = std::make_shared<bool>(false);
  command->add_option("shell", *shell);
  command->add_flag("-h,--help", *wants_help);
  command->callback([=, &app] {
    if (*wants_help) {
      fmt::print("{}", kCompletionHelp);
    } else if (*shell == "bash") {
      fmt::print("{}", bash_completion(command_words(app)));
    } else if (*shell == "zsh") {
      fmt::print("{}", zsh_completion(command_words(app)));
    } else if (*shell == "fish") {
      fmt::print("{}", fish_completion(command_words(app)));
    } else if (*shell == "man") {
      fmt::print("{}", man_page(app.get_description(), command_words(app)));
    } else {
      throw UsageError(fmt::format("unknown completion '{}'; known: bash, zsh, fish, man", *shell));
    }
  });
}

}  // namespace gps::cli
