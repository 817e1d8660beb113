#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "commands.h"
#include "gps/core/text/nearest.h"
#include "gps/experiments/metrics.h"
#include "gps/experiments/spec/presets.h"
#include "gps/experiments/spec/spec.h"
#include "gps/memory/codecs/codec.h"
#include "terminal/option_text.h"
#include "terminal/wrapped.h"

namespace gps::cli {
namespace {

struct Family {
  std::string name;
  std::string head;
  Catalog catalog;
};

// Returns for example "--lambda X (1), --er-loss sum|concat (sum)".
std::string options_text(const std::vector<Option>& options) {
  std::vector<std::string> all;
  for (const Option& option : options) all.push_back(shown(option));
  return join(all);
}

// Returns the benchmarks, and PATH, which can be given instead of a benchmark.
const Catalog& streams() {
  static const Catalog all = [] {
    Catalog catalog = benchmark_catalog();
    catalog.push_back(
        {"PATH", "(not in the paper)",
         "Your own images: a folder of class/image or task/class/image, a manifest (.csv), or a "
         "folder of IDX files. Task-incremental, or domain-incremental if all tasks have the same "
         "classes.",
         own_stream_options().rows() + benchmark_options().rows()});
    return catalog;
  }();
  return all;
}

const std::vector<Family>& families() {
  static const std::vector<Family> all = {
      {"benchmarks", "streams of tasks (the column heads of Table 1)", streams()},
      {"models", "the network that learns", model_catalog()},
      {"learners", "how a training step changes the network (the rows of Table 2)",
       entries(learner_catalog())},
      {"policies", "which examples the memory keeps (the Method column of Table 1)",
       entries(policy_catalog())},
      {"codecs", "how the memory stores images (--codec)", entries(codec_catalog())},
      {"presets", "sources of the default hyper-parameters", preset_catalog()},
      {"futures", "how gps simulates the tasks to come (the Simulation column of Table 1)",
       future_catalog()},
      {"metrics", "R_ij: accuracy on task j after task i; b_j: at initialisation",
       entries(metric_catalog())},
  };
  return all;
}

std::string list_help() {
  return fmt::format(
      R"(gpscl list: explain each name, with its name in the paper and its options

Usage: gpscl list [{}]

Without a family, all of them are listed.

Example:
  gpscl list policies
)",
      join(listed_families(), "|"));
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
      fmt::print("{:{}}A step costs {:g} times a step of er.\n", "", indent,
                 relative_cost(entry.name));
    }
  }
  fmt::print("\n");
}

}  // namespace

std::vector<std::string> listed_families() {
  std::vector<std::string> names;
  for (const Family& family : families()) names.push_back(family.name);
  return names;
}

void add_list_command(CLI::App& app, int& /*exit_code*/) {
  CLI::App* command = app.add_subcommand("list", list_help());
  command->set_help_flag();
  const auto family = std::make_shared<std::string>();
  const auto wants_help = std::make_shared<bool>(false);
  command->add_option("family", *family);
  command->add_flag("-h,--help", *wants_help);
  command->callback([=] {
    if (*wants_help) {
      fmt::print("{}", list_help());
      return;
    }
    const std::vector<std::string> known = listed_families();
    if (!family->empty() && std::find(known.begin(), known.end(), *family) == known.end()) {
      throw UsageError(unknown_name_text("family", *family, known));
    }
    for (const Family& each : families()) {
      if (family->empty() || *family == each.name) print(each);
    }
  });
}

}  // namespace gps::cli
