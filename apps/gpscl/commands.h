// One function per command. Each adds its sub-command to the app, with the complete help text as
// the description. The sub-command's callback does the work and stores the exit code in
// `exit_code`. Commands throw UsageError (exit code 2), or DataError and other exceptions (exit
// code 1); main() prints them.
#pragma once

#include <CLI/CLI.hpp>

#include "command_table.h"

namespace gps::cli {

// `command_line` is the command line that the user typed, quoted for a shell. Messages use it to
// say what to type next.
void add_run_command(CLI::App& app, int& exit_code, const std::vector<std::string>& command_line);
void add_plan_command(CLI::App& app, int& exit_code);
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

// The families that `gpscl list` knows.
std::vector<std::string> listed_families();

// The options of the commands, for completion and the man page.
const CommandTable& plan_table();
const CommandTable& sweep_table();
const CommandTable& reproduce_table();
const CommandTable& probe_table();
const CommandTable& runs_table();
const CommandTable& report_table();
const CommandTable& predict_table();
const CommandTable& export_table();
const CommandTable& data_table();

// Adds `gpscl completion`, which is for packagers and not listed in the help. It prints completion
// files for shells and the man page, made from all commands of the app.
void add_completion_command(CLI::App& app);

}  // namespace gps::cli
