// What the accuracy matrix says, as pure functions of it. R_ij is the accuracy on task j after
// learning task i, b_j the accuracy on task j at initialisation; both are fractions. The formulas
// are in `metric_catalog()` as well.
#pragma once

#include <optional>
#include <vector>

#include "gps/core/catalog.h"

namespace gps {

using AccuracyMatrix = std::vector<std::vector<double>>;  // [i][j], from 0

// Metrics over several tasks have no value where there is one task or one row.
struct Metrics {
  double average_accuracy = 0;              // (1/T) Σ_j R_Tj
  std::optional<double> learning_accuracy;  // (1/T) Σ_j R_jj
  std::optional<double> backward_transfer;  // 1/(T-1) Σ_{j<T} (R_Tj - R_jj)
  std::optional<double> forward_transfer;   // 1/(T-1) Σ_{j>1} (R_{j-1,j} - b_j)
  std::optional<double> forgetting;         // 1/(T-1) Σ_{j<T} (max_{j<=i<T} R_ij - R_Tj)
  std::optional<double> average_incremental_accuracy;  // (1/T) Σ_i (1/i) Σ_{j<=i} R_ij
};

// REQUIRES: `accuracy` has T rows of T columns, or one row (all tasks learnt at once);
// `at_initialisation` has T.
Metrics compute_metrics(const AccuracyMatrix& accuracy,
                        const std::vector<double>& at_initialisation);

// Names, formulas and meanings, for `gpscl list metrics`.
const Catalog& metric_catalog();

}  // namespace gps
