#include "gps/nn/torch/convnet.h"

namespace gps {

torch::jit::Module make_convnet(const ImageShape& shape, int classes, int width,
                                const Normalisation& normalisation, const Rng& rng) {
  TorchLayers layers(rng);
  torch::jit::Module made = layers.module("ConvNet");
  std::string text = "def features(self, x: Tensor) -> Tensor:\n" + normalise_text(normalisation);
  int in = shape.channels;
  int height = shape.height;
  int across = shape.width;
  for (const char* k : {"1", "2", "3"}) {
    made.register_module(std::string("conv") + k, layers.convolution(in, width, 3, 1));
    made.register_module(std::string("bn") + k, layers.batch_norm(width));
    text += std::string("  x = torch.relu_(self.bn") + k + ".forward(self.conv" + k +
            ".forward(x)))\n" + "  x = torch.max_pool2d(x, [2, 2], [2, 2], [0, 0], [1, 1], True)\n";
    in = width;
    height = (height + 1) / 2;
    across = (across + 1) / 2;
  }
  made.register_module("linear", layers.linear(width * height * across, classes));
  made.define(text + R"(
  return torch.flatten(x, 1)

def forward(self, x: Tensor) -> Tensor:
  return self.linear.forward(self.features(x))
)");
  return made;
}

}  // namespace gps
