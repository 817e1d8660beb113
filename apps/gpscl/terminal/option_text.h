// Formats options for people.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gps/core/option.h"
#include "gps/core/text/text.h"
#include "gps/experiments/method_options.h"
#include "terminal/wrapped.h"

namespace gps::cli {

// Converts a message of the library, which names options in backticks, for the command line:
// "`memory` must be at least 1" becomes "--memory must be at least 1".
inline std::string with_dashes(const std::string& message) {
  std::string text;
  for (std::size_t at = 0; at < message.size();) {
    const std::size_t end =
        message[at] != '`' ? at : message.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", at + 1);
    if (end <= at + 1 || end == std::string::npos || message[end] != '`') {
      text += message[at++];
    } else {
      text += "--" + message.substr(at + 1, end - at - 1);
      at = end + 1;
    }
  }
  return text;
}

// Returns the placeholder for the option's value: "N", "X", "sum|concat", or "" for a flag.
inline std::string value_name(const Option& option) {
  if (!option.value_name.empty()) return option.value_name;
  switch (option.kind) {
    case OptionKind::flag:
      return "";
    case OptionKind::whole:
    case OptionKind::large:
      return "N";
    case OptionKind::real:
      return "X";
    case OptionKind::name:
      return join(option.names, "|");
    default:
      return "TEXT";
  }
}

// Returns values by name, such as {{"er", "0.1"}, {"ogd", "0.001"}}, as "0.1; ogd: 0.001". The
// first value is that of all names that the text does not mention.
std::string by_name(const std::vector<std::pair<std::string, std::string>>& values);

// Returns the default that the option has in the paper's preset, for all benchmarks, learners and
// policies: "0.5; der++: 1; s-cifar-10: 0.3, der++ 0.1; tiny-imagenet: 0.1". Where a benchmark is
// named, all of its values follow. If the table of options has a text for the default, returns
// that.
std::string default_text(const Option& option);

// Returns the default value as " (1)", or "" for a flag.
inline std::string usual_text(const Option& option) {
  if (option.kind == OptionKind::flag) return "";
  const std::string text = default_text(option);
  return text.empty() ? "" : " (" + with_dashes(text) + ")";
}

// Returns for example "--lambda X (1)".
inline std::string shown(const Option& option) {
  const std::string value = value_name(option);
  return "--" + option.flag + (value.empty() ? "" : " " + value) + usual_text(option);
}

// Returns the help with the users of the option, if not all use it: "der, der++: weight of the
// logits' squared error".
inline std::string help_with_users(const FamilyOption& option) {
  return option.users.empty() ? option.row.help : join(option.users) + ": " + option.row.help;
}

// "  --memory N             examples that the memory holds (1000)", in as many lines as it takes.
inline std::string help_line(const Option& option, const std::string& help) {
  constexpr std::size_t kHelpWidth = 100;
  constexpr std::size_t kHelpIndent = 25;
  std::string head = "  --" + option.flag;
  if (const std::string value = value_name(option); !value.empty()) head += " " + value;
  head += "  ";
  if (head.size() < kHelpIndent) head.resize(kHelpIndent, ' ');
  const std::string text = wrapped(with_dashes(help) + usual_text(option), kHelpIndent, kHelpWidth);
  if (head.size() <= kHelpIndent) return head + text + "\n";
  return head.substr(0, head.find_last_not_of(' ') + 1) + "\n" + std::string(kHelpIndent, ' ') +
         text + "\n";
}

}  // namespace gps::cli
