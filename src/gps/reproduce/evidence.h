// The results of runs and analyses that the rules use.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "gps/experiments/result.h"
#include "gps/reproduce/analyses.h"
#include "gps/reproduce/verdict.h"

namespace gps {

class Evidence {
 public:
  void add(RunResult result);
  const RunResult* find(const Spec& spec, std::uint64_t seed) const;

  // Returns a number of each run of the spec with seeds 0, …, seeds - 1, if the run exists and has
  // the number.
  using Metric = std::function<std::optional<double>(const RunResult&)>;
  BySeed values(const Spec& spec, int seeds, const Metric& metric) const;
  BySeed accuracy(const Spec& spec, int seeds) const;  // final average accuracy, percent
  // Returns how many of these runs have a dead network (RunResult::has_collapsed).
  std::size_t collapsed(const Spec& spec, int seeds) const;

  // The same for analyses: RingSizeOptions, DifficultyOptions, ZeroShotOptions.
  template <typename Options>
  void add(const Analysis<Options>& analysis, typename Options::Result result) {
    table<Options>().insert_or_assign(key_of(analysis.options, analysis.seed), std::move(result));
  }
  template <typename Options>
  std::map<std::uint64_t, const typename Options::Result*> find(const Options& options,
                                                                int seeds) const {
    std::map<std::uint64_t, const typename Options::Result*> found;
    for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(seeds); ++seed) {
      const auto at = table<Options>().find(key_of(options, seed));
      if (at != table<Options>().end()) found[seed] = &at->second;
    }
    return found;
  }

 private:
  using Key = std::pair<std::string, std::uint64_t>;  // canonical JSON, seed
  template <typename Result>
  using Results = std::map<Key, Result>;

  template <typename Options>
  static Key key_of(const Options& options, std::uint64_t seed) {
    return {to_json(options).dump(), seed};
  }
  template <typename Options>
  Results<typename Options::Result>& table() {
    return std::get<Results<typename Options::Result>>(analyses_);
  }
  template <typename Options>
  const Results<typename Options::Result>& table() const {
    return std::get<Results<typename Options::Result>>(analyses_);
  }

  Results<RunResult> runs_;
  std::tuple<Results<RingSizeCurve>, Results<Difficulty>, Results<ZeroShot>> analyses_;
};

}  // namespace gps
