#include "gps/simulation/futures/transformed.h"

#include <utility>

namespace gps {
namespace {

class Transformed final : public Future {
 public:
  explicit Transformed(TransformTask transform) : transform_(std::move(transform)) {}

  std::vector<Task> after(const Task& now, int count, std::size_t examples,
                          const Rng& rng) const override {
    std::vector<Task> tasks;
    for (int k = 1; k <= count; ++k) {
      Task task{now.number + k, random_subset(now.train, examples, rng.fork("examples", k)),
                now.labels, now.augmentation};
      transform_(task, k, rng);
      tasks.push_back(std::move(task));
    }
    return tasks;
  }

 private:
  TransformTask transform_;
};

}  // namespace

std::unique_ptr<Future> make_transformed(TransformTask transform) {
  return std::make_unique<Transformed>(std::move(transform));
}

}  // namespace gps
