// A network of a few weights, for the fuzz target of safetensors and the corpus.
#pragma once

#include <memory>

#include "gps/nn/catalog.h"

namespace gps::fuzz {

inline std::unique_ptr<Network> small_network() {
  NetworkOptions options;
  options.hidden = {3};
  return make_network(options, ImageShape{1, 2, 2}, /*classes=*/2, Normalisation{}, Rng(1));
}

}  // namespace gps::fuzz
