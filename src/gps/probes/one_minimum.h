// Whether the loss as a function of the ring size has one minimum (section 4.3 and Eqn. 8 of the
// paper). The search for the switching point assumes this; the paper finds it "valid for over 85 %
// of the cases".
//
// A curve v_1, …, v_K has one minimum if it first falls and then rises; flat pieces count as
// either. It has more than one exactly if some point lies above a point on its left and a point on
// its right. The violation measures by how much:
//
//   violation = max over i < k < l of v_k - max(v_i, v_l), at least 0
//
// It is the height of the barrier around the second deepest minimum. Every curve is within half of
// its violation, point by point, of a curve with a single minimum.
//
// Noise. With curves of several seeds, v_sk = (curve) + (seed) + noise. The residuals r_sk are the
// values without the means of their seed and of their point. They give the standard deviation of
// the noise:
//
//   σ² = Σ r_sk² / ((n-1)(K-1))
//
// A violation is beyond noise if it is above σ·q_K (σ·q_K/√n for the mean over seeds). q_K is the
// 95th percentile of the violation of a flat curve under normal noise with σ = 1. Slopes hide
// noise, so for curves that are not flat this test is conservative: what is counted as more than
// one minimum is indeed more than one.
//
// Flat curves have one minimum beyond noise nineteen times in twenty, by construction, so they say
// nothing about the assumption. Therefore it is tested first whether the value depends on the ring
// size at all, by
//
//   F = n Σ_k (mean_k - mean)²/(K-1) / σ²
//
// with K-1 and (n-1)(K-1) degrees of freedom. Differences that rounding explains count as none:
// equal flat curves are flat, and curves without noise that are not flat depend on the ring size.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace gps {

double violation(std::span<const double> curve);

// Returns the number of minima: points or flat pieces that are below their neighbours.
std::size_t minima(std::span<const double> curve);

// Returns q_K, accurate to two digits, from ten thousand random curves, which are always the same.
// 0 for fewer than 3 points, which cannot have a violation.
double noise_violation(std::size_t points);

struct OneMinimum {
  std::size_t curves = 0;          // n: one for each seed
  std::size_t with_one = 0;        // curves with one minimum, as measured
  std::vector<double> violations;  // of each curve
  double mean_violation = 0;       // of the mean curve
  // Set only if there are several curves:
  std::optional<double> noise;            // σ
  std::size_t with_one_beyond_noise = 0;  // curves with a violation of at most `margin`
  double margin = 0;                      // σ·q_K
  double mean_margin = 0;                 // of the mean curve
  double flat_chance = 1;                 // P(F or more) if the curves do not depend on the size
  // Whether several curves show no dependence on the ring size at the level of 5 %.
  bool looks_flat() const { return noise && flat_chance >= 0.05; }
  bool mean_has_one() const { return mean_violation == 0; }
  bool mean_has_one_beyond_noise() const { return mean_violation <= mean_margin; }
};

// Analyses the curves of one task and future: one row for each seed, to be minimised. A value that
// is not finite counts as above all others (for σ and F: as the highest finite value). REQUIRES: at
// least one row, all of the same length.
OneMinimum one_minimum(const std::vector<std::vector<double>>& curves);

}  // namespace gps
