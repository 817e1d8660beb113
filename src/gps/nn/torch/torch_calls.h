// A TorchScript module, called with batches of images: on its device, in training or prediction
// mode, and with outputs whose shapes are checked. A Session must be there while it is used.
#pragma once

#include <torch/script.h>

#include <string>
#include <vector>

#include "gps/nn/network.h"
#include "gps/nn/torch/torch_network.h"

namespace gps {

class TorchCalls {
 public:
  // In prediction mode. `name` is what errors call the module. Throws OptionError for a device that
  // is not there.
  TorchCalls(torch::jit::Module module, const TorchSettings& settings, std::string name);
  TorchCalls(const TorchCalls& other);  // deep
  TorchCalls& operator=(const TorchCalls&) = delete;

  // Finds out how many classes and features there are, by what the module says of one black image.
  // Throws DataError if it does not map images of this shape to rows of logits.
  void probe();
  std::size_t classes() const { return classes_; }
  std::size_t feature_size() const { return feature_size_; }

  torch::jit::Module& module() { return module_; }
  const torch::jit::Module& module() const { return module_; }
  const torch::Device& device() const { return device_; }

  // Images as the module takes them.
  std::vector<std::int64_t> batch_shape(std::size_t rows) const;
  torch::Tensor placed(const torch::Tensor& images) const;
  torch::Tensor floats(ImageRows images) const;

  // What the module gives for them: its forward(), and its features(), or forward() again where it
  // has none. Throw DataError if it fails, or gives other than as many values a row as for probe().
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
