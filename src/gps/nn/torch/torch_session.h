// Settings that must hold while LibTorch computes for a network, on whichever thread it runs.
#pragma once

#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>
#include <torch/csrc/jit/runtime/graph_executor.h>

#include "gps/nn/torch/torch_network.h"

namespace gps {

// Sets the number of threads inside operators, and turns graph optimisations off.
class Session {
 public:
  explicit Session(const TorchSettings& settings) : optimise_(false) {
    if (at::get_num_threads() != settings.operator_threads)
      at::set_num_threads(settings.operator_threads);
  }

 private:
  torch::jit::GraphOptimizerEnabledGuard optimise_;
};

// Computes products in bfloat16, like torch.autocast.
class Autocast {
 public:
  Autocast(bool is_on, bool is_cuda) : is_on_(is_on), is_cuda_(is_cuda) {
    if (!is_on_) return;
    at::autocast::increment_nesting();
    at::autocast::set_autocast_gpu_dtype(at::kBFloat16);
    at::autocast::set_autocast_cpu_dtype(at::kBFloat16);
    set(true);
  }
  ~Autocast() {
    if (!is_on_) return;
    set(false);
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  }
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  void set(bool on) const {
    if (is_cuda_) {
      at::autocast::set_enabled(on);
    } else {
      at::autocast::set_cpu_enabled(on);
    }
  }
  bool is_on_;
  bool is_cuda_;
};

}  // namespace gps
