// What only the command has, as tables; which of it goes together.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "command_table.h"
#include "learn/learn_options.h"

namespace gps::cli {
namespace {

// The options that have an effect with an action; all of them have one if new data is learnt.
const std::map<std::string, std::vector<std::string>> kOptionsOfActions = {
    {"status", {"json"}},
    {"history", {"json"}},
    {"rollback", {"json", "no-wait"}},
    {"evaluate", {"skip-bad", "json", "jobs"}},
    {"rename", {"json", "no-wait"}},
    {"remove-class", {"json", "no-wait"}},
    {"accept", {"json", "no-wait"}},
    {"list", {"json", "format"}},
    {"images", {"json"}},
    {"erase", {"relearn", "accept", "skip-bad", "json", "no-wait", "jobs"}},
    {"relearn", {"accept", "json", "no-wait"}},
};

void read_table(const OptionTable<LearnArguments>& table, const GivenTexts& given,
                LearnArguments& arguments) {
  for (const BoundOption<LearnArguments>& each : table) {
    const auto at = given.find(each.row.flag);
    if (at != given.end()) each.set(arguments, read_value(each.row, at->second));
  }
}

// Whether an option is given that a call may change without learning anything.
bool gives_changes(const GivenTexts& given) {
  if (given.contains("memory-mb")) return true;
  return std::any_of(learn_rows().begin(), learn_rows().end(), [&](const LearnOption& option) {
    return option.may_change && given.contains(option.row.flag);
  });
}

bool gate_has_limits(const GivenTexts& given) {
  return given.contains("require-accuracy") || given.contains("max-forgetting");
}

}  // namespace

const OptionTable<LearnArguments>& learn_actions() {
  static const OptionTable<LearnArguments> table = {
      option("status", &LearnArguments::wants_status,
             "show the settings, classes, memory, accuracies and versions of STATE"),
      option("history", &LearnArguments::wants_history, "show what was learnt, and when"),
      option("rollback", &LearnArguments::wants_rollback,
             "go back to the version before; removes the newest for good"),
      option("evaluate", &LearnArguments::evaluated,
             "test on these labelled images, and change nothing")
          .called("DATA"),
      option("rename", &LearnArguments::renamed, "give a class another name").called("OLD=NEW"),
      option("remove_class", &LearnArguments::removed_class,
             "remove a class and its stored images from all versions, for good")
          .called("NAME"),
      option("list", &LearnArguments::wants_list,
             "show the stored images: hash, class, task, role, first seen"),
      option("images", &LearnArguments::images_folder, "write the stored images to a new folder")
          .called("DIR"),
      option("erase", &LearnArguments::erased,
             "remove images from all versions, for good, and refuse to learn them again: the hash "
             "of one, an image file, a folder, or a list (.txt or .csv) of hashes or files")
          .called("HASH|FILE"),
  };
  return table;
}

const OptionTable<LearnArguments>& learn_image_options() {
  static const OptionTable<LearnArguments> table = {
      option("memory_mb", &LearnArguments::memory_mb,
             "store as many images as fit into MB million bytes of pixels")
          .above(0)
          .called("MB")
          .usually("see `memory`"),
      option("image_size", &LearnArguments::image_size, "stretch images to this size")
          .called("N|HxW")
          .usually("that of the first image, at most 32"),
      one_of("colour", &LearnArguments::colour, {"auto", "grey", "rgb"},
             "auto: colour if the first image of any class has colour"),
  };
  return table;
}

const OptionTable<LearnArguments>& learn_call_options() {
  static const OptionTable<LearnArguments> table = {
      option("name", &LearnArguments::name, "name of the task").usually("the folder's name"),
      option("skip_bad", &LearnArguments::skips_bad, "leave out images that cannot be read"),
      option("again", &LearnArguments::again, "learn this data even if it was learnt before"),
      option("plan", &LearnArguments::plans,
             "try several learning rates and lengths on the new images, and use the best"),
      option("accept", &LearnArguments::accepts,
             "keep the new version even if it falls short, or the candidate"),
      option("require_accuracy", &LearnArguments::least_accuracy,
             "share of test images that it must answer right to be kept")
          .between(0, 1)
          .usually("none"),
      option("max_forgetting", &LearnArguments::most_forgetting,
             "most that accuracy on earlier tasks may fall, as a share")
          .between(0, 1)
          .usually("none"),
      option("gate", &LearnArguments::gate,
             "judge both limits by these labelled images, not the held-out ones")
          .called("DATA"),
      option("strict", &LearnArguments::is_strict,
             "judge both limits by the estimates, also where the difference may be chance"),
      option("relearn", &LearnArguments::relearns,
             "instead of learning or with `erase`: train anew from the stored images alone"),
      one_of("format", &LearnArguments::format, {"text", "csv", "json"}, "how `list` prints"),
      option("no_new_classes", &LearnArguments::refuses_new_classes,
             "fail if the data has classes that STATE does not know"),
      option("no_wait", &LearnArguments::does_not_wait,
             "fail instead of waiting if another call is changing STATE"),
      jobs_option(&LearnArguments::jobs, "images or simulations"),
      option("json", &LearnArguments::json, "print the report as JSON"),
  };
  return table;
}

void LearnRequest::read_arguments() {
  for (const auto* table : {&learn_actions(), &learn_image_options(), &learn_call_options()})
    read_table(*table, given, *this);
  std::vector<std::string> actions;
  if (!data.empty()) actions.emplace_back("");
  for (const Option& action : learn_actions().rows()) {
    if (was_given(action.flag) && !given.at(action.flag).empty()) actions.push_back(action.flag);
  }
  if (!gate_has_limits(given)) {
    for (const char* flag : {"gate", "strict"}) {
      if (was_given(flag))
        throw OptionError(flag, "has no effect without `require-accuracy` or `max-forgetting`");
    }
  }
  if (actions.empty() && accepts && !relearns) {
    accepts_candidate = true;
    actions.emplace_back("accept");
  }
  if (actions.empty() && relearns) actions.emplace_back("relearn");
  if (!data.empty() && relearns)
    throw OptionError("relearn", "cannot be used with NEW_DATA; learn it before or afterwards");
  if (!data.empty() && was_given("format"))
    throw OptionError("format", "cannot be used without `list`");
  if (actions.empty() && gives_changes(given)) {
    changes_options = true;
    for (const Option& option : learn_call_options().rows()) {
      if (was_given(option.flag) && option.flag != "json" && option.flag != "no-wait")
        throw OptionError(option.flag, "has no effect without NEW_DATA");
    }
    return;
  }
  if (actions.size() != 1) {
    throw UsageError(
        "give exactly one of NEW_DATA, --status, --history, --rollback, --evaluate DATA, --rename "
        "OLD=NEW, --remove-class NAME, --list, --images DIR, --erase HASH|FILE, --relearn and "
        "--accept; see gpscl learn --help");
  }
  const std::string& action = actions.front();
  if (action.empty()) return;
  if (action == "erase" && accepts && !relearns)
    throw OptionError("accept", "has no effect without NEW_DATA or `relearn`");
  const std::vector<std::string>& known = kOptionsOfActions.at(action);
  for (const auto& [flag, text] : given) {
    if (flag != action && std::find(known.begin(), known.end(), flag) == known.end())
      throw OptionError(flag, fmt::format("cannot be used with `{}`", action));
  }
}

}  // namespace gps::cli
