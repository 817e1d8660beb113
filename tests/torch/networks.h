// Every network of the catalog, small, for tests that hold for all of them. "resnet18" is our own,
// "resnet18 in LibTorch" the other one.
#pragma once

#include "gps/nn/catalog.h"
#include "support/tiny_data.h"

namespace gps::testing {

inline constexpr ImageShape kTinyShape{1, 8, 8};
inline constexpr int kTinyClasses = 4;

inline NetworkOptions tiny_network(const std::string& model) {
  NetworkOptions options;
  options.model = model.substr(0, model.find(' '));
  if (options.model == "resnet18") options.backend = options.model == model ? "own" : "libtorch";
  if (model == "mlp") options.hidden = {12};
  if (model != "mlp") options.width = 4;
  return options;
}

inline std::unique_ptr<Network> make_tiny(const std::string& model, std::uint64_t seed = 1,
                                          const Normalisation& normalisation = {{0.3f}, {0.5f}}) {
  return make_network(tiny_network(model), kTinyShape, kTinyClasses, normalisation, Rng(seed));
}

}  // namespace gps::testing
