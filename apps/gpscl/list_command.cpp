#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "commands.h"
#include "gps/experiments/metrics.h"
#include "gps/experiments/presets.h"
#include "gps/experiments/spec.h"
#include "option_text.h"
#include "wrapped.h"

namespace gps::cli {
namespace {

constexpr const char* kListHelp =
    R"(gpscl list: what exists, what the paper calls it, and the options that concern it

Usage: gpscl list [benchmarks|models|learners|policies|presets|futures|metrics]

Without a family it lists them all.

Example:
  gpscl list policies
)";

struct Family {
  std::string name;
  std::string head;
  Catalog catalog;
};

// "--lambda X (1), --er-loss sum|concat (sum)"
std::string options_text(const std::vector<Option>& options) {
  std::vector<std::string> all;
  for (const Option& option : options) all.push_back(shown(option));
  return join(all);
}

// The benchmarks, and what may stand in their place.
const Catalog& streams() {
  static const Catalog all = [] {
    Catalog catalog = benchmark_catalog();
    catalog.push_back(
        {"PATH", "(not in the paper)",
         "Images of your own: a folder of class/image or task/class/image, a manifest (.csv), or a "
         "folder of IDX files. Task-incremental, or domain-incremental if all tasks have the same "
         "classes.",
         own_stream_options().rows() + benchmark_options().rows()});
    return catalog;
  }();
  return all;
}

void print(const Family& family) {
  constexpr std::size_t kWidth = 100;
  fmt::print("{}: {}\n", family.name, family.head);
  std::size_t longest = 0;
  for (const Entry& entry : family.catalog) longest = std::max(longest, entry.name.size());
  for (const Entry& entry : family.catalog) {
    const std::size_t indent = longest + 4;
    fmt::print("  {:{}}  {}\n", entry.name, longest, entry.paper);
    fmt::print("{:{}}{}\n", "", indent, wrapped(with_dashes(entry.summary), indent, kWidth));
    if (!entry.options.empty()) {
      fmt::print("{:{}}{}\n", "", indent,
                 wrapped("Options: " + options_text(entry.options), indent, kWidth));
    }
    if (family.name == "metrics" && !find(metric_catalog(), "metric", entry.name).larger_is_better)
      fmt::print("{:{}}Smaller is better.\n", "", indent);
    if (family.name == "learners") {
      fmt::print("{:{}}A step costs {:g} times one of er.\n", "", indent,
                 relative_cost(entry.name));
    }
  }
  fmt::print("\n");
}

}  // namespace

void add_list_command(CLI::App& app, int& /*exit_code*/) {
  CLI::App* command = app.add_subcommand("list", kListHelp);
  command->set_help_flag();
  const auto family = std::make_shared<std::string>();
  const auto wants_help = std::make_shared<bool>(false);
  command->add_option("family", *family);
  command->add_flag("-h,--help", *wants_help);
  command->callback([=] {
    if (*wants_help) {
      fmt::print("{}", kListHelp);
      return;
    }
    const std::vector<Family> families = {
        {"benchmarks", "streams of tasks (the column heads of Table 1)", streams()},
        {"models", "the network that learns", model_catalog()},
        {"learners", "how a step changes the network (the rows of Table 2)",
         entries(learner_catalog())},
        {"policies", "who stays in the memory (the Method column of Table 1)",
         entries(policy_catalog())},
        {"presets", "whose hyper-parameters a run takes where none are given", preset_catalog()},
        {"futures", "what gps imagines (the Simulation column of Table 1)", future_catalog()},
        {"metrics", "R_ij: accuracy on task j after task i; b_j: at initialisation",
         entries(metric_catalog())},
    };
    std::vector<std::string> known;
    for (const Family& each : families) known.push_back(each.name);
    if (!family->empty() && std::find(known.begin(), known.end(), *family) == known.end()) {
      throw UsageError(fmt::format("unknown family '{}'; known: {}", *family, join(known)));
    }
    for (const Family& each : families) {
      if (family->empty() || *family == each.name) print(each);
    }
  });
}

}  // namespace gps::cli
