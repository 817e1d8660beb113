#include "gps/nn/torch/torch_backend.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

namespace gps {
namespace torch_backend_test {

std::vector<std::string> environment_now() {
  std::vector<std::string> all;
  for (char** variable = environ; *variable != nullptr; ++variable) all.emplace_back(*variable);
  return all;
}

const std::vector<std::string> kBeforeAnyTest = environment_now();

TEST(TorchBackend, LeavesTheEnvironmentOfItsHostAsItIs) {
  torch_backend();
  for (const std::string& variable : environment_now()) {
    const bool is_ours = variable.starts_with("OPENBLAS") || variable.starts_with("ONEDNN") ||
                         variable.starts_with("DNNL") || variable.starts_with("OMP");
    if (!is_ours) continue;
    EXPECT_NE(std::find(kBeforeAnyTest.begin(), kBeforeAnyTest.end(), variable),
              kBeforeAnyTest.end())
        << variable;
  }
}

}  // namespace torch_backend_test
}  // namespace gps
