// A TorchScript module as a Backbone: frozen, in prediction mode, on the CPU in fp32.
#pragma once

#include <torch/script.h>

#include <memory>
#include <string>

#include "gps/nn/backbone.h"

namespace gps {

// Returns the method of the module that gives features: "features" if there is one, otherwise
// "forward".
std::string features_method(const torch::jit::Module& module);

// Pixels are normalised by `input` before the module sees them. Errors call the module `name`.
// Throws DataError if it does not map an image of this shape to [1, features].
std::unique_ptr<Backbone> make_torch_backbone(torch::jit::Module module, const ImageShape& shape,
                                              const Normalisation& input, const std::string& name);

}  // namespace gps
