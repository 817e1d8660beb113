#include "gps/nn/network_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "gps/core/simd_target.h"
#include "gps/nn/fused_mlp.h"

namespace gps {

std::string name_of(Precision value) { return value == Precision::fp32 ? "fp32" : "bf16"; }

const Catalog& model_catalog() {
  static const Catalog catalog = {
      {"mlp", "MLP",
       "A multi-layer perceptron with ReLU, in fused kernels of its own; on the CPU, in fp32.",
       "--hidden --init xavier|pytorch|FILE"},
      {"convnet", "",
       "Three blocks of a 3 x 3 convolution, batch normalisation, ReLU and 2 x 2 max pooling, then "
       "one linear layer: for quick tests.",
       "--width --init FILE --device --precision --operator-threads"},
      {"resnet18", "ResNet18",
       "The residual network of He et al. 2016 for small images: 3 x 3 stem, no pooling before the "
       "blocks. --width 20 is the reduced form of the literature. In bf16 on the CPU in kernels "
       "of our own, otherwise in LibTorch.",
       "--width --init FILE --device --precision --backend --operator-threads"},
      {"FILE.pt", "",
       "Your own: any TorchScript module that maps [N, C, H, W] floats in [0, 1] to [N, classes] "
       "logits. Where it has a method features(x), that is what herding, iCaRL and HAL look at; "
       "otherwise its logits are.",
       "--init FILE --device --precision --operator-threads"},
  };
  return catalog;
}

bool is_file(const std::string& model) {
  return model.ends_with(".pt") || model.ends_with(".pth") || model.find('/') != std::string::npos;
}

bool is_fused_resnet18(const NetworkOptions& options) {
  const bool by_default = options.precision == Precision::bf16 && options.device == "cpu" &&
                          options.operator_threads == 1;
  return options.model == "resnet18" &&
         (options.backend.empty() ? by_default : options.backend == "own");
}

void validate(const NetworkOptions& options) {
  simd_target();  // throws if $GPSCL_SIMD is wrong
  const NetworkOptions usual;
  if (!is_file(options.model)) find(model_catalog(), "model", options.model);
  const bool is_mlp = options.model == "mlp";
  constexpr int kMostUnits = 65536;
  for (const int units : options.hidden) {
    if (units < 1 || units > kMostUnits) {
      throw UsageError(
          fmt::format("--hidden must be between 1 and {} units, got {}", kMostUnits, units));
    }
  }
  initialisation_from(options.initialisation);
  if (!is_mlp &&
      (options.hidden != usual.hidden || options.initialisation != usual.initialisation)) {
    throw UsageError(
        fmt::format("--hidden and --init xavier|pytorch concern model mlp only, but --model is {}",
                    options.model));
  }
  constexpr int kMostChannels = 1024;
  if (options.width < 0 || options.width > kMostChannels) {
    throw UsageError(
        fmt::format("--width must be between 1 and {}, got {}", kMostChannels, options.width));
  }
  if (options.width > 0 && options.model != "resnet18" && options.model != "convnet") {
    throw UsageError(fmt::format(
        "--width concerns models resnet18 and convnet only, but --model is {}", options.model));
  }
  const std::string& device = options.device;
  const bool has_number = device.starts_with("cuda:") && device.size() > 5 && device.size() < 8 &&
                          device.find_first_not_of("0123456789", 5) == std::string::npos;
  if (device != "cpu" && device != "cuda" && !has_number)
    throw UsageError(fmt::format("--device must be cpu, cuda or cuda:N, got '{}'", device));
  constexpr int kMostThreads = 1024;
  if (options.operator_threads < 1 || options.operator_threads > kMostThreads) {
    throw UsageError(fmt::format("--operator-threads must be between 1 and {}, got {}",
                                 kMostThreads, options.operator_threads));
  }
  if (!options.backend.empty()) {
    if (options.backend != "own" && options.backend != "libtorch")
      throw UsageError(fmt::format("--backend must be own or libtorch, got '{}'", options.backend));
    if (options.model != "resnet18") {
      throw UsageError(
          fmt::format("--backend concerns model resnet18 only, but --model is {}", options.model));
    }
    if (options.backend == "own" && (device != "cpu" || options.operator_threads != 1)) {
      throw UsageError(
          "--backend own is for the CPU with one thread; --device and --operator-threads want "
          "--backend libtorch");
    }
  }
  if (is_mlp && (device != usual.device || options.precision != usual.precision ||
                 options.operator_threads != usual.operator_threads)) {
    throw UsageError(
        "--device, --precision and --operator-threads do not concern the mlp: it runs on the CPU, "
        "in "
        "fp32, on one thread");
  }
}

std::string fingerprint(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw DataError(fmt::format("{}: cannot be read", path));
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a
  std::uint64_t size = 0;
  std::vector<char> buffer(1 << 16);
  while (in.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) || in.gcount() > 0) {
    for (std::streamsize k = 0; k < in.gcount(); ++k)
      hash =
          (hash ^ static_cast<unsigned char>(buffer[static_cast<std::size_t>(k)])) * 1099511628211u;
    size += static_cast<std::uint64_t>(in.gcount());
  }
  return fmt::format("{}-{:016x}", size, hash);
}

NetworkOptions identified(NetworkOptions options) {
  if (is_file(options.model)) options.model_fingerprint = fingerprint(options.model);
  if (!options.weights.empty()) options.weights_fingerprint = fingerprint(options.weights);
  return options;
}

void add_to_json(const NetworkOptions& options, nlohmann::json& json) {
  const NetworkOptions usual;
  if (options.model == usual.model) {
    json["hidden"] = options.hidden;
    json["initialisation"] = options.initialisation;
  } else {
    json["model"] = options.model;
    if (is_file(options.model)) json["model_fingerprint"] = options.model_fingerprint;
    if (options.width != 0) json["width"] = options.width;
    if (options.device != usual.device) json["device"] = options.device;
    if (options.precision != usual.precision) json["precision"] = name_of(options.precision);
    NetworkOptions by_default = options;
    by_default.backend.clear();
    if (is_fused_resnet18(options) != is_fused_resnet18(by_default))
      json["backend"] = options.backend;
    if (options.operator_threads != usual.operator_threads)
      json["operator_threads"] = options.operator_threads;
  }
  if (!options.weights.empty()) {
    json["weights"] = options.weights;
    json["weights_fingerprint"] = options.weights_fingerprint;
  }
}

}  // namespace gps
