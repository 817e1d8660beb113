#include "gps/nn/torch/torch_calls.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "gps/core/errors.h"
#include "gps/nn/named_tensor.h"
#include "gps/nn/torch/torch_session.h"
#include "gps/nn/torch/torch_tensors.h"
#include "gps/nn/torch/torch_weights.h"

namespace gps {
namespace {

using torch::Tensor;
using torch::jit::Module;

const char* mode_name(bool training) { return training ? "training" : "prediction"; }

}  // namespace

TorchCalls::TorchCalls(Module module, const TorchSettings& settings, std::string name)
    : settings_(settings),
      name_(std::move(name)),
      device_(device_named(settings.device)),
      module_(std::move(module)) {
  const Session session(settings_);
  module_.to(device_);
  module_.eval();
}

TorchCalls::TorchCalls(const TorchCalls& other)
    : settings_(other.settings_),
      name_(other.name_),
      device_(other.device_),
      module_(copied_module(other.module_)),
      is_training_(other.is_training_),
      classes_(other.classes_),
      feature_size_(other.feature_size_) {}

void TorchCalls::probe() {
  const torch::NoGradGuard no_gradients;
  const Tensor zero = torch::zeros(batch_shape(1), torch::TensorOptions().device(device_));
  Tensor said;
  Tensor seen;
  try {
    said = call_unchecked("forward", zero, /*training=*/false);
    seen = call_unchecked(features_method(), zero, /*training=*/false);
  } catch (const std::exception& error) {
    throw DataError(fmt::format("{}: does not take images of shape {}: {}", name_,
                                shape_text(batch_shape(1)), reason_of(error)));
  }
  if (said.dim() != 2 || said.size(0) != 1 || said.size(1) < 1) {
    throw DataError(fmt::format("{}: must map {} to [1, classes], but gives {}", name_,
                                shape_text(batch_shape(1)), shape_text(said.sizes().vec())));
  }
  classes_ = static_cast<std::size_t>(said.size(1));
  feature_size_ = static_cast<std::size_t>(seen.numel());
}

std::string TorchCalls::features_method() const {
  return module_.find_method("features") ? "features" : "forward";
}

std::vector<std::int64_t> TorchCalls::batch_shape(std::size_t rows) const {
  const ImageShape& shape = settings_.shape;
  return {static_cast<std::int64_t>(rows), shape.channels, shape.height, shape.width};
}

Tensor TorchCalls::placed(const Tensor& images) const {
  const Tensor there = images.to(device_);
  // The channels-last format suits kernels in bfloat16, but not those in fp32.
  const bool is_channels_last = settings_.precision == Precision::bf16;
  return is_channels_last ? there.contiguous(torch::MemoryFormat::ChannelsLast) : there;
}

Tensor TorchCalls::floats(ImageRows images) const {
  const std::size_t size = settings_.shape.bytes();
  const Tensor bytes = torch::empty(batch_shape(images.size()), torch::kByte);
  auto* to = bytes.data_ptr<std::uint8_t>();
  for (const std::uint8_t* image : images) {
    std::memcpy(to, image, size);
    to += size;
  }
  return placed(bytes.to(device_).to(torch::kFloat).div_(255));
}

Tensor TorchCalls::call(const std::string& method, const Tensor& x, bool training) {
  Tensor made;
  try {
    made = call_unchecked(method, x, training);
  } catch (const std::exception& error) {
    throw DataError(fmt::format("{}: {} fails on images of shape {} in {} mode: {}", name_, method,
                                shape_text(x.sizes().vec()), mode_name(training),
                                reason_of(error)));
  }
  const auto size = static_cast<std::int64_t>(method == "forward" ? classes_ : feature_size_);
  if (made.dim() > 0 && made.size(0) == x.size(0) && made.numel() == x.size(0) * size) return made;
  throw DataError(fmt::format("{}: {} gives {} for images of shape {} in {} mode, not [{}, {}]",
                              name_, method, shape_text(made.sizes().vec()),
                              shape_text(x.sizes().vec()), mode_name(training), x.size(0), size));
}

Tensor TorchCalls::call_unchecked(const std::string& method, const Tensor& x, bool training) {
  if (training != is_training_) module_.train(training);
  is_training_ = training;
  const Autocast autocast(settings_.precision == Precision::bf16, device_.is_cuda());
  const torch::jit::IValue result = module_.get_method(method)({x});
  if (!result.isTensor()) throw std::runtime_error("it does not return a tensor");
  return result.toTensor().to(torch::kFloat);
}

Tensor TorchCalls::logits(const Tensor& x, bool training) { return call("forward", x, training); }

Tensor TorchCalls::features(const Tensor& x, bool training) {
  return call(features_method(), x, training);
}

std::string reason_of(const std::exception& error) {
  const auto* torch_error = dynamic_cast<const c10::Error*>(&error);
  std::string text = torch_error != nullptr ? torch_error->what_without_backtrace() : error.what();
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const std::size_t line = text.rfind('\n');
  return line == std::string::npos ? text : text.substr(line + 1);
}

}  // namespace gps
