#include "gps/nn/torch/torch_layers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

namespace gps {

using torch::jit::Module;

Module TorchLayers::module(const std::string& name) {
  Module made("__torch__.gps." + name, unit_, /*shouldMangle=*/true);
  made.register_attribute("training", c10::BoolType::get(), true);
  return made;
}

Module TorchLayers::sequence(const std::vector<Module>& children) {
  Module made = module("Sequence");
  std::string text = "def forward(self, x: Tensor) -> Tensor:\n";
  for (std::size_t k = 0; k < children.size(); ++k) {
    made.register_module(std::to_string(k), children[k]);
    text += fmt::format("  x = getattr(self, \"{}\").forward(x)\n", k);
  }
  made.define(text + "  return x\n");
  return made;
}

Module TorchLayers::convolution(int in, int out, int kernel, int stride) {
  Module made = module("Conv2d");
  made.register_parameter("weight", uniform({out, in, kernel, kernel}, in * kernel * kernel),
                          /*is_buffer=*/false);
  made.define(fmt::format(R"(
def forward(self, x: Tensor) -> Tensor:
  return torch.conv2d(x, self.weight, None, [{0}, {0}], [{1}, {1}])
)",
                          stride, kernel / 2));
  return made;
}

Module TorchLayers::batch_norm(int channels) {
  Module made = module("BatchNorm2d");
  made.register_parameter("weight", torch::ones({channels}).requires_grad_(), false);
  made.register_parameter("bias", torch::zeros({channels}).requires_grad_(), false);
  made.register_buffer("running_mean", torch::zeros({channels}));
  made.register_buffer("running_var", torch::ones({channels}));
  made.define(R"(
def forward(self, x: Tensor) -> Tensor:
  return torch.batch_norm(x, self.weight, self.bias, self.running_mean, self.running_var, self.training, 0.1, 1e-5, True)
)");
  return made;
}

Module TorchLayers::linear(int in, int out) {
  Module made = module("Linear");
  made.register_parameter("weight", uniform({out, in}, in), false);
  made.register_parameter("bias", uniform({out}, in), false);
  made.define(R"(
def forward(self, x: Tensor) -> Tensor:
  return torch.linear(x, self.weight, self.bias)
)");
  return made;
}

torch::Tensor TorchLayers::uniform(std::vector<std::int64_t> shape, std::int64_t inputs) {
  Rng draw = rng_.fork("parameter", drawn_++);
  const double bound = 1 / std::sqrt(static_cast<double>(inputs));
  const torch::Tensor values = torch::empty(shape);
  float* const data = values.data_ptr<float>();
  for (std::int64_t k = 0; k < values.numel(); ++k)
    data[k] = static_cast<float>(bound * (2 * draw.uniform() - 1));
  return values.set_requires_grad(true);
}

std::string normalise_text(const Normalisation& normalisation) {
  if (normalisation.mean.empty()) return "";
  constexpr const char* kTensor =
      "torch.tensor([{}], dtype=x.dtype, device=x.device).reshape([1, -1, 1, 1])";
  return "  x = (x - " + fmt::format(kTensor, fmt::join(normalisation.mean, ", ")) + ") / " +
         fmt::format(kTensor, fmt::join(normalisation.deviation, ", ")) + "\n";
}

}  // namespace gps
