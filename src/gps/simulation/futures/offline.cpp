// ER-Oracle (section 4): the same simulation with the real future. It needs tasks that have not
// come yet, so it is a reference and not a method. It is scored on held-back training examples like
// the others, never on test data.
#include <algorithm>

#include "gps/simulation/future.h"

namespace gps {
namespace {

class Offline final : public Future {
 public:
  explicit Offline(const Benchmark& benchmark) : benchmark_(benchmark) {}

  std::vector<Task> after(const Task& now, int count, std::size_t examples,
                          const Rng& rng) const override {
    std::vector<Task> tasks;
    for (int k = 1; k <= std::min(count, benchmark_.tasks() - now.number); ++k) {
      Task task = benchmark_.task(now.number + k);
      task.train = random_subset(task.train, examples, rng.fork("examples", k));
      tasks.push_back(std::move(task));
    }
    return tasks;
  }
  double plan_share() const override { return 0.5; }

 private:
  const Benchmark& benchmark_;
};

}  // namespace

std::unique_ptr<Future> make_offline(const Benchmark& benchmark) {
  return std::make_unique<Offline>(benchmark);
}

}  // namespace gps
