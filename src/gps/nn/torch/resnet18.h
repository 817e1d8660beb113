// ResNet18 (He et al., "Deep residual learning for image recognition", 2016) in the usual form for
// small images: a 3 x 3 convolution of stride 1 and no pooling before the blocks, and a linear
// layer on the mean of the last channels. Width 64 has 11,173,962 parameters for 10 classes; width
// 20 is the reduced form of Lopez-Paz and Ranzato 2017.
#pragma once

#include "gps/nn/torch/torch_layers.h"

namespace gps {

// The names are those of the usual PyTorch code: conv1, bn1, layer1.0.conv1, …,
// layer2.0.shortcut.0, …, linear. `features(x)` is the input of `linear`.
torch::jit::Module make_resnet18(int channels, int classes, int width,
                                 const Normalisation& normalisation, const Rng& rng);

}  // namespace gps
