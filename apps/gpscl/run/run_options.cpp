#include "run/run_options.h"

#include <fmt/format.h>

#include "gps/nn/torch/torch_backend.h"
#include "run/run_setup.h"

namespace gps::cli {
namespace {

// `plan` alone means `plan` all.
constexpr const char* kNeedsNoValue = "plan";

}  // namespace

std::vector<Option> all_run_options() {
  std::vector<Option> all;
  for (const RunArgument& each : run_arguments()) all.push_back(each.row);
  for (const SpecOption& option : spec_options()) {
    if (!option.row.flag.empty()) all.push_back(option.row);
  }
  return all + own_stream_options().rows();
}

void RunOptions::add_to(CLI::App& command, RunCommand which) {
  command_ = which;
  command.add_option("benchmark", benchmark);
  command.add_flag("-h,--help", wants_help);
  command.add_flag("--help-all", wants_all_help);
  for (const Option& option : all_run_options()) {
    const std::string name = "--" + option.flag;
    if (command.get_option_no_throw(name) != nullptr) continue;  // a name or a file
    if (option.kind == OptionKind::flag) {
      command.add_flag(name, [this, flag = option.flag](std::int64_t) { given[flag] = "true"; });
    } else {
      CLI::Option* added = command.add_option_function<std::string>(
          name, [this, flag = option.flag](const std::string& text) {
            const bool is_missing = flag == kNeedsNoValue && (text.empty() || text == "true");
            given[flag] = is_missing ? "all" : text;
          });
      if (option.flag == kNeedsNoValue) added->expected(0, 1);
    }
  }
  for (const RunArgument& each : run_arguments()) {
    if (each.refused_by.contains(which)) command.get_option("--" + each.row.flag)->group("");
  }
}

void RunOptions::resolve(LeftOut* left_out) {
  if (!is_own_stream(benchmark)) check_is_benchmark(benchmark);
  read_arguments();
  if (!look) {
    look = [workers = jobs](const std::string& path, const OwnStreamOptions& asked) {
      return look_at_images(path, asked, workers);
    };
  }
  apply(preset, left_out);
}

void RunOptions::check_arguments() const {
  if (was_given("seed") && was_given("seeds"))
    throw UsageError("`seed` (one seed) and `seeds` (a number of seeds) cannot be used together");
  if (resume && restart) throw UsageError("`resume` and `restart` cannot be used together");
  if (resume && !checkpoints)
    throw UsageError("`resume` and `checkpoint-every` off cannot be used together");
}

std::vector<Spec> RunOptions::specs(LeftOut* left_out) const {
  check_arguments();
  if (exported.model) torch_backend();  // throws if LibTorch is missing
  return SpecRequest::specs(left_out);
}

std::vector<std::uint64_t> RunOptions::all_seeds() const {
  if (seed >= 0) return {static_cast<std::uint64_t>(seed)};
  std::vector<std::uint64_t> all;
  for (int s = 0; s < seeds; ++s) all.push_back(static_cast<std::uint64_t>(s));
  return all;
}

}  // namespace gps::cli
