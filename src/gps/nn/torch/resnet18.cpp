#include "gps/nn/torch/resnet18.h"

namespace gps {
namespace {

using torch::jit::Module;

Module block(TorchLayers& layers, int in, int out, int stride) {
  Module made = layers.module("BasicBlock");
  made.register_module("conv1", layers.convolution(in, out, 3, stride));
  made.register_module("bn1", layers.batch_norm(out));
  made.register_module("conv2", layers.convolution(out, out, 3, 1));
  made.register_module("bn2", layers.batch_norm(out));
  std::vector<Module> shortcut;
  if (stride != 1 || in != out)
    shortcut = {layers.convolution(in, out, 1, stride), layers.batch_norm(out)};
  made.register_module("shortcut", layers.sequence(shortcut));
  made.define(R"(
def forward(self, x: Tensor) -> Tensor:
  y = torch.relu_(self.bn1.forward(self.conv1.forward(x)))
  y = self.bn2.forward(self.conv2.forward(y))
  return torch.relu_(y + self.shortcut.forward(x))
)");
  return made;
}

}  // namespace

Module make_resnet18(int channels, int classes, int width, const Normalisation& normalisation,
                     const Rng& rng) {
  TorchLayers layers(rng);
  Module made = layers.module("ResNet18");
  made.register_module("conv1", layers.convolution(channels, width, 3, 1));
  made.register_module("bn1", layers.batch_norm(width));
  int in = width;
  for (int k = 1; k <= 4; ++k) {
    const int out = width << (k - 1);
    const Module first = block(layers, in, out, k == 1 ? 1 : 2);
    const Module second = block(layers, out, out, 1);
    made.register_module("layer" + std::to_string(k), layers.sequence({first, second}));
    in = out;
  }
  made.register_module("linear", layers.linear(in, classes));
  made.define("def features(self, x: Tensor) -> Tensor:\n" + normalise_text(normalisation) + R"(
  x = torch.relu_(self.bn1.forward(self.conv1.forward(x)))
  x = self.layer4.forward(self.layer3.forward(self.layer2.forward(self.layer1.forward(x))))
  return torch.flatten(torch.adaptive_avg_pool2d(x, [1, 1]), 1)

def forward(self, x: Tensor) -> Tensor:
  return self.linear.forward(self.features(x))
)");
  return made;
}

}  // namespace gps
