// The help of `gpscl learn`, made from the tables of options: what fits a screen, and the rest.
#include <fmt/format.h>

#include <algorithm>

#include "learn/learn_options.h"
#include "terminal/option_text.h"

namespace gps::cli {
namespace {

// The flags of the first page, in its order.
const std::vector<std::string> kFixedFirst = {"model", "held-out", "image-size", "colour", "seed"};
// Options of one call that the first page leaves out.
const std::vector<std::string> kCallLater = {"again",   "no-new-classes", "gate",  "strict",
                                             "no-wait", "relearn",        "format"};
const std::vector<std::string> kChangingFirst = {
    "memory", "memory-mb", "learner", "policy", "epochs", "batch", "lr", "keep", "keep-days"};

bool is_first(const std::string& flag) {
  const auto has = [&](const std::vector<std::string>& flags) {
    return std::find(flags.begin(), flags.end(), flag) != flags.end();
  };
  return has(kFixedFirst) || has(kChangingFirst);
}

std::string first_page_line(const std::string& flag) {
  for (const Option& option : all_learn_options()) {
    if (option.flag != flag) continue;
    if (flag == "model") return help_line(option, join(names(model_catalog()), " | "));
    if (flag == "learner" || flag == "policy") return help_line(option, join(option.names, " | "));
    return help_line(option, option.help);
  }
  return "";
}

std::string first_page_lines(const std::vector<std::string>& flags) {
  std::string text;
  for (const std::string& flag : flags) text += first_page_line(flag);
  return text;
}

std::string lines_of_call(bool later) {
  std::string text;
  for (const Option& option : learn_call_options().rows()) {
    const bool is_later =
        std::find(kCallLater.begin(), kCallLater.end(), option.flag) != kCallLater.end();
    if (is_later == later) text += help_line(option, option.help);
  }
  return text;
}

// Returns the lines of those options of a group that may change in any call, or that are fixed.
std::string lines_of_group(const std::string& group, bool may_change) {
  std::string text;
  for (const LearnOption& option : learn_rows()) {
    if (option.group == group && option.may_change == may_change && !is_first(option.row.flag))
      text += help_line(option.row, help_with_users(option));
  }
  return text;
}

}  // namespace

std::string learn_help() {
  std::string text =
      "gpscl learn: teach a classifier the next task, within a memory budget\n\n"
      "Usage: gpscl learn STATE NEW_DATA [OPTIONS]   the first call makes STATE, later calls "
      "update "
      "it\n"
      "       gpscl learn STATE --status | --history | --rollback | --evaluate DATA\n"
      "       gpscl learn STATE --rename OLD=NEW | --remove-class NAME | --accept\n"
      "       gpscl learn STATE --list | --images DIR | --erase HASH|FILE\n\n"
      "NEW_DATA is a folder CLASS/IMAGE (train/ and test/ above or below are optional) or a .csv\n"
      "manifest. Its classes may be new or known. If a call fails, STATE does not change.\n\n";
  text += "Options for the first call (fixed from then on):\n" + first_page_lines(kFixedFirst);
  text += "Options for any call (the new value is kept):\n" + first_page_lines(kChangingFirst);
  text += "Options for this call only:\n";
  text += lines_of_call(/*later=*/false);
  text += "  --help-all             show every option, such as those of learners and policies\n\n";
  text +=
      "Example: gpscl learn state week1 --model mlp --memory 200, then gpscl learn state week2\n";
  return text;
}

std::string learn_help_all() {
  std::string text = learn_help();
  for (const char* group : {"Training", "Learners", "Policies", "The simulation"})
    text += fmt::format("\n{} (any call)\n{}", group, lines_of_group(group, true));
  text += fmt::format("\nThe network and the memory (first call)\n{}{}",
                      lines_of_group("The network", false), lines_of_group("Policies", false));
  text += "\nThis call only\n" + lines_of_call(/*later=*/true);
  text += "\nInstead of learning\n";
  for (const Option& option : learn_actions().rows()) text += help_line(option, option.help);
  return text;
}

}  // namespace gps::cli
