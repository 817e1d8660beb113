// Does the loss over the ring size have one minimum (section 4.3 of the paper, Eqn. 8)? The search
// for the switching point rests on it; the paper finds it "valid for over 85 % of the cases".
//
// A curve v_1, …, v_K has one minimum where it first falls and then rises; flat pieces count as
// either. It has not exactly where some point lies above one on either side of it. By how much:
//
//   violation = max over i < k < l of v_k - max(v_i, v_l), at least 0
//
// which is the height of the barrier around the second deepest minimum. Every curve is within half
// of its violation, point by point, of one with a single minimum.
//
// Noise. With curves of several seeds, v_sk = (curve) + (seed) + noise: what is left of the values
// without the means of their seed and of their point gives the noise's deviation,
// σ² = Σ r_sk² / ((n-1)(K-1)). A violation is beyond noise if it is above σ·q_K (σ·q_K/√n for the
// mean over seeds), where q_K is what the violation of a flat curve under normal noise with σ = 1
// stays below nineteen times in twenty. Slopes hide noise, so for curves that are not flat this is
// on the safe side: what is counted as more than one minimum is.
//
// Flat curves have one minimum beyond noise nineteen times in twenty, by construction, and say
// nothing of the assumption. So it is tested first whether the value depends on the ring size at
// all: by F = n Σ_k (mean_k - mean)²/(K-1) / σ² with K-1 and (n-1)(K-1) degrees of freedom.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace gps {

double violation(std::span<const double> curve);

// How many minima there are: points or flat pieces that are below what is beside them.
std::size_t minima(std::span<const double> curve);

// q_K, by ten thousand curves drawn at random, always the same ones. 0 for fewer than 3 points,
// which cannot violate anything. To two digits.
double noise_violation(std::size_t points);

struct OneMinimum {
  std::size_t curves = 0;          // n: one a seed
  std::size_t with_one = 0;        // of them, as they are
  std::vector<double> violations;  // of each
  double mean_violation = 0;       // of the mean curve
  // Where there are several curves:
  std::optional<double> noise;            // σ
  std::size_t with_one_beyond_noise = 0;  // of the curves
  double margin = 0;                      // σ·q_K
  double mean_margin = 0;                 // of the mean curve
  double flat_chance = 1;                 // P(F or more) of curves that do not depend on the size
  bool mean_has_one() const { return mean_violation == 0; }
  bool mean_has_one_beyond_noise() const { return mean_violation <= mean_margin; }
};

// The curves of one task and future: a row for each seed, to be minimised. A value that is not
// finite is above all others (for σ and F: as high as the highest that is). REQUIRES: at least one
// row, all of the same length.
OneMinimum one_minimum(const std::vector<std::vector<double>>& curves);

}  // namespace gps
