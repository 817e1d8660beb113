// Which examples of a task are easy (Appendix E of the paper, after the implicit curricula of Wu,
// Dyer and Neyshabur, "When do curricula work?", 2021). An example's learned epoch is the earliest
// one from which the network was right about it at every later check; one that it is wrong about
// now has none. Examples are ranked by learned epoch, then by loss (A36). Shared by cur-res,
// cur-ring-full and the curriculum pair of base policies.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gps/core/files/archive.h"
#include "gps/core/option.h"
#include "gps/data/dataset.h"

namespace gps {

class Learner;

// What tells examples of the same learned epoch apart.
enum class EasyRank {
  loss,   // their loss now, as the paper says
  epoch,  // nothing: they come in the order of the rows, which is random
};

struct EasyOptions {
  double easy_fraction = 0.2;  // γ, in (0, 1]: the share of a task that counts as easy
  EasyRank easy_rank = EasyRank::loss;
};

inline OptionTable<EasyOptions> easy_options() {
  return {
      option("easy_fraction", &EasyOptions::easy_fraction,
             "share of a task that counts as easy, for cur-res, cur-ring-full and `base` "
             "curriculum")
          .above(0)
          .up_to(1)
          .usually("0.2; cur-ring-full: 0.1"),
      choice(
          "easy_rank", &EasyOptions::easy_rank,
          {{"loss", EasyRank::loss}, {"epoch", EasyRank::epoch}},
          "likewise: how to order examples learnt in the same epoch: by their loss, or not at all"),
  };
}

class LearningHistory {
 public:
  explicit LearningHistory(EasyRank rank = EasyRank::loss) : rank_(rank) {}

  // Forgets everything: a task of so many examples begins.
  void begin_task(std::size_t examples);

  // After each epoch: one pass over the task's training set, through a clone of the learner's
  // network, which answers with one of the labels (empty: any). A learner without a network is
  // asked for its scores.
  void check(const Dataset& train, const Learner& learner, std::span<const Label> labels = {});

  // The same with the answers given. REQUIRES: one of each a row.
  void record(const std::vector<bool>& is_right, std::span<const double> losses);

  // All rows, the easiest first; equals in the order of the rows.
  std::vector<std::uint32_t> easiest_first() const;

  // The first γ|D| of that ranking, at least one: marks[row]. Nothing is easy before the first
  // check.
  std::vector<bool> easy(double fraction) const;

  // The same class by class: the first γ|D|/C of each of the C classes present, at least one, at
  // most all.
  std::vector<bool> easy_in_class(const Dataset& train, double fraction) const;

  void persist(Archive& archive) { archive(checks_, learned_, losses_); }

 private:
  EasyRank rank_;
  int checks_ = 0;
  std::vector<int> learned_;  // epoch, or kNever
  std::vector<double> losses_;
};

}  // namespace gps
