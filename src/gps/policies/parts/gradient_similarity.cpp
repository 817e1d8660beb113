#include "gps/policies/parts/gradient_similarity.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace gps {
namespace {

std::vector<float> products(const ExampleGradients& a, const ExampleGradients& b) {
  std::vector<float> all(a.size() * b.size());
  a.inner_products(b, all);
  return all;
}

// Returns the sum of the entries in rows [first, end) and columns [first, end).
double block_sum(const std::vector<float>& matrix, std::size_t columns, std::size_t first,
                 std::size_t end) {
  double sum = 0;
  for (std::size_t r = first; r < end; ++r) {
    for (std::size_t c = first; c < end; ++c) sum += static_cast<double>(matrix[r * columns + c]);
  }
  return sum;
}

double cosine(double product, double square_a, double square_b) {
  if (!(square_a > 0 && square_b > 0)) return 0;
  return std::clamp(product / std::sqrt(square_a * square_b), -1.0, 1.0);
}

}  // namespace

GradientSimilarity similarity(const ExampleGradients& now, const ExampleGradients& references,
                              std::size_t group) {
  assert(references.size() > 0 && group > 0);
  const std::size_t rows = now.size();
  const std::size_t columns = references.size();
  const auto among_now = products(now, now);
  const auto among_references = products(references, references);
  const auto between = products(now, references);

  GradientSimilarity result{std::vector<double>(rows, -1), -1};
  for (std::size_t first = 0; first < columns; first += group) {
    const std::size_t end = std::min(first + group, columns);
    const double reference_square = block_sum(among_references, columns, first, end);
    double of_all = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      double product = 0;
      for (std::size_t r = first; r < end; ++r) {
        product += static_cast<double>(between[i * columns + r]);
      }
      of_all += product;
      const auto square = static_cast<double>(among_now[i * rows + i]);
      result.of_each[i] = std::max(result.of_each[i], cosine(product, square, reference_square));
    }
    const double square = block_sum(among_now, rows, 0, rows);
    result.of_all = std::max(result.of_all, cosine(of_all, square, reference_square));
  }
  return result;
}

}  // namespace gps
