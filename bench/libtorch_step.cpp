// The paper's P-MNIST step in LibTorch's C++ frontend with autograd, for comparison with gps-cl.
// Usage: libtorch_step SET SECONDS    prints microseconds per step
#include <torch/torch.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "gps/core/rng.h"
#include "gps/data/sets/locate.h"

namespace {

// Permuted images as floats, and a memory of 1000 that is filled by a reservoir.
class Stream {
 public:
  explicit Stream(const char* set) {
    const gps::Dataset train = gps::load_mnist_like(set, "").train;
    const auto n = static_cast<std::int64_t>(train.size());
    images_ = torch::empty({n, 784});
    labels_ = torch::empty({n}, torch::kLong);
    const auto map = rng_.permutation(784);
    auto pixels = images_.accessor<float, 2>();
    auto classes = labels_.accessor<std::int64_t, 1>();
    std::vector<std::uint8_t> scratch(784);
    for (std::int64_t i = 0; i < n; ++i) {
      const std::uint8_t* image = train.image(static_cast<std::size_t>(i), scratch);
      for (std::size_t p = 0; p < 784; ++p)
        pixels[i][map[p]] = static_cast<float>(image[p]) / 255.0f;
      classes[i] = train.label(static_cast<std::size_t>(i));
    }
    order_ = torch::randperm(n);
    while (seen_ < 1000) {
      const auto [x, y] = batch();
      remember(x, y);
    }
  }

  std::pair<torch::Tensor, torch::Tensor> batch() {
    if (at_ + 10 > order_.size(0)) at_ = 0;
    const auto rows = order_.slice(0, at_, at_ + 10);
    at_ += 10;
    return {images_.index_select(0, rows), labels_.index_select(0, rows)};
  }

  std::pair<torch::Tensor, torch::Tensor> replay() {
    rng_.distinct(10, 1000, drawn_);
    const auto rows = torch::empty({10}, torch::kLong);
    std::copy(drawn_.begin(), drawn_.end(), rows.data_ptr<std::int64_t>());
    return {memory_images_.index_select(0, rows), memory_labels_.index_select(0, rows)};
  }

  void remember(const torch::Tensor& x, const torch::Tensor& y) {
    for (std::int64_t k = 0; k < 10; ++k) {
      const auto slot = static_cast<std::int64_t>(seen_ < 1000 ? seen_ : rng_.index(seen_ + 1));
      ++seen_;
      if (slot >= 1000) continue;
      memory_images_[slot].copy_(x[k]);
      memory_labels_[slot].copy_(y[k]);
    }
  }

 private:
  gps::Rng rng_{1};
  torch::Tensor images_, labels_, order_;
  torch::Tensor memory_images_ = torch::zeros({1000, 784});
  torch::Tensor memory_labels_ = torch::zeros({1000}, torch::kLong);
  std::int64_t at_ = 0;
  std::uint64_t seen_ = 0;
  std::vector<std::uint32_t> drawn_;
};

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: libtorch_step SET SECONDS\n");
    return 2;
  }
  torch::set_num_threads(1);
  Stream stream(argv[1]);
  torch::nn::Sequential model(torch::nn::Linear(784, 100), torch::nn::ReLU(),
                              torch::nn::Linear(100, 100), torch::nn::ReLU(),
                              torch::nn::Linear(100, 10));
  torch::optim::SGD optimizer(model->parameters(), torch::optim::SGDOptions(0.1));
  const auto step = [&] {
    const auto [x, y] = stream.batch();
    const auto [old_x, old_y] = stream.replay();
    optimizer.zero_grad();
    const auto logits = model->forward(torch::cat({x, old_x}));
    const auto loss = torch::nn::functional::cross_entropy(logits.slice(0, 0, 10), y) +
                      torch::nn::functional::cross_entropy(logits.slice(0, 10, 20), old_y);
    loss.backward();
    optimizer.step();
    stream.remember(x, y);
  };
  for (int k = 0; k < 200; ++k) step();
  const double start = seconds();
  std::size_t steps = 0;
  while (seconds() - start < std::atof(argv[2])) {
    for (int k = 0; k < 50; ++k) step();
    steps += 50;
  }
  std::printf("%.2f\n", 1e6 * (seconds() - start) / static_cast<double>(steps));
}
