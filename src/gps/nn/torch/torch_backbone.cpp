#include "gps/nn/torch/torch_backbone.h"

#include <fmt/format.h>

#include <utility>

#include "gps/core/errors.h"
#include "gps/data/features.h"
#include "gps/nn/named_tensor.h"
#include "gps/nn/torch/torch_session.h"
#include "gps/nn/torch/torch_tensors.h"

namespace gps {
namespace {

using torch::Tensor;
using torch::jit::Module;

class TorchBackbone final : public Backbone {
 public:
  TorchBackbone(Module module, const ImageShape& shape, const Normalisation& input,
                std::string name)
      : settings_{.shape = shape}, name_(std::move(name)), module_(std::move(module)) {
    const Session session(settings_);
    module_.to(torch::kCPU);
    module_.eval();
    method_ = features_method(module_);
    if (!input.mean.empty()) {
      const auto channels = static_cast<std::int64_t>(input.mean.size());
      mean_ = torch::tensor(input.mean).view({1, channels, 1, 1});
      deviation_ = torch::tensor(input.deviation).view({1, channels, 1, 1});
    }
    const std::vector<std::uint8_t> black(shape.bytes());
    const Tensor made = called(black.data(), "does not take images");
    if (made.dim() != 2 || made.size(0) != 1 || made.size(1) < 1) {
      throw DataError(fmt::format("{}: must map {} to [1, features], but gives {}", name_,
                                  shape_text(batch_shape()), shape_text(made.sizes().vec())));
    }
    features_ = static_cast<std::size_t>(made.size(1));
    if (features_ > kMostFeatures) {
      throw DataError(fmt::format("{}: gives {} features for an image, and at most {} are possible",
                                  name_, features_, kMostFeatures));
    }
  }

  std::size_t features() const override { return features_; }

  void compute(const std::uint8_t* image, std::span<float> out) const override {
    const Session session(settings_);
    const Tensor made = called(image, "fails on an image");
    if (made.dim() != 2 || made.size(0) != 1 ||
        made.size(1) != static_cast<std::int64_t>(features_)) {
      throw DataError(fmt::format("{}: gives {} for one image and [1, {}] for another", name_,
                                  shape_text(made.sizes().vec()), features_));
    }
    copy_out(made, out);
  }

 private:
  std::vector<std::int64_t> batch_shape() const {
    const ImageShape& shape = settings_.shape;
    return {1, shape.channels, shape.height, shape.width};
  }

  Tensor called(const std::uint8_t* image, const char* problem) const {
    const torch::NoGradGuard no_gradients;
    Tensor x = torch::from_blob(const_cast<std::uint8_t*>(image), batch_shape(), torch::kByte)
                   .to(torch::kFloat)
                   .div_(255);
    if (mean_.defined()) x = (x - mean_) / deviation_;
    try {
      const torch::jit::IValue result = module_.get_method(method_)({x});
      if (!result.isTensor()) throw std::runtime_error("it does not return a tensor");
      return result.toTensor().to(torch::kFloat);
    } catch (const std::exception& error) {
      throw DataError(fmt::format("{}: {} of shape {}: {}", name_, problem,
                                  shape_text(batch_shape()), reason_of(error)));
    }
  }

  TorchSettings settings_;
  std::string name_;
  Module module_;
  std::string method_;
  Tensor mean_;  // of the input; undefined: it is not normalised
  Tensor deviation_;
  std::size_t features_ = 0;
};

}  // namespace

std::string features_method(const Module& module) {
  return module.find_method("features") ? "features" : "forward";
}

std::unique_ptr<Backbone> make_torch_backbone(Module module, const ImageShape& shape,
                                              const Normalisation& input, const std::string& name) {
  return std::make_unique<TorchBackbone>(std::move(module), shape, input, name);
}

}  // namespace gps
