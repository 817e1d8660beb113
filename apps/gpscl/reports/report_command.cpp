#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "commands.h"
#include "gps/core/files/files.h"
#include "gps/core/printable.h"
#include "gps/core/tell_user.h"
#include "gps/core/work/clock.h"
#include "gps/experiments/spec_options.h"
#include "gps/report/page/page.h"
#include "gps/report/page/page_template.h"
#include "gps/report/pieces.h"
#include "output.h"
#include "policy_names.h"
#include "reports/runs_actions.h"
#include "run/repeat_command.h"

namespace gps::cli {
namespace {

namespace fs = std::filesystem;

struct ReportOptions {
  bool wants_help = false;
  std::string store = "results/runs.sqlite";
  std::string format = "html";
  std::string output;
  std::string benchmark;
  std::string learner;
  std::string policy;
  double images = 2;                       // MB
  double details = kRoomForDetails / 1e6;  // MB
};

std::vector<std::string> report_formats() {
  std::vector<std::string> all = {"html"};
  all.insert(all.end(), piece_formats().begin(), piece_formats().end());
  return all;
}

const OptionTable<ReportOptions>& report_options() {
  constexpr double kMostMegabytes = 1e6;
  static const OptionTable<ReportOptions> table = {
      option("output", &ReportOptions::output,
             "the page (report.html), or the folder of the pieces (report)")
          .called("FILE")
          .short_flag("o"),
      option("format", &ReportOptions::format,
             join(report_formats(), " | ") + ": the page; charts; tables")
          .called("F")
          .offers(report_formats()),
      option("benchmark", &ReportOptions::benchmark, "only runs and analyses of this benchmark")
          .called("B")
          .offers(names(benchmark_catalog())),
      option("learner", &ReportOptions::learner, "only those with this learner")
          .called("L")
          .offers(names(learner_catalog())),
      option("policy", &ReportOptions::policy, "only those with this policy")
          .called("P")
          .offers(policy_names()),
      option("images", &ReportOptions::images,
             "most space for images of the memories, one run of each kind first; 0: none; needs "
             "runs with --export memory")
          .between(0, kMostMegabytes)
          .called("MB"),
      option("details", &ReportOptions::details,
             "most space for matrices, searches and memories of single runs")
          .between(0, kMostMegabytes)
          .called("MB"),
  };
  return table;
}

void check(const ReportOptions& options) {
  const std::vector<std::string> known = report_formats();
  if (std::find(known.begin(), known.end(), options.format) == known.end()) {
    throw UsageError(fmt::format("unknown --format '{}'; known: {}", options.format, join(known)));
  }
  if (options.format == "html" && page_template().empty()) {
    throw UsageError(
        fmt::format("this gpscl was built without the page of the report: run scripts/setup, which "
                    "installs npm, and build again; --format {} works without the page",
                    join(piece_formats(), "|")));
  }
}

// Adds the command, the current status and the parsed result to a run of the store. If the result
// is of another version, the message becomes the error of the run. Throws DamagedResult.
ReportedRun reported(StoredRun run, std::map<std::string, std::vector<std::string>>& arguments) {
  ReportedRun all;
  try {
    const auto at = arguments.find(run.spec);
    if (at == arguments.end())
      arguments[run.spec] = arguments_for(spec_from_json(nlohmann::json::parse(run.spec)));
    all.command = command_for(arguments[run.spec], run.seed);
  } catch (const std::exception& error) {
    all.command =
        fmt::format("# gpscl {} has no command for this run: {}", run.version, error.what());
  }
  run.status = Store::status_now(run, this_process(), seconds_now());
  try {
    if (!run.result.empty()) all.result = result_from(run);
  } catch (const DamagedResult&) {
    throw;
  } catch (const DataError& error) {
    run.error = error.what();
  }
  run.result.clear();
  all.run = std::move(run);
  return all;
}

// Adds contact sheets while there is room: first one run of each spec, then the second of each, and
// so on.
void add_sheets(Report& report, const fs::path& folder, double megabytes) {
  std::map<std::string, std::vector<ReportedRun*>> by_spec;
  for (ReportedRun& run : report.runs) {
    if (run.result && fs::exists(exported_memory_file(run.result->spec, run.run.seed, folder)))
      by_spec[run.run.spec].push_back(&run);
  }
  std::vector<std::pair<std::size_t, ReportedRun*>> order;
  for (auto& [spec, runs] : by_spec) {
    std::sort(runs.begin(), runs.end(),
              [](const auto* a, const auto* b) { return a->run.seed < b->run.seed; });
    for (std::size_t rank = 0; rank < runs.size(); ++rank) order.emplace_back(rank, runs[rank]);
  }
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : a.second->run.id > b.second->run.id;
  });
  double room = megabytes * 1e6;
  for (const auto& [rank, run] : order) {
    if (room <= 0) {
      ++report.sheets_left_out;
      continue;
    }
    try {
      const ExportedMemory memory = read_exported_memory(run->result->spec, run->run.seed, folder);
      if (memory.tasks.empty()) continue;
      run->sheet = contact_sheet(memory);
      room -= static_cast<double>(run->sheet->png.size()) * 4 / 3;
      if (room >= 0) continue;
      run->sheet.reset();
      ++report.sheets_left_out;
    } catch (const DataError& error) {
      tell_user("gpscl: {}; its images are left out", error.what());
    }
  }
}

// Returns the analyses that match the filters. Analyses that cannot be read are left out, with a
// message.
std::vector<ReportedAnalysis> analyses_of(Store& store, const ReportOptions& options) {
  const auto fits = [](const std::string& wanted, const std::string& name) {
    return wanted.empty() || wanted == name;
  };
  std::vector<ReportedAnalysis> all;
  for (const StoredAnalysis& analysis : store.analyses()) {
    try {
      ReportedAnalysis read = reported(analysis);
      const Spec& spec = read.spec;
      if (fits(options.benchmark, spec.benchmark.name) &&
          fits(options.learner, spec.learner.name) &&
          (fits(options.policy, spec.policy.name) ||
           fits(options.policy, policy_label(spec.policy))))
        all.push_back(std::move(read));
    } catch (const DataError& error) {
      tell_user("gpscl: {}; it is left out", error.what());
    }
  }
  return all;
}

// Throws DataError if no run matches the filter, so that an empty report does not replace a file.
void check_has_runs(Store& store, const RunFilter& filter) {
  if (!store.find(filter).empty()) return;
  const std::vector<StoredRun> all = store.find(RunFilter());
  if (all.empty()) {
    throw DataError(
        fmt::format("{}: no run is recorded here; gpscl run and gpscl sweep record runs",
                    store.path().string()));
  }
  std::string asked;
  std::string there;
  const auto add = [&](const char* option, const char* what, const std::string& value, auto of) {
    if (value.empty()) return;
    std::set<std::string> values;
    for (const StoredRun& run : all) values.insert(of(run));
    asked += fmt::format(" {} {}", option, value);
    there += fmt::format("; its {}: {}", what, fmt::join(values, ", "));
  };
  add("--benchmark", "benchmarks", filter.benchmark, [](auto& run) { return run.benchmark; });
  add("--learner", "learners", filter.learner, [](auto& run) { return run.learner; });
  add("--policy", "policies", filter.policy, [](auto& run) { return run.label; });
  throw DataError(fmt::format("{}: none of {} runs matches{}{}", store.path().string(), all.size(),
                              asked, there));
}

// Checks the output file, or makes the output folder, before the work starts.
void prepare_output(const std::string& format, const std::string& output) {
  if (format == "html") {
    check_output(output);
    return;
  }
  std::error_code error;
  fs::create_directories(output, error);
  if (error) throw DataError(fmt::format("{}: cannot be made: {}", output, error.message()));
  if (access(output.c_str(), W_OK) != 0)
    throw DataError(fmt::format("{}: cannot be written to", output));
}

void write_pieces(const Report& report, const ReportOptions& options, const std::string& output) {
  const std::vector<Piece> pieces = pieces_of(report, options.format);
  for (const Piece& piece : pieces) write_file(fs::path(output) / piece.name, piece.text);
  fmt::print("{}: {} files\n", printable(output), pieces.size());
}

void write_report(const ReportOptions& options) {
  check(options);
  fs::path path = options.store;
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) path /= "runs.sqlite";
  Store store(path, {.read_only = true, .named_by = "gpscl report STORE"});
  const RunFilter filter{{}, options.benchmark, options.learner, options.policy, {}};
  Report report;
  report.analyses = analyses_of(store, options);
  if (report.analyses.empty()) check_has_runs(store, filter);
  std::vector<StoredRun> runs = store.find(filter, /*with_results=*/true);
  leave_out_damaged(runs);
  const std::string usual = options.format == "html" ? "report.html" : "report";
  const std::string output = options.output.empty() ? usual : options.output;
  prepare_output(options.format, output);
  report.store = path.string();
  report.made = fmt::format("{:%Y-%m-%d %H:%M}", fmt::localtime(std::time(nullptr)));
  std::map<std::string, std::vector<std::string>> arguments;
  for (StoredRun& run : runs) {
    try {
      report.runs.push_back(reported(std::move(run), arguments));
    } catch (const DamagedResult& error) {
      tell_user("gpscl: {}", error.what());
    }
  }
  if (report.runs.empty() && report.analyses.empty())
    throw DataError(fmt::format("{}: none of the runs can be read", path.string()));
  if (options.format != "html") {
    write_pieces(report, options, output);
    return;
  }
  add_sheets(report, path.parent_path(), options.images);
  const Page page = html_page(page_template(), report, 1e6 * options.details);
  write_output(page.html, output);
  if (page.details_left_out > 0) {
    tell_user(
        "gpscl: the page has no matrix, search and memory of {} of the {} runs, to stay "
        "small; --details {} includes more",
        page.details_left_out, report.runs.size(), std::ceil(2 * options.details + 1));
  }
  if (is_standard_output(output)) return;
  fmt::print("{}: {} run{}, {:.1f} MB; open it in a browser\n", printable(output),
             report.runs.size(), report.runs.size() == 1 ? "" : "s",
             static_cast<double>(page.html.size()) / 1e6);
}

}  // namespace

const CommandTable& report_table() {
  static const CommandTable table = {
      R"(gpscl report: all runs and analyses of a store as one page, or as tables and charts for a paper

Usage: gpscl report [STORE] [-o FILE] [--format F] [FILTERS]

STORE is the store of gpscl run and gpscl sweep, or its folder (results/runs.sqlite). The page is
one file that opens from disk, without a network, in any browser: an overview, tables with
intervals, accuracy matrices, forgetting curves, switching points with their probes, the memory
over time, times, the command that repeats each run, and what gpscl probe and gpscl reproduce
have recorded. Charts can be filtered, and saved as SVG and PNG.

)",
      {place("store", "FILE")},
      report_options().rows(),
      R"(
Example: run a comparison and write its page
  gpscl run p-fashion-mnist --policy reservoir,gps --seeds 3 --tasks 5 --export memory
  gpscl report results -o report.html
)"};
  return table;
}

void add_report_command(CLI::App& app, int& /*exit_code*/) {
  CLI::App* command = app.add_subcommand("report", report_table().help());
  command->set_help_flag();
  const auto options = std::make_shared<ReportOptions>();
  command->add_option("store", options->store);
  command->add_flag("-h,--help", options->wants_help);
  bind(*command, report_options(), *options);
  command->callback([options] {
    if (options->wants_help) {
      fmt::print("{}", report_table().help());
    } else {
      write_report(*options);
    }
  });
}

}  // namespace gps::cli
