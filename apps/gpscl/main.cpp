// gpscl: continual learning with experience replay and Global Pseudo-task Simulation.
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "commands.h"
#include "gps/core/errors.h"
#include "gps/core/tell_user.h"
#include "gps/core/text/shell.h"
#include "gps/core/version.h"
#include "gps/experiments/scheduling/cluster.h"
#include "halt.h"
#include "parse_refusal.h"
#include "signals.h"
#include "terminal/option_text.h"
#include "terminal/output.h"
#include "terminal/standard_streams.h"

namespace {

constexpr const char* kProgramHelp =
    R"(gpscl: continual learning with experience replay, and Global Pseudo-task Simulation (GPS)

Usage: gpscl COMMAND [OPTIONS]

Commands:
  run BENCHMARK   learn a stream of tasks, compare memory policies, print a table
  plan BENCHMARK  choose how to learn a stream by imagined futures, and print the command
  sweep FILE      do all runs of a file that are not done yet
  reproduce ITEM  make a table or figure of the paper, and check the paper's claims
  probe KIND      make one of the analyses behind the paper's tables and figures
  runs ACTION     list, show, compare, export or remove recorded runs
  report [STORE]  write one page with tables and charts of all runs, for a browser
  learn STATE     teach a deployed classifier the next task, within a memory budget
  predict STATE   classify images with a learnt state, with probabilities
  export STATE    write the network of a state for PyTorch
  data ACTION     download, check, find and remove public data sets
  list [FAMILY]   explain the names: benchmarks, models, learners, policies, presets, ...

Options:
  -h, --help      show this text; gpscl COMMAND --help or gpscl help COMMAND explains a command
  --version       show the version

Example: three policies on Fashion-MNIST with the same three seeds (takes about a minute)
  gpscl run p-fashion-mnist --policy reservoir,ring-full,gps --examples-per-task 5000 --seeds 3
)";

// Makes the allocator keep what LibTorch frees after each step. Otherwise it returns the buffers of
// the activations to the system, and takes as many new pages in the next step.
void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
#endif
}

// Prints the error as one line. The message names the thing, its value and what would be right.
int fail(const std::string& message, int code) {
  if (code == 2 && gps::launched_rank() > 0) return 0;  // rank 0 prints the same message
  gps::tell_user("gpscl: {}", gps::cli::with_dashes(message));
  return code;
}

// Returns the words of the command line after the program's name. `gpscl help run` means
// `gpscl run --help`.
std::vector<std::string> meant_words(std::vector<std::string> words) {
  if (words.empty() || words.front() != "help") return words;
  words.erase(words.begin());
  if (words.size() > 1)
    throw gps::UsageError(
        fmt::format("unexpected argument '{}'; expected gpscl help COMMAND", words[1]));
  words.emplace_back("--help");
  return words;
}

// Returns the words of the command line, quoted for a shell.
std::vector<std::string> quoted(std::vector<std::string> words) {
  for (std::string& word : words) word = gps::shell_quoted(word);
  return words;
}

}  // namespace

int main(int argc, char** argv) {
  gps::cli::open_standard_streams();
  keep_freed_memory();
  int exit_code = 0;
  try {
    CLI::App app(kProgramHelp);
    app.set_help_flag();
    app.require_subcommand(0, 1);
    bool wants_help = false;
    bool wants_version = false;
    app.add_flag("-h,--help", wants_help);
    app.add_flag("--version", wants_version);
    gps::cli::add_run_command(app, exit_code, quoted({argv, argv + argc}));
    gps::cli::add_plan_command(app, exit_code);
    gps::cli::add_sweep_command(app, exit_code);
    gps::cli::add_reproduce_command(app, exit_code);
    gps::cli::add_runs_command(app, exit_code);
    gps::cli::add_report_command(app, exit_code);
    gps::cli::add_probe_command(app, exit_code);
    gps::cli::add_learn_command(app, exit_code);
    gps::cli::add_predict_command(app, exit_code);
    gps::cli::add_export_command(app, exit_code);
    gps::cli::add_data_command(app, exit_code);
    gps::cli::add_list_command(app, exit_code);
    gps::cli::add_completion_command(app);
    const std::vector<std::string> words = meant_words({argv + std::min(argc, 1), argv + argc});
    try {
      gps::cli::check_values(words, app);
      app.parse(std::vector(words.rbegin(), words.rend()));  // as CLI11 takes them: the last first
    } catch (const CLI::CallForHelp&) {
      return 0;
    } catch (const CLI::ParseError& error) {
      return fail(gps::cli::parse_refusal(error, words, app), 2);
    }
    if (wants_version) {
      fmt::print("gpscl {}\n", gps::kVersion);
    } else if (app.get_subcommands().empty() && wants_help) {
      fmt::print("{}", kProgramHelp);
    } else if (app.get_subcommands().empty()) {
      gps::show_user(kProgramHelp);
      return 2;
    }
    gps::cli::tell_stop_points();
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
      return fail(gps::cli::kOutputFailed, 1);
  } catch (const gps::ManyProblems& error) {
    gps::tell_user_lines("gpscl: " + gps::cli::with_dashes(error.what()));
    return 1;
  } catch (const gps::UsageError& error) {
    return fail(error.what(), 2);
  } catch (const gps::Interrupted&) {
    return fail("interrupted", gps::cli::signal_exit_code());
  } catch (const gps::TeamError& error) {  // an error of all ranks: only rank 0 prints it
    return gps::launched_rank() > 0 ? 0 : fail(error.what(), 1);
  } catch (const std::system_error& error) {  // fmt::print throws it, among others
    return fail(std::ferror(stdout) != 0 ? gps::cli::kOutputFailed : error.what(), 1);
  } catch (const std::bad_alloc&) {
    return fail("out of memory", 1);
  } catch (const std::exception& error) {
    return fail(error.what(), 1);
  }
  return exit_code;
}
