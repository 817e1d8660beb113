// Finds which examples of a task are easy (Appendix E of the paper, after the implicit curricula of
// Wu, Dyer and Neyshabur, "When do curricula work?", 2021). The learned epoch of an example is the
// earliest one from which on the network was right about it at every check. An example that the
// network is wrong about now has no learned epoch. Examples are ranked by learned epoch, then by
// loss (A36). Used by cur-res, cur-ring-full and the curriculum pair of base policies.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gps/core/files/archive.h"
#include "gps/core/option_table.h"
#include "gps/data/dataset.h"

namespace gps {

class Learner;

// How to rank examples with the same learned epoch.
enum class EasyRank {
  loss,   // by their current loss, as the paper says
  epoch,  // not at all: they stay in the order of the rows, which is random
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
          .up_to(1),
      choice(
          "easy_rank", &EasyOptions::easy_rank,
          {{"loss", EasyRank::loss}, {"epoch", EasyRank::epoch}},
          "likewise: how to order examples learnt in the same epoch: by their loss, or not at all"),
  };
}

class LearningHistory {
 public:
  explicit LearningHistory(EasyRank rank = EasyRank::loss) : rank_(rank) {}

  // Forgets everything and starts a task with this many examples.
  void begin_task(std::size_t examples);

  // Called after each epoch. Classifies the task's training set with a clone of the learner's
  // network, among `labels` (empty: all). Uses the learner's scores if it has no network.
  void check(const Dataset& train, const Learner& learner, std::span<const Label> labels = {});

  // Records given answers and losses. REQUIRES: one of each for every row.
  void record(const std::vector<bool>& is_right, std::span<const double> losses);

  // Returns all rows, the easiest first; equals in the order of the rows.
  std::vector<std::uint32_t> easiest_first() const;

  // Marks, by row, the first γ|D| rows of that ranking, at least one. `fraction` is γ. Nothing is
  // easy before the first check.
  std::vector<bool> easy(double fraction) const;

  // The same class by class: the first γ|D|/C rows of each of the C classes present, at least one,
  // at most all.
  std::vector<bool> easy_in_class(const Dataset& train, double fraction) const;

  void persist(Archive& archive) {
    archive.between(checks_, 0, kMostChecks, "number of epochs");
    archive(learned_);
    archive.sized(losses_, learned_.size(), "list of losses");
  }

 private:
  static constexpr int kMostChecks = 1'000'000'000;

  // Throws DataError if what was read is the history of another task.
  void check_is_of(const Dataset& train) const;

  EasyRank rank_;
  int checks_ = 0;
  std::vector<int> learned_;  // learned epoch by row, or kNever
  std::vector<double> losses_;
};

}  // namespace gps
