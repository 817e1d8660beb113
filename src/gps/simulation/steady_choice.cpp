#include "gps/simulation/steady_choice.h"

namespace gps {

std::vector<Plan> steady_plans(std::size_t quota) {
  std::vector<Plan> plans;
  for (const double share : kSteadyShares) plans.push_back(plans_up_to(quota).at_share(share));
  return plans;
}

double steady_share(std::span<const Decision> decisions) {
  std::array<double, kSteadyShares.size()> gains = {};
  double count = 0;
  for (const Decision& decision : decisions) {
    if (decision.trials.size() != kSteadyShares.size()) continue;
    const Outcome& all = decision.trials.back().outcome;
    if (!is_alive(all)) continue;
    ++count;
    for (std::size_t k = 0; k < gains.size(); ++k)
      gains[k] += decision.trials[k].outcome.accuracy - all.accuracy;
  }
  std::size_t best = gains.size() - 1;
  double expected = 0;  // of `all` over itself
  for (std::size_t k = 0; k + 1 < gains.size(); ++k) {
    const double effect = (gains[k] + kPriorWeight * kPriorGain) / (count + kPriorWeight);
    if (effect <= expected) continue;
    expected = effect;
    best = k;
  }
  return kSteadyShares[best];
}

}  // namespace gps
