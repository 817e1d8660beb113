#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "commands.h"
#include "gps/experiments/scheduling/cluster.h"
#include "probe/probe_kinds.h"

namespace gps::cli {
namespace {

std::string above_options() {
  std::string text =
      "gpscl probe: make one of the analyses behind the paper's tables and figures\n\n"
      "Usage: gpscl probe KIND BENCHMARK [OPTIONS]\n\n";
  for (const Entry& entry : probe_catalog())
    text += fmt::format("  {:<15} {}\n{:6}{}\n", entry.name, entry.paper, "", entry.summary);
  return text + "\n";
}

// The option of gpscl run, which takes several names here.
Option future_row() {
  Option row = place("future", "F,..", names(future_catalog()));
  row.flag = "future";
  row.is_list = true;
  row.help = join(row.offered, " | ") + "; difficulty: real instead of offline";
  row.usual_text = "all; one-minimum: offline; ratio-distance: permutation; difficulty: real";
  return row;
}

void print(const ProbeFindings& findings, const ProbeOptions& options) {
  if (options.own.format == "json") {
    const nlohmann::json json = {{"kind", options.kind},
                                 {"seeds", options.run.all_seeds()},
                                 {"rows", to_json(findings.table)},
                                 {"notes", findings.notes}};
    fmt::print("{}\n", json.dump(1));
    return;
  }
  if (findings.table.rows.empty()) return;
  if (options.own.format == "csv") {
    fmt::print("{}", csv_table(plain(findings.table)));
    return;
  }
  const Table table = shown(findings.table);
  const bool is_text = options.own.format == "text";
  fmt::print("{}\n", is_text ? text_table(table) : markdown_table(table));
  for (const std::string& note : findings.notes) fmt::print("{}{}\n", note, is_text ? "" : "  ");
}

int execute(ProbeOptions& options) {
  if (join_cluster())
    throw UsageError("gpscl probe cannot be used with mpirun; gpscl run and gpscl sweep can");
  static const std::map<std::string, ProbeFindings (*)(ProbeOptions&, const MakeBench&)> kinds = {
      {"ring-size", probe_ring_size},
      {"forgetting", probe_forgetting},
      {"difficulty", probe_difficulty},
      {"zero-shot", probe_zero_shot},
      {"time", probe_time},
      {"ratio-distance", probe_ratio_distance},
      {"one-minimum", probe_one_minimum}};
  std::unique_ptr<Bench> bench;
  const ProbeFindings findings = kinds.at(options.kind)(options, [&]() -> Bench& {
    bench = std::make_unique<Bench>(options);
    return *bench;
  });
  print(findings, options);
  return bench->end();
}

}  // namespace

const CommandTable& probe_table() {
  static const CommandTable table = {
      above_options(), {}, std::vector{future_row()} + probe_arguments().rows(), R"(
The options that define a run, --seeds, --seed, --jobs, --out, --store and --data are as for gpscl
run (gpscl run --help). --sim-epochs E sets the epochs of a simulated task, --sim-examples N its
examples, and --window W the number of simulated tasks; by default, they are those of the run.
--score-examples N sets how many examples of the task are held back for scoring (2000). Ctrl-C keeps
finished analyses.

Example: compare simulated futures with the real one, on few examples
  gpscl probe ring-size p-mnist --task 3 --examples-per-task 2000 --epochs 1 --seeds 3
)"};
  return table;
}

void add_probe_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("probe", probe_table().help());
  command->set_help_flag();
  command->allow_extras();  // an unknown kind is handled below
  const auto wants_help = std::make_shared<bool>(false);
  command->add_flag("-h,--help", *wants_help);
  for (const Entry& entry : probe_catalog()) {
    CLI::App* kind = command->add_subcommand(entry.name, entry.summary);
    kind->set_help_flag();
    kind->allow_extras(false);
    const auto options = std::make_shared<ProbeOptions>(entry.name);
    if (entry.name == "difficulty") options->run.learners = {"sgd"};
    options->add_to(*kind);
    kind->callback([options, kind, &exit_code] {
      if (options->run.wants_help || options->run.wants_all_help) {
        fmt::print("{}", probe_table().help());
        return;
      }
      options->resolve(*kind);
      exit_code = execute(*options);
    });
  }
  command->callback([command, wants_help] {
    if (!command->get_subcommands().empty() && !*wants_help) return;
    if (!command->remaining().empty() && !*wants_help)
      find(probe_catalog(), "probe", command->remaining().front());
    fmt::print("{}", probe_table().help());
  });
}

}  // namespace gps::cli
