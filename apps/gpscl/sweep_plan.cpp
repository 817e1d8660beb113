#include "sweep_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "gps/report/labels.h"
#include "run_options.h"
#include "run_setup.h"

namespace gps::cli {
namespace {

// Options of `gpscl run` that a grid cannot set, and what is right instead.
const std::map<std::string, std::string> kElsewhere = {
    {"checkpoint-every", "say --checkpoint-every to gpscl sweep"},
    {"data", "say --data to gpscl sweep"},
    {"export", "gpscl run --export keeps the network and the memory of single runs"},
    {"help", "see gpscl sweep --help"},
    {"help-all", "see gpscl run --help-all"},
    {"jobs", "say --jobs to gpscl sweep"},
    {"json", "gpscl runs export --format json gives what was run"},
    {"out", "say --out to gpscl sweep"},
    {"picture", "gpscl runs show draws single runs"},
    {"restart",
     "a sweep goes on with what was interrupted; gpscl runs rm removes what is not wanted"},
    {"resume", "a sweep always goes on with what was interrupted"},
    {"store", "say --store to gpscl sweep"},
};

std::map<std::string, OptionKind> grid_options() {
  CLI::App app;
  app.set_help_flag();
  RunOptions options;
  options.add_to(app);
  std::map<std::string, OptionKind> known;
  for (const CLI::Option* option : app.get_options()) {
    const auto& names = option->get_lnames();
    const std::string name = names.empty() ? option->get_name() : names.front();
    if (kElsewhere.contains(name)) continue;
    known[name] = option->get_items_expected_max() == 0 ? OptionKind::flag : OptionKind::value;
  }
  return known;
}

// A grid point: for each setting, which of its values; for learners and policies, all of them.
struct Point {
  std::vector<const SweepSetting*> settings;
  std::vector<std::size_t> chosen;
};

bool is_combined(const SweepSetting& setting) {  // by `gpscl run` itself
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

// One's own images, looked at once for all points of a plan that look at them in the same way.
class Looks {
 public:
  OwnStream operator()(const std::string& path, const OwnStreamOptions& asked) {
    const Key key = {path,        asked.classes_per_task, asked.tasks,         asked.height,
                     asked.width, asked.colour,           asked.test_fraction, asked.skip_bad};
    const auto at = seen_.find(key);
    if (at != seen_.end()) return at->second;
    return seen_.emplace(key, look_at_images(path, asked, /*jobs=*/0)).first->second;
  }

 private:
  using Key = std::tuple<std::string, int, int, int, int, Colour, double, bool>;
  std::map<Key, OwnStream> seen_;
};

std::vector<Spec> specs_of(const Point& point, const std::set<std::string>& left_out,
                           std::vector<Impossible>& impossible, Looks& looks) {
  CLI::App app;
  app.set_help_flag();
  RunOptions options;
  options.look = std::ref(looks);
  options.add_to(app);
  bool has_benchmark = false;
  std::vector<std::string> arguments;
  for (std::size_t k = 0; k < point.settings.size(); ++k) {
    const SweepSetting& setting = *point.settings[k];
    if (left_out.contains(setting.key)) continue;
    const std::string text = text_of(setting, point.chosen[k]);
    if (setting.key == "benchmark") {
      has_benchmark = true;
      arguments.push_back(text);
    } else if (text == "true") {
      arguments.push_back("--" + setting.key);
    } else if (text != "false") {
      arguments.push_back("--" + setting.key + "=" + text);
    }
  }
  if (!has_benchmark)
    throw UsageError("which benchmark? known: " + join(names(benchmark_catalog())));
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
  try {
    app.parse(arguments);
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  options.resolve();
  return options.specs(&impossible);
}

// Where a message mentions an option ("--memory") or its value ("'p-mnst'") first.
const SweepSetting* blamed(const std::string& message, const SweepGrid& grid) {
  const SweepSetting* found = nullptr;
  std::size_t first = std::string::npos;
  for (const SweepSetting& setting : grid.settings) {
    const auto consider = [&](std::size_t at) {
      if (at < first) {
        first = at;
        found = &setting;
      }
    };
    const std::string option = "--" + setting.key;
    const std::size_t at = message.find(option);
    if (at != std::string::npos &&
        std::string("abcdefghijklmnopqrstuvwxyz-").find(message[at + option.size()]) ==
            std::string::npos)
      consider(at);
    for (const SweepValue& value : setting.values) consider(message.find("'" + value.text + "'"));
  }
  return found;
}

class GridPlanner {
 public:
  GridPlanner(const SweepFile& file, const SweepGrid& grid, Looks& looks)
      : file_(file), grid_(grid), looks_(looks) {}

  // The specs of the grid, in the order of its points.
  std::vector<Spec> specs(std::vector<std::string>& notes) {
    std::vector<Spec> all;
    for (const Point& point : points_of(grid_)) {
      const std::vector<Spec> some = possible(point);
      for (std::size_t k = 0; k < point.settings.size(); ++k) {
        if (!is_combined(*point.settings[k]) && !some.empty())
          used_.insert(&point.settings[k]->values[point.chosen[k]]);
      }
      all.insert(all.end(), some.begin(), some.end());
    }
    if (all.empty()) fail(reasons_.front());
    for (const SweepSetting& setting : grid_.settings) {
      for (const SweepValue& value : setting.values) check_used(setting, value, all);
    }
    for (const std::string& reason : reasons_) {
      const std::string note =
          fmt::format("{}:{}: left out: {}", file_.path.string(), grid_.line, reason);
      if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
    }
    return all;
  }

  std::vector<std::uint64_t> seeds() const {
    for (const SweepSetting& setting : grid_.settings) {
      if (!is_seeds(setting)) continue;
      std::vector<std::uint64_t> numbers;
      for (const SweepValue& value : setting.values) {
        std::uint64_t number = 0;
        const char* const end = value.text.data() + value.text.size();
        const auto [at, error] = std::from_chars(value.text.data(), end, number);
        if (error != std::errc() || at != end || number > 1000000000) {
          fail(value, setting.key, "must be a whole number from 0 on, or an array of seeds");
        }
        numbers.push_back(number);
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
    std::set<std::string> left_out;
    while (true) {
      std::vector<Impossible> impossible;
      try {
        std::vector<Spec> some = specs_of(point, left_out, impossible, looks_);
        for (const Impossible& each : impossible) {
          reasons_.push_back(each.reason);
          impossible_.push_back(each);
        }
        return some;
      } catch (const Irrelevant& error) {
        const auto at = std::find_if(
            point.settings.begin(), point.settings.end(),
            [&](const SweepSetting* setting) { return "--" + setting->key == error.option; });
        if (at == point.settings.end() || !(*at)->is_default) fail(error.what());
        left_out.insert((*at)->key);
      } catch (const UsageError& error) {
        reasons_.emplace_back(error.what());
        return {};
      }
    }
  }

  // A value that led to no run at all is a mistake.
  void check_used(const SweepSetting& setting, const SweepValue& value,
                  const std::vector<Spec>& all) const {
    if (is_seeds(setting) || used_.contains(&value)) return;
    if (!is_combined(setting)) {
      for (const std::string& reason : reasons_) {
        if (reason.find(value.text) != std::string::npos) fail(value, setting.key, reason);
      }
      fail(value, setting.key, reasons_.front());
    }
    for (const std::string& name : split(value.text, ',')) {
      const auto is_named = [&](const Impossible& each) {
        return (setting.key == "learner" ? each.learner : each.policy) == name;
      };
      const auto at = std::find_if(impossible_.begin(), impossible_.end(), is_named);
      if (at == impossible_.end()) continue;
      const bool is_used = std::any_of(all.begin(), all.end(), [&](const Spec& spec) {
        if (setting.key == "learner") return spec.learner.name == name;
        return policy_label(spec) == name || spec.policy == name;
      });
      if (!is_used) fail(value, setting.key, at->reason);
    }
  }

  [[noreturn]] void fail(const SweepValue& value, const std::string& key,
                         const std::string& reason) const {
    throw UsageError(fmt::format("{}:{}: {} = {}: {}", file_.path.string(), value.line, key,
                                 value.text, reason));
  }
  [[noreturn]] void fail(const std::string& reason) const {
    const SweepSetting* setting = blamed(reason, grid_);
    if (setting == nullptr)
      throw UsageError(fmt::format("{}:{}: {}", file_.path.string(), grid_.line, reason));
    for (const SweepValue& value : setting->values) {
      if (reason.find("'" + value.text + "'") != std::string::npos)
        fail(value, setting->key, reason);
    }
    fail(setting->values.front(), setting->key, reason);
  }

  const SweepFile& file_;
  const SweepGrid& grid_;
  Looks& looks_;
  std::vector<std::string> reasons_;  // why something was left out
  std::vector<Impossible> impossible_;
  std::set<const SweepValue*> used_;
};

}  // namespace

SweepPlan plan_sweep(const std::filesystem::path& path) {
  const SweepFile file = read_sweep(path, grid_options(), kElsewhere);
  SweepPlan plan{file.name, file.title, {}, {}};
  std::set<std::pair<std::string, std::uint64_t>> seen;
  Looks looks;
  for (const SweepGrid& grid : file.grids) {
    GridPlanner planner(file, grid, looks);
    const std::vector<Spec> specs = planner.specs(plan.notes);
    for (const std::uint64_t seed : planner.seeds()) {
      for (const Spec& spec : specs) {
        if (seen.emplace(to_json(spec).dump(), seed).second) plan.jobs.push_back({spec, seed, ""});
      }
    }
  }
  std::vector<Spec> specs;
  for (const Job& job : plan.jobs) specs.push_back(job.spec);
  const std::vector<std::string> labels = distinct_labels(specs);
  for (std::size_t k = 0; k < labels.size(); ++k)
    plan.jobs[k].label = fmt::format("{} seed {}", labels[k], plan.jobs[k].seed);
  return plan;
}

}  // namespace gps::cli
