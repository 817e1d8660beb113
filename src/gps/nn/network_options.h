// Which network learns, and how it computes: everything but the benchmark's images and classes that
// a network is made from.
#pragma once

#include <string>
#include <vector>

#include "gps/core/catalog.h"

namespace gps {

enum class Precision {
  fp32,
  bf16,  // products of matrices and convolutions in bfloat16, everything else and θ in fp32
};

std::string name_of(Precision value);

struct NetworkOptions {
  std::string model = "mlp";              // a name of model_catalog(), or a TorchScript file (.pt)
  std::vector<int> hidden = {100, 100};   // mlp: units of the hidden layers
  std::string initialisation = "xavier";  // mlp: first weights
  int width = 0;                          // resnet18, convnet: channels of the first layer; 0: 64
  std::string weights = {};    // start from this file's: TorchScript, a dict of tensors (.pt), or
                               // .safetensors
  std::string device = "cpu";  // or cuda, cuda:N; the mlp is always on the CPU
  Precision precision = Precision::fp32;
  std::string backend = {};  // resnet18: own or libtorch; empty: own for bf16 on the CPU with one
                             // thread, libtorch otherwise
  int operator_threads = 1;  // threads inside one operator; results depend on it

  // What the files were when the run began (fingerprint()), so that other contents under the same
  // name are another run. Filled in by identified().
  std::string model_fingerprint = {};
  std::string weights_fingerprint = {};
  bool operator==(const NetworkOptions&) const = default;
};

const Catalog& model_catalog();

// All of its options but the fingerprints; each model's entry in the catalog lists those that
// concern it.
const OptionTable<NetworkOptions>& network_options();

// Is the model a file of the user's?
bool is_file(const std::string& model);

// Is it a ResNet18 in kernels of our own?
bool is_fused_resnet18(const NetworkOptions& options);

// Throws UsageError for what is unknown, out of range or impossible together.
void validate(const NetworkOptions& options);

// The same with the fingerprints of its files. Throws DataError for a file that cannot be read.
NetworkOptions identified(NetworkOptions options);

// Size and 64-bit FNV-1a hash of a file: "45013171-9c1185a5c5e9fc54".
std::string fingerprint(const std::string& path);

// The options of this model; of a file of the user's, those of "FILE.pt".
const std::vector<Option>& options_of_model(const std::string& model);

}  // namespace gps
