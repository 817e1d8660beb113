#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "commands.h"
#include "gps/core/files/files.h"
#include "gps/report/labels.h"
#include "gps/reproduce/document.h"
#include "option_text.h"
#include "output.h"
#include "reports/analyses_work.h"
#include "run/run_options.h"
#include "run/run_setup.h"
#include "signals.h"
#include "sweep/sweep_display.h"
#include "sweep/sweep_work.h"

namespace gps::cli {
namespace {

constexpr const char* kReproduceHelp =
    R"(gpscl reproduce: the tables and figures of the paper, ours beside the paper's, and which claims hold

Usage: gpscl reproduce [ITEM...] [OPTIONS]

  ITEM            as the list says that gpscl reproduce prints; all: every one of them
  --benchmarks B  p-mnist,s-cifar-10,...; without it those that an MLP can learn
  --scale S       full (the paper's settings), reduced (minutes an item; natural images: hours,
                  which --dry-run estimates) or smoke (seconds)                      (reduced)
  --seeds N       so many of them (full: 5, reduced: 3, smoke: 2)
  --format F      text, md, csv, latex or json                                          (text)
  -o, --output F  write to a file instead
  --no-run        only what the store has already
  --notes DIR     DIR/ITEM.md, DIR/intro.md and DIR/outro.md go into the document (below)
  --out, --store, and with an ITEM --dry-run, --jobs, --data, --checkpoint-every, --retry-failed:
                  as for gpscl sweep

Runs that the store has are not done again, those of gpscl run and gpscl sweep included. Without an
ITEM but with a --format, nothing is run: all that the store has goes into the output, each item at
the scale at which more claims can be judged, full where as many (smoke: if named, and without
verdicts); --format md then writes a whole document, with the verdicts first. They are `reproduced`,
`not reproduced` or `not tried`, by rules that are stated.

Example: Table 1 at a reduced size, about two minutes
  gpscl reproduce table1 --benchmarks p-mnist --scale reduced
Example: docs/reproduction.md
  gpscl reproduce --format md --store results/runs.sqlite --notes docs/reproduction-notes
)";

struct ReproduceOptions {
  SweepOptions work;
  std::vector<std::string> items;
  std::string benchmarks;
  std::string scale;
  int seeds = 0;
  std::string format;
  std::string output;
  std::string notes;
  bool only_reports = false;
};

void print_items() {
  std::size_t longest = 0;
  for (const Item& item : item_catalog()) longest = std::max(longest, item.name.size());
  for (const Item& item : item_catalog()) {
    fmt::print("{:{}}  {}: {}\n{:{}}  {}\n", item.name, longest, item.where, item.title, "",
               longest, join(item.benchmarks));
  }
  fmt::print("\ngpscl reproduce ITEM runs what is behind it; see gpscl reproduce --help\n");
}

// All that an item has rows for: its defaults first.
std::vector<std::string> all_benchmarks(const Item& item) {
  std::vector<std::string> all = item.defaults;
  for (const std::string& each : item.benchmarks) {
    if (std::find(all.begin(), all.end(), each) == all.end()) all.push_back(each);
  }
  return all;
}

// Those of `--benchmarks`, which some item must have rows for; none without it.
std::vector<std::string> named_benchmarks(const ReproduceOptions& options) {
  std::vector<std::string> all;
  if (!options.benchmarks.empty()) all = split(options.benchmarks, ',');
  for (const std::string& name : all) {
    find(benchmark_catalog(), "benchmark", name);
    if (std::count(all.begin(), all.end(), name) > 1)
      throw UsageError(fmt::format("--benchmarks names '{}' twice", name));
    const bool is_known = std::any_of(item_catalog().begin(), item_catalog().end(),
                                      [&](const Item& item) { return has_rows_for(item, name); });
    if (!is_known) throw UsageError(fmt::format("no item has rows for --benchmarks '{}'", name));
  }
  return all;
}

// Those that were asked for and the item has rows for, or else `otherwise`.
std::vector<std::string> benchmarks_of(const Item& item, const ReproduceOptions& options,
                                       const std::vector<std::string>& otherwise) {
  if (options.benchmarks.empty()) return otherwise;
  std::vector<std::string> all = named_benchmarks(options);
  std::erase_if(all, [&](const std::string& name) { return !has_rows_for(item, name); });
  return all;
}

// An item that was named must have rows for all that was asked for.
const Item& named_item(const std::string& name, const ReproduceOptions& options) {
  const Item& item = find_item(name);
  for (const std::string& benchmark : named_benchmarks(options)) {
    if (has_rows_for(item, benchmark)) continue;
    throw UsageError(fmt::format("{} has no rows for --benchmarks '{}'; it has them for {}", name,
                                 benchmark, join(all_benchmarks(item))));
  }
  return item;
}

std::vector<const Item*> chosen_items(const ReproduceOptions& options) {
  std::vector<const Item*> items;
  const auto add = [&](const Item& item) {  // once
    if (std::find(items.begin(), items.end(), &item) == items.end()) items.push_back(&item);
  };
  for (const std::string& name : options.items) {
    if (name == "all") {
      for (const Item& item : item_catalog()) add(item);
    } else {
      add(named_item(name, options));
    }
  }
  return items;
}

Question question_of(const std::string& benchmark, Scale scale, const ReproduceOptions& options) {
  return {benchmark, scale, options.seeds > 0 ? options.seeds : default_seeds(scale)};
}

struct Asked {
  const Item* item;
  Question question;
};

std::vector<Asked> asked(const ReproduceOptions& options) {
  const Scale scale = scale_from(options.scale.empty() ? "reduced" : options.scale);
  std::vector<Asked> all;
  for (const Item* item : chosen_items(options)) {
    for (const std::string& benchmark : benchmarks_of(*item, options, item->defaults))
      all.push_back({item, question_of(benchmark, scale, options)});
  }
  return all;
}

std::vector<Job> jobs_for(const Asked& each) {
  return each.item->jobs ? each.item->jobs(each.question) : std::vector<Job>();
}
Analyses analyses_for(const Asked& each) {
  return each.item->analyses ? each.item->analyses(each.question) : Analyses();
}

Analyses all_analyses(const std::vector<Asked>& all) {
  Analyses analyses;
  for (const Asked& each : all) merge(analyses, analyses_for(each));
  return analyses;
}

SweepPlan plan_of(const std::vector<Asked>& all) {
  SweepPlan plan{"reproduce", "", {}, {}};
  std::set<std::pair<std::string, std::uint64_t>> seen;
  std::vector<Spec> specs;
  for (const Asked& each : all) {
    for (Job& job : jobs_for(each)) {
      if (!seen.emplace(to_json(job.spec).dump(), job.seed).second) continue;
      specs.push_back(job.spec);
      plan.jobs.push_back(std::move(job));
    }
  }
  const std::vector<std::string> labels = distinct_labels(specs);
  for (std::size_t k = 0; k < labels.size(); ++k)
    plan.jobs[k].label = fmt::format("{} seed {}", labels[k], plan.jobs[k].seed);
  return plan;
}

// What is done of the runs and analyses behind a question, read once for all questions.
class Reader {
 public:
  explicit Reader(Store& store) : store_(store) {
    RunFilter done;
    done.status = RunStatus::done;
    for (const StoredRun& run : store.find(done)) known_.emplace(run.spec, run.seed);
  }

  void read(const Asked& each, Evidence& evidence) {
    const Analyses analyses = analyses_for(each);
    read(analyses.ring_sizes, evidence);
    read(analyses.difficulties, evidence);
    read(analyses.zero_shots, evidence);
    for (const Job& job : jobs_for(each)) {
      const std::pair key{to_json(job.spec).dump(), job.seed};
      if (!known_.contains(key) || !read_.insert(key).second) continue;
      try {
        evidence.add(result_from(store_.find(job.spec, job.seed).value()));
      } catch (const DataError& error) {
        fmt::print(stderr, "gpscl: {}; left out\n", error.what());
      }
    }
  }

 private:
  template <typename Options>
  void read(const std::vector<Analysis<Options>>& analyses, Evidence& evidence) {
    for (const Analysis<Options>& each : analyses) {
      if (auto result = recall(store_, each)) evidence.add(each, std::move(*result));
    }
  }

  Store& store_;
  std::set<std::pair<std::string, std::uint64_t>> known_;
  std::set<std::pair<std::string, std::uint64_t>> read_;
};

Answer answer_to(const Asked& each, Reader& reader, Evidence& evidence) {
  reader.read(each, evidence);
  return {each.item, each.question, judged(*each.item, each.question, evidence)};
}

Notes read_notes(const std::string& folder) {
  Notes notes;
  if (folder.empty()) return notes;
  if (!std::filesystem::is_directory(folder))
    throw UsageError(fmt::format("--notes '{}' is no folder", folder));
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".md")
      notes[entry.path().stem().string()] = read_file(entry.path());
  }
  for (const auto& [name, text] : notes) {
    if (name != "intro" && name != "outro") find_item(name);  // a note that would go nowhere
  }
  return notes;
}

Format format_of(const ReproduceOptions& options) {
  return format_from(options.format.empty() ? "text" : options.format);
}

// All that the store has: each item and benchmark at the scale at which more claims were tried, at
// full scale where as many. Runs at the smoke scale are shown only where they are asked for.
void report_all(const ReproduceOptions& options) {
  const Format format = format_of(options);
  const Notes notes = read_notes(options.notes);
  named_benchmarks(options);
  std::vector<Scale> scales = {Scale::full, Scale::reduced};
  if (!options.scale.empty()) scales = {scale_from(options.scale)};
  Store store(store_path(options.work.store, options.work.out), Store::Options{.read_only = true});
  check_output(options.output);
  Reader reader(store);
  Evidence evidence;
  std::vector<Answer> answers;
  for (const Item& item : item_catalog()) {
    for (const std::string& benchmark : benchmarks_of(item, options, all_benchmarks(item))) {
      std::optional<Answer> best;
      for (const Scale scale : scales) {
        Answer answer =
            answer_to({&item, question_of(benchmark, scale, options)}, reader, evidence);
        if (answer.finding.seeds.most == 0) continue;
        if (!best || tried_claims(answer.finding) > tried_claims(best->finding))
          best = std::move(answer);
      }
      if (best) answers.push_back(std::move(*best));
    }
  }
  write_output(format == Format::md ? document(answers, notes) : rendered(answers, format),
               options.output);
}

// What was asked, of what the store has. Returns the exit code.
int report(const ReproduceOptions& options, const std::vector<Asked>& all, const SweepPlan& plan,
           Store& store, std::size_t failed_analyses) {
  std::size_t failed = failed_analyses;
  for (const Job& job : plan.jobs) {
    const std::optional<StoredRun> run = store.find(job.spec, job.seed);
    if (!run || run->status != RunStatus::failed) continue;
    ++failed;
    fmt::print(stderr, "gpscl: {} failed: {}\n", job.label, with_dashes(run->error));
  }
  Reader reader(store);
  Evidence evidence;
  std::vector<Answer> answers;
  for (const Asked& each : all) answers.push_back(answer_to(each, reader, evidence));
  write_output(rendered(answers, format_of(options)), options.output);
  return failed == 0 || options.only_reports ? 0 : 1;
}

// The plan of the runs, and what analyses will take.
int show_plan(const ReproduceOptions& options, const std::vector<Asked>& all,
              const std::filesystem::path& path) {
  const int code = carry_out(options.work, [&] { return plan_of(all); }, {});
  std::unique_ptr<Store> store;
  if (std::filesystem::exists(path))
    store = std::make_unique<Store>(path, Store::Options{.read_only = true});
  const Analyses analyses = all_analyses(all);
  if (analyses.size() == 0) return code;
  const AnalysesLeft left = analyses_left(analyses, store.get());
  const int workers = workers_for(options.work.jobs, nullptr);
  fmt::print("{} analyses: {} done, {} to do; about {} on {} worker{}\n", analyses.size(),
             analyses.size() - left.count, left.count, clock_time(left.seconds / workers), workers,
             workers == 1 ? "" : "s");
  return code;
}

// What would be misunderstood is refused; how to run, where nothing is run, is not.
void check_means_something(const ReproduceOptions& options, const CLI::App& command) {
  const auto refuse = [&](const char* option, const char* why) {
    if (command.count(option) > 0)
      throw UsageError(fmt::format("{} means nothing {}; see gpscl reproduce --help", option, why));
  };
  if (options.items.empty() && options.format.empty()) {
    for (const char* option : {"--benchmarks", "--scale", "--seeds", "--output", "--notes",
                               "--no-run", "--out", "--store"})
      refuse(option, "without an ITEM or a --format");
  }
  if (options.items.empty()) {
    for (const char* option :
         {"--dry-run", "--jobs", "--data", "--checkpoint-every", "--retry-failed"})
      refuse(option, "without an ITEM, as nothing is run");
  }
  if (options.only_reports) {
    for (const char* option : {"--dry-run", "--retry-failed"}) refuse(option, "with --no-run");
  }
  if (command.count("--dry-run") > 0) {
    for (const char* option : {"--output", "--format"}) refuse(option, "with --dry-run");
  }
  if (!options.items.empty() || options.format != "md")
    refuse("--notes", "but for the document, of --format md without an ITEM");
}

int execute(const ReproduceOptions& options) {
  if (options.items.empty()) {
    if (options.format.empty()) {
      print_items();
    } else {
      report_all(options);
    }
    return 0;
  }
  format_of(options);
  const std::vector<Asked> all = asked(options);
  const std::filesystem::path path = store_path(options.work.store, options.work.out);
  if (options.only_reports) {
    Store store(path, Store::Options{.read_only = true});
    check_output(options.output);
    return report(options, all, plan_of(all), store, 0);
  }
  if (options.work.is_dry) return show_plan(options, all, path);
  check_output(options.output);
  return carry_out(
      options.work, [&] { return plan_of(all); },
      [&](const SweepPlan& plan, Store& store) {
        StopFlag& stop = stop_on_signals();
        Executor executor(workers_for(options.work.jobs, nullptr));
        const Analyses analyses = all_analyses(all);
        if (analyses.size() > 0) {
          fmt::print(stderr, "reproduce: {} analyses, {} of them to do\n", analyses.size(),
                     analyses_left(analyses, &store).count);
        }
        std::size_t failed = 0;
        for (const Asked& each : all)
          failed += do_analyses(analyses_for(each), options.work.data, executor, store, stop);
        if (stop.is_requested()) {
          fmt::print(stderr, "gpscl: interrupted; the same command goes on\n");
          return signal_exit_code();
        }
        return report(options, all, plan, store, failed);
      });
}

}  // namespace

void add_reproduce_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("reproduce", kReproduceHelp);
  command->set_help_flag();
  const auto options = std::make_shared<ReproduceOptions>();
  SweepOptions& work = options->work;
  command->add_option("items", options->items);
  command->add_flag("-h,--help", work.wants_help);
  command->add_option("--benchmarks", options->benchmarks);
  command->add_option("--scale", options->scale);
  command->add_option("--seeds", options->seeds)->check(CLI::Range(1, 1000));
  command->add_option("--format", options->format);
  command->add_option("-o,--output", options->output);
  command->add_option("--notes", options->notes);
  command->add_flag("--no-run", options->only_reports);
  command->add_flag("--dry-run", work.is_dry);
  command->add_option("--jobs", work.jobs)->check(CLI::Range(1, 1024));
  command->add_option("--out", work.out);
  command->add_option("--store", work.store);
  command->add_option("--data", work.data);
  command->add_option("--checkpoint-every", work.checkpoint_every);
  command->add_flag("--retry-failed", work.retries_failed);
  command->callback([options, command, &exit_code] {
    if (options->work.wants_help) {
      fmt::print("{}", kReproduceHelp);
      return;
    }
    check_means_something(*options, *command);
    exit_code = execute(*options);
  });
}

}  // namespace gps::cli
