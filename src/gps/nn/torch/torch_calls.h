// Calls a TorchScript module with batches of images: on its device, in training or prediction mode,
// with a check of the output shapes. REQUIRES: a Session exists during each call.
#pragma once

#include <torch/script.h>

#include <string>
#include <vector>

#include "gps/nn/network.h"
#include "gps/nn/torch/torch_network.h"

namespace gps {

class TorchCalls {
 public:
  // Starts in prediction mode. Errors call the module `name`. Throws OptionError if the device does
  // not exist.
  TorchCalls(torch::jit::Module module, const TorchSettings& settings, std::string name);
  TorchCalls(const TorchCalls& other);  // deep copy
  TorchCalls& operator=(const TorchCalls&) = delete;

  // Determines the number of classes and features from the module's outputs for one black image.
  // Throws DataError if it does not map images of this shape to rows of logits.
  void probe();
  std::size_t classes() const { return classes_; }
  std::size_t feature_size() const { return feature_size_; }

  torch::jit::Module& module() { return module_; }
  const torch::jit::Module& module() const { return module_; }
  const torch::Device& device() const { return device_; }

  // Images in the form that the module takes.
  std::vector<std::int64_t> batch_shape(std::size_t rows) const;
  torch::Tensor placed(const torch::Tensor& images) const;
  torch::Tensor floats(ImageRows images) const;

  // Return the outputs of the module: of forward(), and of features(), or of forward() if there is
  // no features(). Throw DataError if the call fails or gives another number of values per row than
  // in probe().
  torch::Tensor logits(const torch::Tensor& x, bool training);
  torch::Tensor features(const torch::Tensor& x, bool training);

 private:
  std::string features_method() const;
  torch::Tensor call(const std::string& method, const torch::Tensor& x, bool training);
  torch::Tensor call_unchecked(const std::string& method, const torch::Tensor& x, bool training);

  TorchSettings settings_;
  std::string name_;
  torch::Device device_;
  torch::jit::Module module_;
  bool is_training_ = false;
  std::size_t classes_ = 0;
  std::size_t feature_size_ = 0;
};

}  // namespace gps
