// The backend that libgps_torch.so provides to torch_backend().
#include <fmt/format.h>
#include <torch/csrc/jit/serialization/pickle.h>
#include <torch/script.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

#include "gps/core/errors.h"
#include "gps/core/files/files.h"
#include "gps/core/option.h"
#include "gps/core/version.h"
#include "gps/nn/torch/convnet.h"
#include "gps/nn/torch/resnet18.h"
#include "gps/nn/torch/torch_backbone.h"
#include "gps/nn/torch/torch_backend.h"
#include "gps/nn/torch/torch_network.h"

namespace gps {
namespace {

namespace fs = std::filesystem;
using torch::jit::Module;

bool has_bf16() {
#ifdef __x86_64__
  return __builtin_cpu_supports("avx512bw") != 0;
#else
  return false;
#endif
}

Module load_module(const fs::path& file) {
  if (!fs::exists(file)) throw DataError(fmt::format("{}: no such file", file.string()));
  check_can_be_read(file);
  try {
    return torch::jit::load(file.string(), torch::kCPU);
  } catch (const std::exception&) {
    throw DataError(
        fmt::format("{}: not a TorchScript file; write one with torch.jit.script(model).save(...)",
                    file.string()));
  }
}

NamedTensor named(const std::string& name, const torch::Tensor& tensor) {
  const torch::Tensor flat = tensor.detach().to(torch::kCPU, torch::kFloat).contiguous();
  const float* const data = flat.data_ptr<float>();
  return {name, flat.sizes().vec(), {data, data + flat.numel()}};
}

// Gives the module the layers of an mlp as the child "layers", and the methods features() and
// forward(). `before` are the statements for x that come first.
void add_mlp(TorchLayers& layers, Module& made, const NamedTensors& tensors,
             const std::string& before) {
  std::string text =
      "def features(self, x: Tensor) -> Tensor:\n" + before + "  x = torch.flatten(x, 1)\n";
  const std::size_t count = tensors.size() / 2;
  Module list = layers.module("Layers");
  for (std::size_t k = 0; k < count; ++k) {
    const NamedTensor& weight = tensors[2 * k];
    const Module linear =
        layers.linear(static_cast<int>(weight.shape[1]), static_cast<int>(weight.shape[0]));
    const torch::NoGradGuard no_gradients;
    for (const auto& parameter : linear.named_parameters()) {
      const NamedTensor& from = tensors[2 * k + (parameter.name == "weight" ? 0 : 1)];
      torch::Tensor to = parameter.value;
      to.copy_(torch::from_blob(const_cast<float*>(from.values.data()), from.shape));
    }
    list.register_module(std::to_string(k), linear);
    if (k + 1 < count)
      text += fmt::format("  x = torch.relu(getattr(self.layers, \"{}\").forward(x))\n", k);
  }
  list.define("def forward(self, x: Tensor) -> Tensor:\n  return x\n");
  made.register_module("layers", list);
  made.define(text + fmt::format(R"(
  return x

def forward(self, x: Tensor) -> Tensor:
  return getattr(self.layers, "{}").forward(self.features(x))
)",
                                 count - 1));
}

void save(Module& made, const fs::path& file) {
  made.eval();
  std::ostringstream bytes;  // LibTorch's own writer ends the program when the disk is full
  made.save(bytes);
  write_file(file, bytes.str());
}

class Backend final : public TorchBackend {
 public:
  std::unique_ptr<Network> make_network(const NetworkOptions& options, const ImageShape& shape,
                                        int classes, const Normalisation& normalisation,
                                        const Rng& rng) const override {
    if (options.precision == Precision::bf16 && options.device == "cpu" && !has_bf16()) {
      throw OptionError("precision",
                        "bf16 needs a CPU with AVX-512 or better, which this CPU does not have");
    }
    const TorchSettings settings{shape, options.device, options.precision,
                                 options.operator_threads};
    const int width = options.width > 0 ? options.width : kUsualWidth;
    if (options.model == "resnet18") {
      return make_torch_network(make_resnet18(shape.channels, classes, width, normalisation, rng),
                                settings, options.model);
    }
    if (options.model == "convnet") {
      return make_torch_network(make_convnet(shape, classes, width, normalisation, rng), settings,
                                options.model);
    }
    auto network = make_torch_network(load_module(options.model), settings, options.model);
    if (network->classes() < static_cast<std::size_t>(classes)) {
      throw DataError(fmt::format("{}: has {} outputs, but the benchmark has {} classes",
                                  options.model, network->classes(), classes));
    }
    return network;
  }

  NamedTensors read_tensors(const fs::path& file) const override {
    check_can_be_read(file);
    std::ifstream in(file, std::ios::binary);
    NamedTensors all;
    try {
      const Module module = torch::jit::load(file.string(), torch::kCPU);
      for (const auto& each : module.named_parameters())
        all.push_back(named(each.name, each.value));
      for (const auto& each : module.named_buffers()) all.push_back(named(each.name, each.value));
      return all;
    } catch (const std::exception&) {  // not TorchScript
      all.clear();
    }
    try {
      const std::vector<char> bytes(std::istreambuf_iterator<char>(in), {});
      for (const auto& entry : torch::jit::pickle_load(bytes).toGenericDict())
        all.push_back(named(entry.key().toStringRef(), entry.value().toTensor()));
    } catch (const std::exception&) {
      // LibTorch cannot unpickle an OrderedDict with attributes, such as state_dict() itself.
      throw DataError(
          fmt::format("{}: neither TorchScript nor a plain dict of tensors; write one with "
                      "torch.save(dict(model.state_dict()), ...), or a .safetensors file",
                      file.string()));
    }
    return all;
  }

  void save_network(const Network& network, const fs::path& file) const override {
    save_torch_network(network, file);
  }

  void save_mlp(const NamedTensors& tensors, const Normalisation& normalisation,
                const fs::path& file) const override {
    TorchLayers layers(Rng(0));
    Module made = layers.module("Mlp");
    add_mlp(layers, made, tensors, normalise_text(normalisation));
    save(made, file);
  }

  std::unique_ptr<Backbone> open_backbone(const fs::path& file, const ImageShape& shape,
                                          const Normalisation& input) const override {
    return make_torch_backbone(load_module(file), shape, input, file.string());
  }

  void save_with_backbone(const NamedTensors& tensors, const BackbonePart& backbone,
                          const fs::path& file) const override {
    TorchLayers layers(Rng(0));
    Module made = layers.module("MlpOnBackbone");
    const Module frozen = load_module(backbone.file);
    made.register_module("backbone", frozen);
    // Rounded to float16 as they were when the mlp learnt. Nine digits identify a float.
    add_mlp(layers, made, tensors,
            normalise_text(backbone.input) +
                fmt::format("  x = self.backbone.{}(x).to({}).to({})\n"
                            "  x = (x - {:#.9g}) / {:#.9g}\n",
                            features_method(frozen), static_cast<int>(torch::kHalf),
                            static_cast<int>(torch::kFloat), backbone.mean, backbone.deviation));
    save(made, file);
  }
};

}  // namespace
}  // namespace gps

// Returns null for another version of the program, which may expect another interface.
extern "C" __attribute__((visibility("default"))) const gps::TorchBackend* gps_torch_backend(
    const char* version) {
  static const gps::Backend backend;
  return std::strcmp(version, gps::kVersion) == 0 ? &backend : nullptr;
}
