#include <fmt/format.h>

#include <limits>

#include "gps/probes/time_ratio.h"
#include "gps/reproduce/accuracy_table.h"

namespace gps {
namespace {

struct Length {
  std::string row;  // the paper's name of the row
  Spec spec;        // the paper's search
  Spec shortcut;    // gpscl's search, which does not simulate near neighbours again
};

constexpr const char* kShortcut = ", --reuse 0.25";

std::vector<Length> lengths_of(const Question& question) {
  const std::string name = paper_name(question.benchmark);
  std::vector<int> all = {default_tasks(question.benchmark)};
  if (!is_split(question.benchmark)) all = {10, 20, 40};
  std::vector<Length> lengths;
  for (const int tasks : all) {
    const Spec shortcut = spec_of(question, "er", "gps:permutation", tasks);
    Spec spec = shortcut;
    spec.policy.settings["reuse"] = 0;
    lengths.push_back({fmt::format("{}, T = {}", name, tasks), spec, shortcut});
  }
  return lengths;
}

std::vector<Job> jobs_of_table2a(const Question& question) {
  AccuracyTable table;
  for (const Length& length : lengths_of(question)) {
    add_line(table, length.row, length.spec);
    add_line(table, length.row + kShortcut, length.shortcut);
  }
  return jobs_of({table}, question);
}

std::optional<double> training(const RunResult& result) { return time_ratio(result).training; }
std::optional<double> simulation(const RunResult& result) { return time_ratio(result).simulation; }
std::optional<double> share(const RunResult& result) { return 100 * time_ratio(result).ratio; }

Finding judge_table2a(const Question& question, const Evidence& evidence) {
  const std::vector<Length> lengths = lengths_of(question);
  Section section{"Wall-clock seconds, and the simulation as a share of the training",
                  {"stream",
                   "seeds",
                   {"training", "s"},
                   {"simulation", "s"},
                   {"share", "%"},
                   "paper: minutes",
                   {"paper: share", "%"}},
                  nlohmann::json::array()};
  const auto add = [&](const std::string& name, const Spec& spec, const std::string& printed) {
    const auto values = [&](const Evidence::Metric& metric) {
      return evidence.values(spec, question.seeds, metric);
    };
    const BySeed shares = values(share);
    Row row = {name, Cell::count(shares.size()), Cell::mean(values(training)),
               Cell::mean(values(simulation)), Cell::mean(shares)};
    const auto of_training = find_printed("table2a", printed, "Training");
    const auto of_simulation = find_printed("table2a", printed, "Simulation");
    nlohmann::json paper;
    if (of_training && of_simulation) {
      const double percent = 100 * of_simulation->value / of_training->value;
      row.push_back(Cell::both(of_training->value, of_simulation->value));
      row.push_back(Cell::number(percent, 1));
      paper = percent;
    } else {
      row.insert(row.end(), {Cell::missing(), Cell::missing()});
    }
    section.table.rows.push_back(std::move(row));
    section.data.push_back(
        {{"row", name}, {"share_percent", shares}, {"paper_share_percent", paper}});
  };
  for (const Length& length : lengths) {
    add(length.row, length.spec, length.row);
    add(length.row + kShortcut, length.shortcut, "");
  }
  Finding finding{{section}, {}};
  const std::string claim = "simulation takes less than a tenth of the training's time";
  if (question.scale == Scale::full) {
    finding.judgements.push_back(
        judge_between(claim,
                      {"simulation / training, percent",
                       evidence.values(lengths.front().spec, question.seeds, share)},
                      -std::numeric_limits<double>::infinity(), 10));
  } else {
    finding.judgements.push_back(
        not_tried(claim, "training is shorter at this scale, simulation is not"));
  }
  if (lengths.size() == 3) {
    BySeed growth;
    const BySeed twenty = evidence.values(lengths[1].spec, question.seeds, simulation);
    for (const auto& [seed, seconds] : evidence.values(lengths[2].spec, question.seeds, simulation))
      if (twenty.contains(seed)) growth[seed] = seconds / twenty.at(seed);
    const std::string linear = "with a window the simulation's time grows linearly with the tasks";
    finding.judgements.push_back(question.scale == Scale::smoke
                                     ? not_tried(linear, "there is no window at the smoke scale")
                                     : judge_between(linear,
                                                     {"time at T = 40 over that at T = 20 (linear: "
                                                      "345/145 = 2.4, quadratic: 780/190 = 4.1)",
                                                      growth},
                                                     1.5, 3));
  }
  return finding;
}

}  // namespace

Item make_table2a() {
  return {"table2a",
          "The time that simulation adds to training",
          "Table 2 (a), section 6.5",
          "The paper's search is `--reuse 0`, and the claims are judged by it; `--reuse 0.25` is "
          "our default. Times depend on the machine, so only their ratio is comparable. With "
          "several jobs, idle workers help with a search; if times matter, use `--jobs 1` on an "
          "idle machine. With a window of ten, one candidate after each task takes 145 "
          "pseudo-tasks in all at T = 20 and 345 at T = 40, without it 190 and 780.",
          {"p-mnist", "s-cifar-10", "s-cifar-100", "tiny-imagenet"},
          {"p-mnist"},
          jobs_of_table2a,
          judge_table2a};
}

}  // namespace gps
