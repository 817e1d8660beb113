#include "gps/nn/dense_gradients.h"

#include <array>
#include <cassert>
#include <numeric>

namespace gps {
namespace {

// Several sums at a time, which the compiler makes vectors of.
double inner_product(const std::vector<float>& a, const std::vector<float>& b) {
  assert(a.size() == b.size());
  std::array<double, 8> sums{};
  std::size_t k = 0;
  for (; k + sums.size() <= a.size(); k += sums.size()) {
    for (std::size_t lane = 0; lane < sums.size(); ++lane)
      sums[lane] += static_cast<double>(a[k + lane]) * static_cast<double>(b[k + lane]);
  }
  double total = std::accumulate(sums.begin(), sums.end(), 0.0);
  for (; k < a.size(); ++k) total += static_cast<double>(a[k]) * static_cast<double>(b[k]);
  return total;
}

}  // namespace

std::unique_ptr<ExampleGradients> DenseGradients::clone() const {
  return std::make_unique<DenseGradients>(*this);
}

void DenseGradients::append(const ExampleGradients& others) {
  const auto& more = dynamic_cast<const DenseGradients&>(others);
  const std::size_t count = more.rows_.size();  // `others` may be this one
  rows_.reserve(rows_.size() + count);
  for (std::size_t r = 0; r < count; ++r) rows_.push_back(more.rows_[r]);
}

void DenseGradients::inner_products(const ExampleGradients& others, std::span<float> out) const {
  const auto& more = dynamic_cast<const DenseGradients&>(others);
  assert(out.size() >= rows_.size() * more.rows_.size());
  std::size_t at = 0;
  for (const auto& a : rows_) {
    for (const auto& b : more.rows_) out[at++] = static_cast<float>(inner_product(a, b));
  }
}

void DenseGradients::add_to(std::span<const float> factors, std::span<float> weights) const {
  assert(factors.size() == rows_.size());
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    assert(weights.size() == rows_[r].size());
    for (std::size_t k = 0; k < weights.size(); ++k) weights[k] += factors[r] * rows_[r][k];
  }
}

void DenseGradients::add_squares_to(float factor, std::span<float> weights) const {
  for (const auto& row : rows_) {
    assert(weights.size() == row.size());
    for (std::size_t k = 0; k < weights.size(); ++k) weights[k] += factor * row[k] * row[k];
  }
}

}  // namespace gps
