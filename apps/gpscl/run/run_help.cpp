// The help of `gpscl run`, made from the tables of options: a first page that fits on a screen, and
// the complete help.
#include <fmt/format.h>

#include <algorithm>

#include "run/run_options.h"
#include "terminal/option_text.h"

namespace gps::cli {
namespace {

// The flags of the first page, in its order.
const std::vector<std::string> kFirst = {"learner",
                                         "policy",
                                         "plan",
                                         "model",
                                         "future",
                                         "memory",
                                         "tasks",
                                         "epochs",
                                         "batch",
                                         "lr",
                                         "examples-per-task",
                                         "imbalance",
                                         "seeds",
                                         "seed",
                                         "jobs",
                                         "data",
                                         "out",
                                         "store",
                                         "resume",
                                         "export",
                                         "preset",
                                         "json",
                                         "picture"};

const SpecOption* with_flag(const std::string& flag) {
  for (const SpecOption& option : spec_options()) {
    if (option.row.flag == flag) return &option;
  }
  return nullptr;
}

// Returns the line of an option on the first page.
std::string first_line(const std::string& flag) {
  if (const SpecOption* option = with_flag(flag)) {
    if (flag == "model") return help_line(option->row, join(names(model_catalog()), " | "));
    if (flag == "future") {
      Option row = option->row;
      row.value_name = "F";
      return help_line(row, "gps: " + join(option->row.names, " | "));
    }
    return help_line(option->row, option->row.help);
  }
  for (const RunArgument& argument : run_arguments()) {
    const Option& option = argument.row;
    if (option.flag != flag) continue;
    if (flag == "learner")
      return help_line(option,
                       join(names(learner_catalog()), " | ") + ", or several, with the same seeds");
    if (flag == "policy")
      return help_line(option, join(names(policy_catalog()), " | ") + ", or several; also " +
                                   join(variant_forms(), " "));
    return help_line(option, option.help);
  }
  return "";
}

bool is_on_first_page(const std::string& flag) {
  return std::find(kFirst.begin(), kFirst.end(), flag) != kFirst.end();
}

std::string group_text(const std::string& group) {
  std::string text;
  for (const SpecOption& option : spec_options()) {
    if (option.group != group || option.row.flag.empty() || is_on_first_page(option.row.flag))
      continue;
    text += help_line(option.row, help_with_users(option));
  }
  return text;
}

}  // namespace

std::string run_help() {
  std::string text =
      "gpscl run: learn a stream of tasks, one after another, and measure what is remembered\n\n"
      "Usage: gpscl run BENCHMARK|PATH [OPTIONS]   gpscl list explains every name below; PATH: a\n"
      "                 folder of your own images, or a manifest of them (--help-all)\n\n";
  for (const std::string& flag : kFirst) text += first_line(flag);
  text += "  --help-all             show every option, such as those of the simulation\n\n";
  text +=
      "Example: the paper's P-MNIST, three policies, five seeds\n"
      "  gpscl run p-mnist --policy reservoir,ring-full,gps --seeds 5\n";
  return text;
}

std::string run_help_all() {
  std::string text = run_help();
  for (const char* group : {"The stream", "Training", "Learners", "The network", "Policies",
                            "The simulation", "Planned learning", "Evaluation"})
    text += fmt::format("\n{}\n{}", group, group_text(group));
  text +=
      "\nYour own images (PATH: a folder of class/image or task/class/image, with train/ and "
      "test/ or\nwithout; a manifest, FILE.csv with the columns path, label, task and split; or a "
      "folder of IDX files\nnamed as MNIST's. JPEG, PNG, WebP and GIF. Tasks and classes come in "
      "natural order: week2 before\nweek10)\n";
  for (const Option& option : own_stream_options().rows()) text += help_line(option, option.help);
  text += "\nCheckpoints, kept in --out while a run is unfinished, and other output\n";
  for (const RunArgument& each : run_arguments()) {
    if (!is_on_first_page(each.row.flag)) text += help_line(each.row, each.row.help);
  }
  return text;
}

}  // namespace gps::cli
