// Tensors as plain numbers, and back; devices by name.
#pragma once

#include <torch/types.h>

#include <span>
#include <string>
#include <vector>

namespace gps {

// Throws OptionError for a device that is not there.
torch::Device device_named(const std::string& name);

// All values as floats on the host. REQUIRES: there is room for them.
void copy_out(const torch::Tensor& from, std::span<float> to);
std::vector<float> to_vector(const torch::Tensor& tensor);

// REQUIRES: as many values as the tensor has.
void copy_in(std::span<const float> values, torch::Tensor to);

}  // namespace gps
