#include "gps/reproduce/evidence.h"

#include <nlohmann/json.hpp>

namespace gps {

void Evidence::add(RunResult result) {
  const std::pair key{to_json(result.spec).dump(), result.seed};
  runs_.insert_or_assign(key, std::move(result));
}

const RunResult* Evidence::find(const Spec& spec, std::uint64_t seed) const {
  const auto at = runs_.find({to_json(spec).dump(), seed});
  return at == runs_.end() ? nullptr : &at->second;
}

BySeed Evidence::values(const Spec& spec, int seeds, const Metric& metric) const {
  BySeed values;
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(seeds); ++seed) {
    const RunResult* result = find(spec, seed);
    if (result == nullptr) continue;
    if (const std::optional<double> value = metric(*result)) values[seed] = *value;
  }
  return values;
}

BySeed Evidence::accuracy(const Spec& spec, int seeds) const {
  return values(spec, seeds, [](const RunResult& result) -> std::optional<double> {
    return 100 * result.metrics.average_accuracy();
  });
}

std::size_t Evidence::collapsed(const Spec& spec, int seeds) const {
  return values(spec, seeds,
                [](const RunResult& result) {
                  return result.has_collapsed ? std::optional(1.0) : std::nullopt;
                })
      .size();
}

}  // namespace gps
