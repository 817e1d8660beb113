#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "commands.h"
#include "gps/core/files/files.h"
#include "gps/core/tell_user.h"
#include "gps/core/text/printable.h"
#include "gps/experiments/spec/spec_options.h"
#include "gps/report/gather.h"
#include "gps/report/page/page.h"
#include "gps/report/page/page_template.h"
#include "gps/report/pieces.h"
#include "patience.h"
#include "policy_names.h"
#include "terminal/output.h"

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
      one_of("format", &ReportOptions::format, report_formats(),
             join(report_formats(), " | ") + ": the page; charts; tables")
          .called("F"),
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
  if (options.format == "html" && page_template().empty()) {
    throw UsageError(
        fmt::format("this gpscl was built without the page of the report: run scripts/setup, which "
                    "installs npm, and build again; --format {} works without the page",
                    join(piece_formats(), "|")));
  }
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
  Store store(path, store_options({.read_only = true, .named_by = "gpscl report STORE"}));
  const std::string usual = options.format == "html" ? "report.html" : "report";
  const std::string output = options.output.empty() ? usual : options.output;
  const Report report =
      gather_report(store,
                    {.benchmark = options.benchmark,
                     .learner = options.learner,
                     .policy = options.policy,
                     .room_for_images = options.format == "html" ? 1e6 * options.images : 0},
                    [](const std::string& line) { tell_user("gpscl: {}", line); });
  prepare_output(options.format, output);
  if (options.format != "html") {
    write_pieces(report, options, output);
    return;
  }
  const Page page = html_page(page_template(), report, 1e6 * options.details);
  write_output(page.html, output);
  if (page.details_left_out > 0) {
    tell_user(
        "gpscl: details of {} of {} runs are left out to keep the page small; include more with "
        "--details {}",
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
intervals, accuracy matrices, forgetting curves, switching points with what was tried, the memory
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
