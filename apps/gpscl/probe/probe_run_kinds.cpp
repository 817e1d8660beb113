// Probes that use runs, from the store or new: ratio-distance, time, forgetting under policies.
#include <algorithm>
#include <cmath>

#include "gps/probes/forgetting_curve.h"
#include "gps/probes/ratio_distance.h"
#include "gps/probes/time_ratio.h"
#include "probe/probe_kinds.h"

namespace gps::cli {

ProbeFindings probe_forgetting_in_runs(ProbeOptions& options, const MakeBench& bench) {
  options.refuse({"at", "measure"});
  const std::vector<int> tasks = options.tasks(1);
  const std::vector<Spec> specs = options.specs();
  for (const int task : tasks) {
    const int all = specs.front().benchmark.tasks;
    if (task < 1 || task > all)
      throw OptionError("task", fmt::format("must be between 1 and {}, got {}", all, task));
  }
  const auto runs = bench().runs(specs);
  ProbeFindings findings;
  findings.table = {{"run", "task", "later tasks"}, {kTestAccuracy}, {}};
  for (std::size_t s = 0; s < specs.size(); ++s) {
    for (const int task : tasks) {
      std::vector<std::vector<double>> by_later(
          static_cast<std::size_t>(specs[s].benchmark.tasks - task + 1));
      for (const auto& [seed, run] : runs[s]) {
        const std::vector<double> curve = forgetting_curve(run, task);
        for (std::size_t k = 0; k < curve.size(); ++k) by_later[k].push_back(curve[k]);
      }
      if (runs[s].empty()) continue;
      const std::string label = run_label(specs[s], options.run.learners.size() > 1);
      std::vector<double> line;
      for (std::size_t k = 0; k < by_later.size(); ++k) {
        findings.table.rows.push_back({{label, Cell::count(task), Cell::count(k)}, {by_later[k]}});
        line.push_back(mean_of(by_later[k]));
      }
      findings.notes.push_back(
          fmt::format("{:<24} task {} accuracy {}", label, task, spark_line(line)));
    }
  }
  return findings;
}

ProbeFindings probe_ratio_distance(ProbeOptions& options, const MakeBench& bench) {
  std::vector<std::string> policies = {"gps:offline"};
  const std::vector<std::string> futures = options.futures({"permutation"});
  for (const std::string& future : futures) {
    if (future == "offline")
      throw UsageError("--future offline is always included for comparison; leave it out");
    policies.push_back("gps:" + future);
  }
  if (options.run.bases.size() > 1) throw UsageError("gpscl probe takes one --learner");
  const std::vector<Spec> specs = options.specs(policies);
  const auto runs = bench().runs(specs);
  ProbeFindings findings;
  findings.table = {
      {"future", "task"}, {{"offline ratio", 3}, {"its ratio", 3}, {"distance", 3}}, {}};
  for (std::size_t f = 0; f < futures.size(); ++f) {
    std::vector<RatioDistance> distances;
    for (const auto& [seed, run] : runs[f + 1]) {
      if (runs[0].contains(seed)) distances.push_back(ratio_distance(runs[0].at(seed), run));
    }
    if (distances.empty()) continue;
    using Value = std::optional<double>;
    for (std::size_t j = 0; j < distances.front().found.size(); ++j) {
      findings.table.rows.push_back(
          {{futures[f], Cell::count(j + 1)},
           {over(distances, [j](const RatioDistance& d) -> Value { return d.reference[j]; }),
            over(distances, [j](const RatioDistance& d) -> Value { return d.found[j]; }),
            over(distances, [j](const RatioDistance& d) -> Value {
              return std::abs(d.found[j] - d.reference[j]);
            })}});
    }
    findings.table.rows.push_back(
        {{futures[f], "all (L1)"},
         {{}, {}, over(distances, [](const RatioDistance& d) -> Value { return d.distance; })}});
  }
  return findings;
}

ProbeFindings probe_time(ProbeOptions& options, const MakeBench& bench) {
  const std::vector<Spec> specs = options.specs(
      options.was_given("policy") ? std::vector<std::string>{} : std::vector<std::string>{"gps"});
  const auto runs = bench().runs(specs);
  ProbeFindings findings;
  findings.table = {{"run", "tasks"},
                    {{{"training", "s"}, 2}, {{"simulation", "s"}, 2}, {"simulation/training", 4}},
                    {}};
  for (std::size_t s = 0; s < specs.size(); ++s) {
    std::vector<TimeRatio> times;
    for (const auto& [seed, run] : runs[s]) times.push_back(time_ratio(run));
    if (times.empty()) continue;
    const auto values = [&](double TimeRatio::*member) {
      return over(times,
                  [&](const TimeRatio& each) -> std::optional<double> { return each.*member; });
    };
    findings.table.rows.push_back({{run_label(specs[s], options.run.learners.size() > 1),
                                    Cell::count(specs[s].benchmark.tasks)},
                                   {values(&TimeRatio::training), values(&TimeRatio::simulation),
                                    values(&TimeRatio::ratio)}});
  }
  findings.notes.emplace_back("wall-clock times; measure with --jobs 1 on a quiet machine");
  return findings;
}

}  // namespace gps::cli
