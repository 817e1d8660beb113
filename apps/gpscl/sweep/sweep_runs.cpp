#include "sweep/sweep_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "commands.h"
#include "gps/core/text/name_list.h"
#include "gps/core/text/numbers.h"
#include "gps/report/labels.h"
#include "run/run_options.h"
#include "run/run_setup.h"
#include "terminal/option_text.h"

namespace gps::cli {
namespace {

// Options that a grid cannot set, and what to use instead: those of `gpscl sweep` itself, and some
// of `gpscl run`.
const std::map<std::string, std::string>& set_elsewhere() {
  static const std::map<std::string, std::string> all = [] {
    std::map<std::string, std::string> instead = {
        {"export", "use gpscl run --export for single runs"},
        {"help", "see gpscl sweep --help"},
        {"help-all", "see gpscl run --help-all"},
        {"json", "use gpscl runs export --format json"},
        {"picture", "use gpscl runs show for single runs"},
        {"restart",
         "a sweep continues interrupted runs; to start one again, remove it with gpscl runs rm"},
        {"resume", "a sweep always continues interrupted runs"},
    };
    for (const Option& option : sweep_table().options)
      instead.emplace(option.flag, "use gpscl sweep --" + option.flag);
    return instead;
  }();
  return all;
}

std::map<std::string, SweepKind> grid_options() {
  std::map<std::string, SweepKind> known = {{"benchmark", SweepKind::value}};
  for (const Option& option : all_run_options()) {
    if (!set_elsewhere().contains(option.flag))
      known[option.flag] = option.kind == OptionKind::flag ? SweepKind::flag : SweepKind::value;
  }
  return known;
}

// A grid point: the chosen value of each setting. For learners and policies, all values are used.
struct Point {
  std::vector<const SweepSetting*> settings;
  std::vector<std::size_t> chosen;
};

bool is_combined(const SweepSetting& setting) {  // `gpscl run` itself combines these
  return setting.key == "learner" || setting.key == "policy";
}
bool is_seeds(const SweepSetting& setting) {
  return setting.key == "seeds" || setting.key == "seed";
}

std::string text_of(const SweepSetting& setting, std::size_t chosen) {
  if (!is_combined(setting)) return setting.values[chosen].text;
  std::vector<std::string> all;
  for (const SweepValue& value : setting.values) all.push_back(value.text);
  return join(all, ",");
}

std::vector<Point> points_of(const SweepGrid& grid) {
  std::vector<Point> points(1);
  for (const SweepSetting& setting : grid.settings) {
    if (is_seeds(setting)) continue;
    std::vector<Point> extended;
    for (const Point& point : points) {
      const std::size_t values = is_combined(setting) ? 1 : setting.values.size();
      for (std::size_t k = 0; k < values; ++k) {
        extended.push_back(point);
        extended.back().settings.push_back(&setting);
        extended.back().chosen.push_back(k);
      }
    }
    points = std::move(extended);
  }
  return points;
}

// Inspects the user's own images, once for all points of a file with the same options.
class Looks {
 public:
  OwnStream operator()(const std::string& path, const OwnStreamOptions& asked) {
    const std::pair key(path, asked);
    const auto at = seen_.find(key);
    if (at != seen_.end()) return at->second;
    return seen_.emplace(key, look_at_images(path, asked, /*jobs=*/0)).first->second;
  }

 private:
  std::map<std::pair<std::string, OwnStreamOptions>, OwnStream> seen_;
};

std::vector<Spec> specs_of(const Point& point, LeftOut& left_out, Looks& looks) {
  RunOptions options;
  options.look = std::ref(looks);
  for (std::size_t k = 0; k < point.settings.size(); ++k) {
    const SweepSetting& setting = *point.settings[k];
    const std::string text = text_of(setting, point.chosen[k]);
    if (setting.key == "benchmark") {
      options.benchmark = text;
    } else if (text != "false") {
      options.given[setting.key] = text;
      if (setting.is_default) left_out.defaults.insert(setting.key);
    }
  }
  if (options.benchmark.empty())
    throw UsageError("no benchmark given; known: " + join(names(benchmark_catalog())));
  options.resolve(&left_out);
  return options.specs(&left_out);
}

// Why a point led to no run. The flag of the reason is the key of the setting that caused it.
struct Refusal {
  const Point* point;
  Reason reason;
  std::string policy = {};  // as the file names it, if its run was refused, not the whole point
};

// Whether the option with this flag is set by the name of the policy: `ring` by mixed:0.3.
bool is_set_by(const std::string& policy, const std::string& flag) {
  if (policy.empty() || policy == "none" || flag.empty()) return false;
  for (const auto& [key, value] : variant_of(policy)) {
    if (spec_option(key).row.flag == flag) return true;
  }
  return false;
}

class GridPlanner {
 public:
  GridPlanner(const SweepFile& file, const SweepGrid& grid, Looks& looks)
      : file_(file), grid_(grid), looks_(looks) {}

  // Returns the specs of the grid, in the order of its points.
  std::vector<Spec> specs(std::vector<std::string>& notes) {
    points_ = points_of(grid_);
    std::vector<Spec> all;
    for (const Point& point : points_) {
      const std::vector<Spec> some = possible(point);
      for (std::size_t k = 0; k < point.settings.size(); ++k) {
        if (!is_combined(*point.settings[k]) && !some.empty())
          used_.insert(&point.settings[k]->values[point.chosen[k]]);
      }
      all.insert(all.end(), some.begin(), some.end());
    }
    if (all.empty()) fail(refusals_.front());
    for (const SweepSetting& setting : grid_.settings) {
      for (const SweepValue& value : setting.values) check_used(setting, value, all);
    }
    for (const Refusal& refusal : refusals_) {
      const std::string note = fmt::format("{}:{}: left out: {}", file_.path.string(), grid_.line,
                                           with_dashes(refusal.reason.message));
      if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
    }
    return all;
  }

  std::vector<std::uint64_t> seeds() const {
    for (const SweepSetting& setting : grid_.settings) {
      if (!is_seeds(setting)) continue;
      std::vector<std::uint64_t> numbers;
      for (const SweepValue& value : setting.values) {
        const auto number = parse_number<std::uint64_t>(value.text);
        if (!number || *number > 1000000000) {
          fail(value, setting.key, "must be a whole number of at least 0, or an array of seeds");
        }
        numbers.push_back(*number);
      }
      if (setting.key == "seed" || setting.is_array) return numbers;
      if (numbers.front() == 0) fail(setting.values.front(), setting.key, "must be at least 1");
      std::vector<std::uint64_t> first(numbers.front());
      for (std::size_t k = 0; k < first.size(); ++k) first[k] = k;
      return first;
    }
    return {0};
  }

 private:
  std::vector<Spec> possible(const Point& point) {
    LeftOut left_out;
    std::vector<Spec> some;
    try {
      some = specs_of(point, left_out, looks_);
    } catch (const UnknownName& error) {
      check_left_out(point, left_out);
      fail_name(error);
    } catch (const UsageError& error) {
      check_left_out(point, left_out);
      refusals_.push_back({&point, Reason(error)});
      return {};
    }
    check_left_out(point, left_out);
    for (const Impossible& each : left_out.impossible) {
      refusals_.push_back({&point, each.reason, each.policy});
      impossible_.push_back(each);
    }
    return some;
  }

  // Only a default may have no effect.
  void check_left_out(const Point& point, const LeftOut& left_out) const {
    for (const Irrelevant& each : left_out.irrelevant) {
      const SweepSetting* setting = find_setting(point, each.flag());
      if (setting == nullptr || !setting->is_default) fail({&point, Reason(each)});
    }
  }

  static const SweepSetting* find_setting(const Point& point, const std::string& key) {
    const auto at = std::find_if(point.settings.begin(), point.settings.end(),
                                 [&](const SweepSetting* each) { return each->key == key; });
    return at == point.settings.end() ? nullptr : *at;
  }

  static bool has(const Point& point, const SweepValue& value) {
    for (std::size_t k = 0; k < point.settings.size(); ++k) {
      if (&point.settings[k]->values[point.chosen[k]] == &value) return true;
    }
    return false;
  }

  // A value that leads to no run at all is an error.
  void check_used(const SweepSetting& setting, const SweepValue& value,
                  const std::vector<Spec>& all) const {
    if (is_seeds(setting) || used_.contains(&value)) return;
    if (!is_combined(setting)) {
      for (const Refusal& refusal : refusals_) {
        const std::string& flag = refusal.reason.flag;
        if (has(*refusal.point, value) && (flag == setting.key || flag.empty()))
          fail(value, setting.key, refusal.reason);
      }
      for (const Refusal& refusal : refusals_) {
        if (has(*refusal.point, value)) fail(value, setting.key, refusal.reason);
      }
    }
    for (const std::string& name : split(value.text, ',')) {
      const auto is_named = [&](const Impossible& each) {
        if (setting.key == "policy") return each.policy == name;
        return each.learner == name && !is_set_by(each.policy, each.reason.flag);
      };
      const auto at = std::find_if(impossible_.begin(), impossible_.end(), is_named);
      if (at == impossible_.end()) continue;
      const bool is_used = std::any_of(all.begin(), all.end(), [&](const Spec& spec) {
        if (setting.key == "learner") return spec.learner.name == name;
        return policy_label(spec.policy) == name || spec.policy.name == name;
      });
      if (!is_used) fail(value, setting.key, at->reason);
    }
  }

  [[noreturn]] void fail(const SweepValue& value, const std::string& key,
                         const std::string& problem) const {
    throw UsageError(fmt::format("{}:{}: {} = {}: {}", file_.path.string(), value.line, key,
                                 value.text, problem));
  }

  // The message says "memory = 0: must be at least 1", not "memory = 0: --memory must be …".
  [[noreturn]] void fail(const SweepValue& value, const std::string& key,
                         const Reason& reason) const {
    fail(value, key, reason.flag == key ? reason.problem : reason.message);
  }

  // Reports the line of the setting that caused the refusal, with the point's value.
  [[noreturn]] void fail(const Refusal& refusal) const {
    for (std::size_t k = 0; k < refusal.point->settings.size(); ++k) {
      const SweepSetting& setting = *refusal.point->settings[k];
      if (setting.key == refusal.reason.flag)
        fail(setting.values[refusal.point->chosen[k]], setting.key, refusal.reason);
    }
    if (is_set_by(refusal.policy, refusal.reason.flag)) {
      for (const SweepSetting& setting : grid_.settings) {
        if (setting.key != "policy") continue;
        for (const SweepValue& value : setting.values) {
          if (has_name(split(value.text, ','), refusal.policy))
            fail(value, setting.key, refusal.reason);
        }
      }
    }
    throw UsageError(
        fmt::format("{}:{}: {}", file_.path.string(), grid_.line, refusal.reason.message));
  }

  // Reports the line of an unknown name.
  [[noreturn]] void fail_name(const UnknownName& error) const {
    for (const SweepSetting& setting : grid_.settings) {
      if (setting.key != error.family()) continue;
      for (const SweepValue& value : setting.values) {
        const std::vector<std::string> parts = split(value.text, ',');
        for (const std::string& part : parts) {
          if (part == error.name() || part.substr(0, part.find(':')) == error.name())
            fail(value, setting.key, error.what());
        }
      }
    }
    throw UsageError(fmt::format("{}:{}: {}", file_.path.string(), grid_.line, error.what()));
  }

  const SweepFile& file_;
  const SweepGrid& grid_;
  Looks& looks_;
  std::vector<Point> points_;
  std::vector<Refusal> refusals_;
  std::vector<Impossible> impossible_;
  std::set<const SweepValue*> used_;
};

// Returns how many values of the setting are combined with those of the others.
std::size_t factor_of(const SweepSetting& setting) {
  if (is_combined(setting)) {
    std::size_t names = 0;
    for (const SweepValue& value : setting.values) names += split(value.text, ',').size();
    return names;
  }
  const bool is_number_of_seeds = setting.key == "seeds" && !setting.is_array;
  if (!is_number_of_seeds) return setting.values.size();
  return parse_number<std::size_t>(setting.values.front().text).value_or(1);
}

// Throws UsageError before a grid with too many runs takes any memory. `before` is the number of
// runs of the grids before it, at most; returns that number with those of this grid.
double count_runs(const SweepFile& file, const SweepGrid& grid, double before) {
  double runs = 1;
  std::vector<std::string> keys;
  std::vector<std::string> factors;
  for (const SweepSetting& setting : grid.settings) {
    const std::size_t factor = factor_of(setting);
    runs *= static_cast<double>(factor);
    if (factor < 2) continue;
    keys.push_back(setting.key);
    factors.push_back(fmt::format("{}", factor));
  }
  if (runs > kMostRuns) {
    throw UsageError(fmt::format("{}:{}: {} = {} = {:.0f} runs, and at most {} are possible",
                                 file.path.string(), grid.line, join(keys, " x "),
                                 join(factors, " x "), runs, kMostRuns));
  }
  if (before + runs > kMostRuns) {
    throw UsageError(fmt::format(
        "{}:{}: {:.0f} runs with those of the grids before, and at most {} are possible",
        file.path.string(), grid.line, before + runs, kMostRuns));
  }
  return before + runs;
}

}  // namespace

SweepRuns sweep_runs(const std::filesystem::path& path) {
  const SweepFile file = read_sweep(path, grid_options(), set_elsewhere());
  SweepRuns runs{file.name, file.title, {}, {}, {}};
  std::set<std::pair<std::string, std::uint64_t>> seen;
  Looks looks;
  double count = 0;
  for (const SweepGrid& grid : file.grids) count = count_runs(file, grid, count);
  for (const SweepGrid& grid : file.grids) {
    GridPlanner planner(file, grid, looks);
    const std::vector<Spec> specs = planner.specs(runs.notes);
    for (const std::uint64_t seed : planner.seeds()) {
      for (const Spec& spec : specs) {
        if (seen.emplace(to_json(spec).dump(), seed).second) runs.jobs.push_back({spec, seed, ""});
      }
    }
  }
  name_jobs(runs);
  return runs;
}

void name_jobs(SweepRuns& runs) {
  std::vector<Spec> specs;
  for (const Job& job : runs.jobs) specs.push_back(job.spec);
  runs.labels = distinct_labels(specs);
  for (std::size_t k = 0; k < runs.jobs.size(); ++k)
    runs.jobs[k].label = fmt::format("{} seed {}", runs.labels[k], runs.jobs[k].seed);
}

}  // namespace gps::cli
