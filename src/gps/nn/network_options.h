// The choice of a network and of how it computes: everything that defines a network, apart from the
// benchmark's images and classes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gps/core/catalog.h"
#include "gps/core/option_table.h"
#include "gps/data/dataset.h"

namespace gps {

enum class Precision {
  fp32,
  bf16,  // matrix products and convolutions in bfloat16, everything else and θ in fp32
};

std::string name_of(Precision value);

inline constexpr int kUsualWidth = 64;  // what a width of 0 stands for

struct NetworkOptions {
  std::string model = "mlp";              // a name in model_catalog(), or a TorchScript file (.pt)
  std::vector<int> hidden = {100, 100};   // mlp: units of the hidden layers
  std::string initialisation = "xavier";  // mlp: distribution of the initial weights
  int width = 0;                          // resnet18, convnet: channels of the first layer; 0: 64
  std::string weights = {};    // file with the initial weights: TorchScript, a dict of tensors
                               // (.pt), or .safetensors
  std::string device = "cpu";  // or cuda, cuda:N; the mlp always runs on the CPU
  Precision precision = Precision::fp32;
  // resnet18: own or libtorch. Results leave it out where it is own for bf16 on the CPU with one
  // thread, or libtorch otherwise, and so empty means this on every CPU. Where a user gives none,
  // requests for runs take fastest_backend().
  std::string backend = {};
  int operator_threads = 1;   // threads inside one operator; results depend on it
  std::string backbone = {};  // mlp: a TorchScript file whose features it sees instead of pixels
                              // (nn/backbone.h); empty: none
  std::string backbone_input = "unit";  // values that the backbone sees: unit or imagenet

  // Fingerprints of the files when the run began (fingerprint()), so that other contents under the
  // same name make another run. Set by identified().
  std::string model_fingerprint = {};
  std::string weights_fingerprint = {};
  std::string backbone_fingerprint = {};
  bool operator==(const NetworkOptions&) const = default;
};

const Catalog& model_catalog();

// All options except the fingerprints. Each model's entry in the catalog lists those that apply to
// it.
const OptionTable<NetworkOptions>& network_options();

// Returns whether the model is a user's file.
bool is_file(const std::string& model);

// Returns the faster backend for a resnet18 with these options on a CPU whose instruction set for
// our own kernels is `target` (simd_target()). It is a function of both alone, and goes by
// measurements (docs/performance.md): own with SSE4 or better, and libtorch for what own cannot do
// or was not measured.
std::string fastest_backend(const NetworkOptions& options, const std::string& target);

// Returns whether the model is a ResNet18 in our own kernels.
bool is_fused_resnet18(const NetworkOptions& options);

// Returns how many weights such a network has at least; 0 for the user's own file.
// REQUIRES: the options are within their ranges.
std::uint64_t least_weights(const NetworkOptions& options, const ImageShape& shape, int classes);

// Throws OptionError if the network would have more weights than any computer should hold.
inline constexpr std::uint64_t kMostWeights = 1'000'000'000;
void check_weights(const NetworkOptions& options, const ImageShape& shape, int classes);

// Throws UsageError for options that are unknown, out of range or incompatible.
void validate(const NetworkOptions& options);

// Returns the options with the fingerprints of their files. Throws DataError if a file cannot be
// read.
NetworkOptions identified(NetworkOptions options);

// Returns the size and the 64-bit FNV-1a hash of a file: "45013171-9c1185a5c5e9fc54".
std::string fingerprint(const std::string& path);

// Returns the options of this model; for a user's file, those of "FILE.pt".
const std::vector<Option>& options_of_model(const std::string& model);

}  // namespace gps
