// ExampleGradients as flat vectors, each as long as θ, for networks whose gradients have no shorter
// form. A gradient of ResNet18 takes 45 MB.
#pragma once

#include <vector>

#include "gps/nn/example_gradients.h"

namespace gps {

class DenseGradients final : public ExampleGradients {
 public:
  // `length` is that of θ, and of each gradient.
  explicit DenseGradients(std::size_t length) : length_(length) {}

  std::unique_ptr<ExampleGradients> clone() const override;
  std::size_t size() const override { return rows_.size(); }
  void clear() override { rows_.clear(); }
  void append(const ExampleGradients& others) override;
  void inner_products(const ExampleGradients& others, std::span<float> out) const override;
  void add_to(std::span<const float> factors, std::span<float> weights) const override;
  void add_squares_to(float factor, std::span<float> weights) const override;

  void persist(Archive& archive) override;

  // REQUIRES: it has the length of θ.
  void add(std::vector<float> gradient) { rows_.push_back(std::move(gradient)); }

 private:
  std::size_t length_;
  std::vector<std::vector<float>> rows_;
};

}  // namespace gps
