#include "gps/nn/network_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "gps/core/files/files.h"
#include "gps/core/hash.h"
#include "gps/core/simd_target.h"
#include "gps/core/text/text.h"
#include "gps/data/features.h"

namespace gps {

std::string name_of(Precision value) { return value == Precision::fp32 ? "fp32" : "bf16"; }

const OptionTable<NetworkOptions>& network_options() {
  constexpr int kMostUnits = 65536;
  constexpr int kMostChannels = 1024;
  constexpr int kMostThreads = 1024;
  static const OptionTable<NetworkOptions> table = {
      option("hidden", &NetworkOptions::hidden, "units of the hidden layers, or none")
          .between(1, kMostUnits)
          .called("N,N,..."),
      one_of("initialisation", &NetworkOptions::initialisation, {"xavier", "pytorch"},
             "initial weights: Xavier uniform with zero biases, or those of torch.nn.Linear")
          .flag("init"),
      option("weights", &NetworkOptions::weights,
             "start from these weights: TorchScript or a dict (.pt), or .safetensors")
          .flag("init")
          .called("FILE")
          .usually("none")
          .silent(),
      option("width", &NetworkOptions::width, "channels of the first layer; 20 is reduced ResNet18")
          .between(1, kMostChannels)
          .usually("64")
          .silent(),
      option("device", &NetworkOptions::device, "device for the computation")
          .called("cpu|cuda[:N]")
          .silent(),
      choice("precision", &NetworkOptions::precision,
             {{"fp32", Precision::fp32}, {"bf16", Precision::bf16}},
             "bf16: multiply in bfloat16, for GPUs and CPUs with AMX or AVX512-BF16")
          .silent(),
      one_of("backend", &NetworkOptions::backend, {"own", "libtorch"},
             "gpscl's own kernels, or LibTorch")
          .usually("the faster one on this CPU")
          .silent(),
      option("backbone", &NetworkOptions::backbone,
             "learn from the features of this frozen network (TorchScript) instead of pixels")
          .called("FILE")
          .usually("none")
          .silent(),
      one_of("backbone_input", &NetworkOptions::backbone_input, {"unit", "imagenet"},
             "pixels for the backbone: 0 to 1, or also normalised as for ImageNet")
          .silent(),
      option("operator_threads", &NetworkOptions::operator_threads,
             "threads inside one operator; results depend on this number")
          .between(1, kMostThreads)
          .silent(),
  };
  return table;
}

namespace {

std::vector<Option> rows(const std::vector<std::string>& keys) {
  std::vector<Option> some;
  for (const std::string& key : keys) some.push_back(*find_option(network_options().rows(), key));
  return some;
}

}  // namespace

const Catalog& model_catalog() {
  static const Catalog catalog = {
      {"mlp", "MLP",
       "A multi-layer perceptron with ReLU, in its own fused kernels; only on the CPU, in fp32.",
       rows({"hidden", "initialisation", "weights", "backbone", "backbone_input"})},
      {"convnet", "",
       "Three blocks of a 3 x 3 convolution, batch normalisation, ReLU and 2 x 2 max pooling, then "
       "one linear layer. For quick tests.",
       rows({"width", "weights", "device", "precision", "operator_threads"})},
      {"resnet18", "ResNet18",
       "The residual network of He et al. 2016 for small images: 3 x 3 stem, no pooling before the "
       "blocks. `width` 20 is the reduced form of the literature. In gpscl's own kernels, "
       "or in LibTorch.",
       rows({"width", "weights", "device", "precision", "backend", "operator_threads"})},
      {"FILE.pt", "",
       "Your own: any TorchScript module that maps [N, C, H, W] floats in [0, 1] to [N, classes] "
       "logits. Herding, iCaRL and HAL use its method features(x) if it has one, otherwise its "
       "logits.",
       rows({"weights", "device", "precision", "operator_threads"})},
  };
  return catalog;
}

const std::vector<Option>& options_of_model(const std::string& model) {
  return find(model_catalog(), "model", is_file(model) ? "FILE.pt" : model).options;
}

bool is_file(const std::string& model) {
  return model.ends_with(".pt") || model.ends_with(".pth") || model.find('/') != std::string::npos;
}

namespace {

bool can_be_fused(const NetworkOptions& options) {
  return options.model == "resnet18" && options.device == "cpu" && options.operator_threads == 1;
}

}  // namespace

std::string fastest_backend(const NetworkOptions& options, const std::string& target) {
  const bool is_measured =
      options.precision == Precision::bf16 || target.starts_with("AVX") || target == "SSE4";
  return can_be_fused(options) && is_measured ? "own" : "libtorch";
}

bool is_fused_resnet18(const NetworkOptions& options) {
  const bool by_default = options.precision == Precision::bf16 && can_be_fused(options);
  return options.model == "resnet18" &&
         (options.backend.empty() ? by_default : options.backend == "own");
}

std::uint64_t least_weights(const NetworkOptions& options, const ImageShape& shape, int classes) {
  if (is_file(options.model)) return 0;
  const auto outputs = static_cast<std::uint64_t>(classes);
  if (options.model == "mlp") {
    std::uint64_t sum = 0;
    std::uint64_t in = are_features(shape) ? shape.pixels() : shape.bytes();
    for (const int units : options.hidden) {
      sum += (in + 1) * static_cast<std::uint64_t>(units);
      in = static_cast<std::uint64_t>(units);
    }
    return sum + (in + 1) * outputs;
  }
  const auto width = static_cast<std::uint64_t>(options.width == 0 ? kUsualWidth : options.width);
  const auto channels = static_cast<std::uint64_t>(shape.channels);
  constexpr std::uint64_t kTaps = 9;  // of a 3 x 3 convolution
  if (options.model == "resnet18") {
    std::uint64_t sum = kTaps * channels * width + 4 * kTaps * width * width;
    std::uint64_t in = width;
    for (int stage = 2; stage <= 4; ++stage) {  // each doubles the channels
      sum += (kTaps + 1) * in * 2 * in + 3 * kTaps * 2 * in * 2 * in;
      in *= 2;
    }
    return sum + in * outputs;
  }
  const auto eighth = [](int side) { return static_cast<std::uint64_t>(side + 7) / 8; };
  return kTaps * channels * width + 2 * kTaps * width * width +
         width * eighth(shape.height) * eighth(shape.width) * outputs;
}

void check_weights(const NetworkOptions& options, const ImageShape& shape, int classes) {
  const std::uint64_t weights = least_weights(options, shape, classes);
  if (weights <= kMostWeights) return;
  constexpr std::uint64_t kMillion = 1'000'000;
  constexpr std::size_t kShortList = 10;
  const bool is_mlp = options.model == "mlp";
  std::string what = fmt::format("{}", options.width == 0 ? kUsualWidth : options.width);
  if (is_mlp) {
    const std::size_t layers = options.hidden.size();
    what = layers <= kShortList ? text_of(options.hidden) : fmt::format("of {} layers", layers);
  }
  throw OptionError(
      is_mlp ? "hidden" : "width",
      fmt::format("{} makes a network of {} million weights, and at most {} million are possible",
                  what, weights / kMillion, kMostWeights / kMillion));
}

void validate(const NetworkOptions& options) {
  simd_target();  // throws if $GPSCL_SIMD is invalid
  const std::vector<Option>& own = options_of_model(options.model);
  for (const BoundOption<NetworkOptions>& each : network_options()) {
    const OptionValue value = each.get(options);
    if (value == each.row.usual) continue;
    check(each.row, value);
    if (find_option(own, each.row.key) != nullptr) continue;
    std::vector<std::string> users;
    for (const Entry& entry : model_catalog()) {
      if (find_option(entry.options, each.row.key) != nullptr) users.push_back(entry.name);
    }
    throw OptionError(each.row.flag, fmt::format("works only with model {}, but `model` is {}",
                                                 join(users, " and "), options.model));
  }
  if (options.backbone.empty() && options.backbone_input != NetworkOptions().backbone_input)
    throw OptionError("backbone-input", "has no effect without `backbone`");
  check_weights(options, {.channels = 1, .height = 1, .width = 1}, /*classes=*/1);
  const std::string& device = options.device;
  const bool has_number = device.starts_with("cuda:") && device.size() > 5 && device.size() < 8 &&
                          device.find_first_not_of("0123456789", 5) == std::string::npos;
  if (device != "cpu" && device != "cuda" && !has_number)
    throw OptionError("device", fmt::format("must be cpu, cuda or cuda:N, got '{}'", device));
  if (options.backend == "own" && (device != "cpu" || options.operator_threads != 1)) {
    throw OptionError(
        "backend",
        "own works only on the CPU with one thread; `device` and `operator-threads` need `backend` "
        "libtorch");
  }
}

std::string fingerprint(const std::string& path) {
  check_can_be_read(path);
  std::ifstream in(path, std::ios::binary);
  if (!in) throw DataError(fmt::format("{}: cannot be read", path));
  std::uint64_t hash = kFnvStart;
  std::uint64_t size = 0;
  std::vector<char> buffer(1 << 16);
  while (in.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) || in.gcount() > 0) {
    const auto count = static_cast<std::size_t>(in.gcount());
    hash = fnv1a({buffer.data(), count}, hash);
    size += count;
  }
  return fmt::format("{}-{:016x}", size, hash);
}

NetworkOptions identified(NetworkOptions options) {
  if (is_file(options.model)) options.model_fingerprint = fingerprint(options.model);
  if (!options.weights.empty()) options.weights_fingerprint = fingerprint(options.weights);
  if (!options.backbone.empty()) options.backbone_fingerprint = fingerprint(options.backbone);
  return options;
}

}  // namespace gps
