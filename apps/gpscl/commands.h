// One function a command. Each adds its sub-command to the app, described by its whole help; the
// callback it leaves behind does the work and puts the exit code where it is told. Commands throw
// UsageError (exit 2) and DataError or others (exit 1); main() prints them.
#pragma once

#include <CLI/CLI.hpp>

namespace gps::cli {

// `command_line` is what the user typed, quoted for a shell, for messages that tell what to type
// next.
void add_run_command(CLI::App& app, int& exit_code, const std::vector<std::string>& command_line);
void add_sweep_command(CLI::App& app, int& exit_code);
void add_reproduce_command(CLI::App& app, int& exit_code);
void add_runs_command(CLI::App& app, int& exit_code);
void add_probe_command(CLI::App& app, int& exit_code);
void add_data_command(CLI::App& app, int& exit_code);
void add_learn_command(CLI::App& app, int& exit_code);
void add_predict_command(CLI::App& app, int& exit_code);
void add_export_command(CLI::App& app, int& exit_code);
void add_report_command(CLI::App& app, int& exit_code);
void add_list_command(CLI::App& app, int& exit_code);

// `gpscl completion`, for packagers, which the help does not list: completion files for shells and
// the man page, made from all commands that the app has.
void add_completion_command(CLI::App& app);

}  // namespace gps::cli
