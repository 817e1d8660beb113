#include "gps/learners/network_learner.h"

#include <utility>

#include "gps/core/errors.h"

namespace gps {

bool NetworkLearner::is_finite() const {
  // value * 0 is NaN if the value is not finite, and the sum then stays NaN.
  float sum = 0;
  for (const float value : std::as_const(*network_).weights()) sum += value * 0;
  return sum == 0;
}

void Learner::persist(Archive& /*archive*/) {
  throw UsageError("this learner cannot be saved, so its runs cannot be resumed");
}

Network& network_of(Learner& learner) {
  Network* const network = learner.network();
  if (network == nullptr) throw UsageError("this learner has no network");
  return *network;
}

const Network& network_of(const Learner& learner) {
  return network_of(const_cast<Learner&>(learner));
}

}  // namespace gps
