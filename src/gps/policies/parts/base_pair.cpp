#include "gps/policies/parts/base_pair.h"

#include "gps/policies/parts/learning_history.h"

namespace gps {
namespace {

class RandomPair final : public BasePair {
 public:
  SelectionOrders orders(const Task& task, const Rng& rng) const override {
    return selection_orders(task.train, rng);
  }
};

class CurriculumPair final : public BasePair {
 public:
  CurriculumPair(double easy_fraction, EasyRank rank)
      : easy_fraction_(easy_fraction), history_(rank) {}

  void begin_task(const Task& task) override { history_.begin_task(task.train.size()); }
  void end_epoch(const Task& task, const Learner& learner) override {
    history_.check(task.train, learner, task.labels);
  }
  SelectionOrders orders(const Task& task, const Rng& rng) const override {
    return selection_orders(task.train, rng,
                            {.ring = history_.easy_in_class(task.train, easy_fraction_),
                             .reservoir = history_.easy(easy_fraction_)});
  }
  void persist(Archive& archive) override { archive(history_); }

 private:
  double easy_fraction_;
  LearningHistory history_;
};

}  // namespace

std::unique_ptr<BasePair> make_base_pair(const BaseOptions& options) {
  if (options.base == Base::random) return std::make_unique<RandomPair>();
  return std::make_unique<CurriculumPair>(options.easy.easy_fraction, options.easy.easy_rank);
}

}  // namespace gps
