#include "gps/nn/torch/torch_tensors.h"

#include <fmt/format.h>
#include <torch/cuda.h>

#include <algorithm>
#include <cassert>
#include <cstring>

#include "gps/core/option.h"

namespace gps {
namespace {
using torch::Tensor;
}

torch::Device device_named(const std::string& name) {
  const torch::Device device(name);
  if (!device.is_cuda()) return device;
  const auto count = static_cast<int>(torch::cuda::device_count());
  if (!torch::cuda::is_available() || std::max<int>(device.index(), 0) >= count) {
    throw OptionError(
        "device", fmt::format("{}: LibTorch finds {} such devices here; `device` cpu always works",
                              name, count));
  }
  return device;
}

void copy_out(const Tensor& from, std::span<float> to) {
  const Tensor flat = from.detach().to(torch::kCPU, torch::kFloat).contiguous();
  assert(static_cast<std::size_t>(flat.numel()) <= to.size());
  std::memcpy(to.data(), flat.data_ptr<float>(),
              static_cast<std::size_t>(flat.numel()) * sizeof(float));
}

std::vector<float> to_vector(const Tensor& tensor) {
  std::vector<float> values(static_cast<std::size_t>(tensor.numel()));
  copy_out(tensor, values);
  return values;
}

void copy_in(std::span<const float> values, Tensor to) {
  const torch::NoGradGuard no_gradients;
  assert(static_cast<std::size_t>(to.numel()) == values.size());
  to.copy_(torch::from_blob(const_cast<float*>(values.data()), to.sizes()));
}

}  // namespace gps
