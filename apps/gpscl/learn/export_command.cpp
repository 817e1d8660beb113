#include <fmt/format.h>

#include <memory>

#include "commands.h"
#include "gps/core/files/files.h"
#include "gps/deployment/export_state.h"
#include "gps/deployment/state_folder.h"

namespace gps::cli {
namespace {

constexpr const char* kExportHelp =
    R"(gpscl export: write the network of a state for PyTorch

Usage: gpscl export STATE --format torchscript|safetensors [-o FILE]

Options:
  --format FORMAT    torchscript: a module that maps [N, C, H, W] floats in [0, 1] to logits,
                     normalisation included; safetensors: the weights under PyTorch's names
  -o, --out FILE     file to write (STATE's name with .pt or .safetensors, in this folder)

FILE.json beside it has the class of each output, the shape of the images and their normalisation.

Example:
  gpscl export state --format torchscript -o model.pt
)";

}  // namespace

void add_export_command(CLI::App& app, int& /*exit_code*/) {
  struct Arguments {
    std::string state;
    std::string format;
    std::string out;
    bool wants_help = false;
  };
  CLI::App* command = app.add_subcommand("export", kExportHelp);
  command->set_help_flag();
  const auto arguments = std::make_shared<Arguments>();
  command->add_option("state", arguments->state);
  command->add_option("--format", arguments->format);
  command->add_option("-o,--out", arguments->out);
  command->add_flag("-h,--help", arguments->wants_help);
  command->callback([arguments] {
    if (arguments->wants_help) {
      fmt::print("{}", kExportHelp);
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
    check_can_be_written(out.string() + ".json");
    check_can_be_written(out);
    export_state(state, format, out);
    fmt::print(
        "{} ({}), {}.json\n", out.string(),
        state.classes.size() == 1 ? "1 class" : fmt::format("{} classes", state.classes.size()),
        out.string());
    if (state.options.method.learner.name == "icarl") {
      fmt::print(
          stderr,
          "gpscl: icarl predicts by the means of its stored images, which are not in the file; the "
          "outputs of the network alone are less accurate\n");
    }
  });
}

}  // namespace gps::cli
