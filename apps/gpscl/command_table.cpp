#include "command_table.h"

#include <algorithm>

#include "terminal/option_text.h"
#include "terminal/wrapped.h"

namespace gps::cli {

Option place(const std::string& key, const std::string& value_name,
             std::vector<std::string> offered) {
  Option row;
  row.key = key;
  row.kind = OptionKind::text;
  row.usual = std::string();
  row.value_name = value_name;
  row.offered = std::move(offered);
  return row;
}

std::string option_head(const Option& option) {
  const std::string value = value_name(option);
  return (option.letter.empty() ? "" : "-" + option.letter + ", ") + "--" + option.flag +
         (value.empty() ? "" : " " + value);
}

std::string option_help(const Option& option) {
  return with_dashes(option.help) + usual_text(option);
}

std::string CommandTable::help() const {
  constexpr std::size_t kWidth = 100;
  constexpr std::size_t kMostIndent = 22;
  std::size_t longest = 0;
  for (const Option& option : options) longest = std::max(longest, option_head(option).size());
  const std::size_t indent = std::min(longest + 4, kMostIndent);
  std::string text = above;
  for (const Option& option : options) {
    std::string head = "  " + option_head(option);
    if (head.size() + 2 > indent) head += "\n";
    head.resize(head.ends_with('\n') ? head.size() + indent : indent, ' ');
    text += head + wrapped(option_help(option), indent, kWidth) + "\n";
  }
  return text + below;
}

}  // namespace gps::cli
