// Completion for bash. The script splits the command line itself, because bash would split
// gps:offline and --policy=gps at ':' and '='.
#include <fmt/format.h>

#include <map>

#include "completion/command_words.h"
#include "gps/core/text/text.h"

namespace gps::cli {
namespace {

constexpr const char* kBashStart = R"(# bash completion for gpscl; made by: gpscl completion bash
)";

constexpr const char* kBashEnd = R"bash(
_gpscl() {
  local IFS=$' \t\n'
  local line=${COMP_LINE:0:COMP_POINT} command="" flag="" place=0 i word
  local -a words
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  local last=$((${#words[@]} - 1))
  local current=${words[last]}
  for ((i = 1; i < last; i++)); do
    word=${words[i]}
    case $word in
      -*=*) ;;
      -*)
        if [[ -n $(_gpscl_values "$command" "$word") ]]; then
          i=$((i + 1))
          [[ $i == "$last" ]] && flag=$word
        fi
        ;;
      *)
        if [[ -z $command ]]; then
          command=$word
        elif [[ $command == probe ]]; then
          command="probe $word"
        else
          place=$((place + 1))
        fi
        ;;
    esac
  done

  local values="" typed=$current before="" kind=""
  if [[ -n $flag ]]; then
    values=$(_gpscl_values "$command" "$flag")
  elif [[ $current == --*=* ]]; then
    flag=${current%%=*}
    typed=${current#*=}
    before=$flag=
    values=$(_gpscl_values "$command" "$flag")
  elif [[ $current == -* ]]; then
    values="= $(_gpscl_options "$command")"
  elif [[ -z $command ]]; then
    values="= $_gpscl_commands"
  else
    values=$(_gpscl_places "$command" "$place")
  fi

  # The first word says what the others are: = names, + names with commas, / files, // folders, and
  # names before them.
  kind=${values%% *}
  values=${values#"$kind"}
  COMPREPLY=()
  if [[ $kind == + ]]; then
    before=$before${typed%"${typed##*,}"}
    typed=${typed##*,}
    compopt -o nospace 2>/dev/null
  fi
  [[ -n $values ]] && mapfile -t COMPREPLY < <(compgen -W "$values" -- "$typed")
  if [[ $kind == / || $kind == // ]]; then
    local -a paths
    if [[ $kind == / ]]; then
      mapfile -t paths < <(compgen -f -- "$typed")
    else
      mapfile -t paths < <(compgen -d -- "$typed")
    fi
    [[ ${#paths[@]} -gt 0 ]] && compopt -o filenames 2>/dev/null
    COMPREPLY+=("${paths[@]}")
  fi

  # readline replaces only what stands behind the last sign that divides words.
  local keeps="" reply
  [[ $COMP_WORDBREAKS == *=* && $before == *=* ]] && keeps=${before%"${before##*=}"}
  [[ $COMP_WORDBREAKS == *:* && $current == *:* ]] && keeps=${current%"${current##*:}"}
  for i in "${!COMPREPLY[@]}"; do
    reply=$before${COMPREPLY[i]}
    COMPREPLY[i]=${reply#"$keeps"}
  done
}
complete -F _gpscl gpscl
)bash";

// Returns the values in the format that the script reads; "-" for a value with no suggestions.
std::string bash_values(const Values& values) {
  const std::string names = values.names.empty() ? "" : " " + join(values.names, " ");
  if (values.files == Values::Files::files) return "/" + names;
  if (values.files == Values::Files::folders) return "//" + names;
  if (names.empty()) return "-";
  return (values.is_list ? "+" : "=") + names;
}

}  // namespace

std::string bash_completion(const std::vector<CommandWords>& commands) {
  std::string text = kBashStart;
  std::vector<std::string> names;
  for (const CommandWords& command : commands) {
    if (command.path.find(' ') == std::string::npos) names.push_back(command.path);
  }
  text += fmt::format("_gpscl_commands='{}'\n", join(names, " "));

  text += "\n_gpscl_options() {\n  case $1 in\n";
  for (const CommandWords& command : commands) {
    std::vector<std::string> options;
    for (const OptionWords& option : command.options)
      options.insert(options.end(), option.spellings.begin(), option.spellings.end());
    text += fmt::format("    '{}') echo '{}' ;;\n", command.path, join(options, " "));
  }
  text += "    '') echo '-h --help --version' ;;\n  esac\n}\n";

  // Commands that accept the same values for an option share one line.
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> users;
  for (const CommandWords& command : commands) {
    for (const OptionWords& option : command.options) {
      if (!option.takes_value) continue;
      for (const std::string& spelling : option.spellings)
        users[{spelling, bash_values(option.values)}].push_back(
            fmt::format("'{} {}'", command.path, spelling));
    }
  }
  text += "\n_gpscl_values() {\n  case \"$1 $2\" in\n";
  for (const auto& [what, who] : users)
    text += fmt::format("    {}) echo '{}' ;;\n", join(who, " | "), what.second);
  text += "  esac\n}\n";

  text += "\n_gpscl_places() {\n  case \"$1 $2\" in\n";
  for (const CommandWords& command : commands) {
    for (std::size_t k = 0; k < command.places.size(); ++k) {
      const bool repeats = command.repeats_last && k + 1 == command.places.size();
      const std::string at =
          repeats ? fmt::format("'{} '*", command.path) : fmt::format("'{} {}'", command.path, k);
      text += fmt::format("    {}) echo '{}' ;;\n", at, bash_values(command.places[k]));
    }
  }
  text += "  esac\n}\n";
  return text + kBashEnd;
}

}  // namespace gps::cli
