// Whether a network is dead, decided from its answers on test images. With too high a learning
// rate, a network may give the same answer for every image while its loss is still finite. All
// rules are exact binomial bounds with a significance of 1 %, and none decides on fewer than 20
// images.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "gps/data/dataset.h"

namespace gps {

// The properties of a test set that matter for guessing.
struct GuessedTest {
  std::size_t images = 0;
  double guess = 0;  // best accuracy without looking at the images: always the same answer
};

// `guess` is the share of the most frequent label. With C labels it is at least 1/C. The second
// takes the number of images by label. REQUIRES: the set is not empty.
GuessedTest guessed(const Dataset& test);
GuessedTest guessed(std::span<const std::size_t> labels);

// Returns the number of images by label.
std::vector<std::size_t> count_labels(const Dataset& data);

// Returns several test sets as one: all images, and the mean of the guesses, weighted by images.
// Right answers on sets with different guesses vary less than Bin(images, guess), so that the rules
// below err on the careful side.
GuessedTest pooled(std::span<const GuessedTest> tests);

// Returns whether the test set is large enough to tell a network that guesses from one that is
// right half-way between guessing and no mistake: 20 images or more, and guessing reaches (1 +
// guess)/2 with a probability of at most 1 % (of two equally frequent labels, 25 images or more are
// always enough).
bool can_tell_guessing(const GuessedTest& test);

// Returns the smallest accuracy that is clearly better than guessing: guessing reaches it with a
// probability of at most 1 %. REQUIRES: can_tell_guessing(test).
double least_above_guessing(const GuessedTest& test);

// Returns whether this accuracy is no better than guessing. It is if guessing reaches it with a
// probability of more than 1 %: P(X >= right answers) > 0.01 for X ~ Bin(images, guess). Returns
// false if the test set is too small to decide: if guessing also reaches (1 + guess)/2, half-way
// between guessing and no mistake, with more than that probability (24 images of two equally
// frequent labels), or if it has fewer than 20 images. So 99 of 100 tasks on which a network
// guesses are detected, and a network that is better than half-way is never reported.
bool is_at_chance(double accuracy, const GuessedTest& test);

// Returns whether a network gives one answer for all images. `predicted` is the number of images by
// answer (Evaluation::predicted). Returns false if this proves nothing: if a network that is right
// half-way, that is on every second image with another label than the most frequent one, would give
// one answer with a probability of more than 1 % (fewer than 7 such images), or on fewer than 20
// images.
bool gives_one_answer(std::span<const std::size_t> predicted, const GuessedTest& test);

// Returns whether accuracy fell from `before` to `now` by more than half of what it was above
// guessing, beyond chance: P(X <= right answers) <= 0.01 for X ~ Bin(images, (before + guess)/2).
// Returns false on fewer than 20 images.
bool fell_by_half(double before, double now, const GuessedTest& test);

}  // namespace gps
