#include "reports/reproduce_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "gps/core/errors.h"
#include "gps/core/text/text.h"
#include "gps/report/labels.h"

namespace gps::cli {

std::vector<std::string> all_benchmarks(const Item& item) {
  std::vector<std::string> all = item.defaults;
  for (const std::string& each : item.benchmarks) {
    if (std::find(all.begin(), all.end(), each) == all.end()) all.push_back(each);
  }
  return all;
}

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

std::vector<std::string> benchmarks_of(const Item& item, const ReproduceOptions& options,
                                       const std::vector<std::string>& otherwise) {
  if (options.benchmarks.empty()) return otherwise;
  std::vector<std::string> all = named_benchmarks(options);
  std::erase_if(all, [&](const std::string& name) { return !has_rows_for(item, name); });
  return all;
}

namespace {

// Returns the item. Throws UsageError if it has no rows for one of the given benchmarks.
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
  const auto add = [&](const Item& item) {  // adds each item once
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

}  // namespace

Question question_of(const std::string& benchmark, Scale scale, const ReproduceOptions& options) {
  return {benchmark, scale, options.seeds > 0 ? options.seeds : default_seeds(scale)};
}

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

SweepRuns runs_of(const std::vector<Asked>& all) {
  SweepRuns runs{"reproduce", "", {}, {}, {}};
  std::set<std::pair<std::string, std::uint64_t>> seen;
  for (const Asked& each : all) {
    for (Job& job : jobs_for(each)) {
      if (seen.emplace(to_json(job.spec).dump(), job.seed).second)
        runs.jobs.push_back(std::move(job));
    }
  }
  name_jobs(runs);
  return runs;
}

}  // namespace gps::cli
