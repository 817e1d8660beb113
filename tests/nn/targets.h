// Runs a test with every instruction set that this CPU has, the kernels were compiled for and
// $GPSCL_SIMD allows.
#pragma once

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <string>
#include <vector>

#include "gps/nn/mlp/fused_mlp_kernels.h"

namespace gps::testing {

class OnlyTarget {
 public:
  explicit OnlyTarget(std::int64_t target) { hwy::SetSupportedTargetsForTest(target); }
  ~OnlyTarget() { hwy::SetSupportedTargetsForTest(before_); }
  OnlyTarget(const OnlyTarget&) = delete;
  OnlyTarget& operator=(const OnlyTarget&) = delete;

 private:
  std::int64_t before_ = hwy::SupportedTargets();  // what $GPSCL_SIMD leaves
};

// Returns the names of the instruction sets that body() ran with.
template <typename Body>
std::vector<std::string> for_each_target(const Body& body) {
  std::vector<std::string> names;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    const OnlyTarget only(target);
    const std::string name = hwy::TargetName(target);
    if (kernels::target_name() != name) continue;  // not compiled in
    SCOPED_TRACE(name);
    body();
    names.push_back(name);
  }
  return names;
}

}  // namespace gps::testing
