#include <fmt/format.h>

#include <memory>

#include "commands.h"
#include "gps/core/files/files.h"
#include "gps/core/tell_user.h"
#include "gps/core/text/printable.h"
#include "gps/deployment/export_state.h"
#include "gps/deployment/state_folder.h"

namespace gps::cli {
namespace {

struct ExportArguments {
  std::string state;
  std::string format;
  std::string out;
  bool wants_help = false;
};

const OptionTable<ExportArguments>& export_options() {
  static const OptionTable<ExportArguments> table = {
      one_of("format", &ExportArguments::format, {"torchscript", "safetensors"},
             "torchscript: a module that maps [N, C, H, W] floats in [0, 1] to logits, "
             "normalisation included; safetensors: the weights under PyTorch's names")
          .called("FORMAT"),
      option("out", &ExportArguments::out, "file to write")
          .called("FILE")
          .short_flag("o")
          .usually("STATE's name with .pt or .safetensors, in this folder"),
  };
  return table;
}

}  // namespace

const CommandTable& export_table() {
  static const CommandTable table = {
      R"(gpscl export: write the network of a state for PyTorch

Usage: gpscl export STATE --format torchscript|safetensors [-o FILE]

Options:
)",
      {place("state", "DIR")},
      export_options().rows(),
      R"(
FILE.json beside it has the class of each output, the shape of the images and their normalisation.

Example:
  gpscl export state --format torchscript -o model.pt
)"};
  return table;
}

void add_export_command(CLI::App& app, int& /*exit_code*/) {
  CLI::App* command = app.add_subcommand("export", export_table().help());
  command->set_help_flag();
  const auto arguments = std::make_shared<ExportArguments>();
  command->add_option("state", arguments->state);
  command->add_flag("-h,--help", arguments->wants_help);
  bind(*command, export_options(), *arguments);
  command->callback([arguments] {
    if (arguments->wants_help) {
      fmt::print("{}", export_table().help());
      return;
    }
    if (arguments->state.empty()) throw UsageError("no STATE given; see gpscl export --help");
    if (arguments->format.empty())
      throw UsageError("no --format given; known: torchscript, safetensors");
    const ExportFormat format = export_format_from(arguments->format);
    const LearnState state = StateFolder(arguments->state).load();
    std::filesystem::path out = arguments->out;
    if (out.empty()) {
      const std::filesystem::path named =
          std::filesystem::path(arguments->state).lexically_normal();
      out = (named.has_filename() ? named : named.parent_path()).filename();
      out += format == ExportFormat::torchscript ? ".pt" : ".safetensors";
    }
    check_can_be_written(out);
    check_can_be_written(out.string() + ".json");
    export_state(state, format, out);
    const std::string name = printable(out.string());
    fmt::print(
        "{} ({}), {}.json\n", name,
        state.classes.size() == 1 ? "1 class" : fmt::format("{} classes", state.classes.size()),
        name);
    const std::string& learner = state.options.method.learner.name;
    if (predicts_by_memory(learner)) {
      tell_user(
          "gpscl: {} predicts by the means of its stored images, which are not in the file; the "
          "outputs of the network alone are less accurate",
          learner);
    }
  });
}

}  // namespace gps::cli
