// Converts tensors to plain numbers and back, and finds devices by name.
#pragma once

#include <torch/types.h>

#include <span>
#include <string>
#include <vector>

namespace gps {

// Throws OptionError if the device does not exist.
torch::Device device_named(const std::string& name);

// Copy all values as floats to the host. REQUIRES: `to` has room for them.
void copy_out(const torch::Tensor& from, std::span<float> to);
std::vector<float> to_vector(const torch::Tensor& tensor);

// REQUIRES: there are as many values as the tensor has.
void copy_in(std::span<const float> values, torch::Tensor to);

}  // namespace gps
