// The small network of the few-shot and small-scale literature (Vinyals et al., "Matching
// networks", 2016, with three blocks instead of four): three blocks of a 3 x 3 convolution with
// `width` channels, batch normalisation, ReLU and 2 x 2 max pooling, then one linear layer. For
// quick tests.
#pragma once

#include "gps/data/dataset.h"
#include "gps/nn/torch/torch_layers.h"

namespace gps {

// Names: conv1, bn1, conv2, …, linear. `features(x)` is the input of `linear`.
torch::jit::Module make_convnet(const ImageShape& shape, int classes, int width,
                                const Normalisation& normalisation, const Rng& rng);

}  // namespace gps
