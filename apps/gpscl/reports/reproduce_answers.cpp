#include "reports/reproduce_answers.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "gps/core/errors.h"
#include "gps/core/files/files.h"
#include "gps/core/tell_user.h"
#include "gps/experiments/result.h"
#include "patience.h"
#include "run/run_options.h"
#include "terminal/option_text.h"
#include "terminal/output.h"

namespace gps::cli {
namespace {

// Reads the finished runs and analyses behind each question. A run is read once for all questions.
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
        tell_user("gpscl: {}; left out", error.what());
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
    throw UsageError(fmt::format("--notes '{}' is not a folder", folder));
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".md")
      notes[entry.path().stem().string()] = read_file(entry.path());
  }
  for (const auto& [name, text] : notes) {
    if (name != "intro" && name != "outro") find_item(name);  // throws for an unknown item
  }
  return notes;
}

}  // namespace

Format format_of(const ReproduceOptions& options) {
  return format_from(options.format.empty() ? "text" : options.format);
}

void report_all(const ReproduceOptions& options) {
  const Format format = format_of(options);
  const Notes notes = read_notes(options.notes);
  named_benchmarks(options);
  std::vector<Scale> scales = {Scale::full, Scale::reduced};
  if (!options.scale.empty()) scales = {scale_from(options.scale)};
  Store store(store_path(options.work.store, options.work.out), store_options({.read_only = true}));
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

int report_asked(const ReproduceOptions& options, const std::vector<Asked>& all,
                 const SweepRuns& runs, Store& store, std::size_t failed_analyses) {
  std::size_t failed = failed_analyses;
  for (const Job& job : runs.jobs) {
    const std::optional<StoredRun> run = store.find(job.spec, job.seed);
    if (!run || run->status != RunStatus::failed) continue;
    ++failed;
    tell_user("gpscl: {} failed: {}", job.label, with_dashes(run->error));
  }
  Reader reader(store);
  Evidence evidence;
  std::vector<Answer> answers;
  for (const Asked& each : all) answers.push_back(answer_to(each, reader, evidence));
  write_output(rendered(answers, format_of(options)), options.output);
  return failed == 0 || options.only_reports ? 0 : 1;
}

}  // namespace gps::cli
