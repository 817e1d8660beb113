// The contract of memory policies, kept by gps with each of its futures.
#include <gtest/gtest.h>

#include "gps/simulation/gps_policy.h"
#include "policies/policy_contract.h"
#include "support/passing_learner.h"

namespace gps {
namespace gps_contract_test {

using testing::Record;
using testing::Stream;

// A stream of given tasks, for the future that wants to see them.
class GivenTasks final : public Benchmark {
 public:
  explicit GivenTasks(const std::vector<Task>& tasks) : tasks_(tasks) {}
  int tasks() const override { return static_cast<int>(tasks_.size()); }
  int classes() const override { return tasks_.front().train.classes(); }
  const ImageShape& shape() const override { return tasks_.front().train.shape(); }
  Task task(int i) const override { return tasks_.at(static_cast<std::size_t>(i) - 1); }
  Dataset test(int i) const override { return task(i).train; }

 private:
  const std::vector<Task>& tasks_;
};

class GpsContract : public ::testing::TestWithParam<std::string> {
 protected:
  static std::vector<Record> drive(const std::vector<Task>& tasks, std::size_t capacity,
                                   InTask in_task = InTask::strict, Base base = Base::random) {
    return drive(tasks, Memory(capacity, testing::kImageBytes), in_task, base);
  }

  static std::vector<Record> drive(const std::vector<Task>& tasks, const Memory& memory,
                                   InTask in_task = InTask::strict, Base base = Base::random) {
    const GivenTasks benchmark(tasks);
    Executor executor(1);
    SimulationOptions options;
    options.tasks = benchmark.tasks();
    options.examples = 10;
    options.score_examples = 10;
    options.in_task = in_task;
    options.base.base = base;
    const auto policy =
        make_gps(options, make_future(GetParam(), &benchmark), executor, SimulationHooks{});
    return testing::drive(*policy, tasks, memory);
  }

  // Calls check(records, tasks) for streams and memories of many sizes.
  template <typename Check>
  static void for_all(const Check& check) {
    for (const int length : {1, 2, 4, 6}) {
      for (const std::size_t classes : {1U, 4U}) {
        for (const Stream& stream : testing::streams(classes, length)) {
          for (const std::size_t capacity : {1U, 3U, 10U, 25U}) {
            SCOPED_TRACE(::testing::Message()
                         << length << " tasks, " << stream.name << ", |M| " << capacity);
            check(drive(stream.tasks, capacity), stream.tasks);
            if (HasFailure()) return;  // one failure says enough
          }
        }
      }
    }
  }
};

TEST_P(GpsContract, KeepsTheConstraintsOfSection3) {
  for_all([](const std::vector<Record>& records, const std::vector<Task>& tasks) {
    testing::expect_within_capacity(records);
    testing::expect_seen_examples_once(records);
    testing::expect_full(records, tasks);
    testing::expect_subsets_of_before(records);
    testing::expect_true_images(records, tasks);
  });
}

TEST_P(GpsContract, StaysWithinABudgetInBytesAtEveryStep) {
  const Stream stream = testing::streams(4, /*tasks=*/4)[1];
  const ImageShape& shape = stream.tasks.front().train.shape();
  constexpr std::size_t kBudget = 299;
  for (const char* codec : {"bits:1", "pack:16"}) {  // 10 and 24 bytes an example
    const ExampleFormat format{make_codec(codec)};
    const std::size_t capacity = examples_within(kBudget, format, shape, 0);
    const auto records = drive(stream.tasks, Memory(capacity, shape, {}, format));
    for (const Record& record : records) {
      EXPECT_LE(record.most_bytes, kBudget) << codec;
      EXPECT_LE(record.largest, capacity) << codec;
    }
    testing::expect_full(records, stream.tasks);
  }
}

TEST_P(GpsContract, KeepsThemWithARunningReservoir) {
  const Stream stream = testing::streams(4, /*tasks=*/4)[1];
  const auto records = drive(stream.tasks, 25, InTask::running);
  testing::expect_within_capacity(records);
  testing::expect_seen_examples_once(records);
  testing::expect_full(records, stream.tasks);
  testing::expect_subsets_of_before(records);
  testing::expect_true_images(records, stream.tasks);
}

TEST_P(GpsContract, KeepsThemWithACurriculum) {
  for (const Stream& stream : testing::streams(4, /*tasks=*/4)) {
    SCOPED_TRACE(stream.name);
    const auto records = drive(stream.tasks, 25, InTask::strict, Base::curriculum);
    testing::expect_within_capacity(records);
    testing::expect_seen_examples_once(records);
    testing::expect_full(records, stream.tasks);
    testing::expect_subsets_of_before(records);
    testing::expect_true_images(records, stream.tasks);
  }
}

TEST_P(GpsContract, IsTheSameForTheSameRng) {
  const Stream stream = testing::streams(4, /*tasks=*/4)[1];
  const auto a = drive(stream.tasks, 25);
  const auto b = drive(stream.tasks, 25);
  for (std::size_t i = 0; i < a.size(); ++i) testing::expect_same(a[i].after, b[i].after);
}

// Its clones, which are what a simulation trains, note what they see of the current task.
class NotingLearner final : public testing::PassingLearner {
 public:
  struct Notes {
    std::set<std::uint32_t> batch_ids;
    std::set<std::uint32_t> memory_ids;  // of task 1
  };

  NotingLearner(std::unique_ptr<Learner> inner, Notes& notes)
      : PassingLearner(std::move(inner)), notes_(notes) {}
  std::unique_ptr<Learner> clone() const override {
    return std::make_unique<NotingLearner>(inner_->clone(), notes_);
  }
  double observe(const Batch& now, const Memory& past, Rng& rng) override {
    notes_.batch_ids.insert(now.ids.begin(), now.ids.end());
    for (const Example& example : past.examples()) {
      if (example.task == 1) notes_.memory_ids.insert(example.id);
    }
    return inner_->observe(now, past, rng);
  }

 private:
  Notes& notes_;
};

TEST_P(GpsContract, KeepsWhatItScoresOnOutOfTheSimulationButNotOutOfTheMemory) {
  // Room for all 18 examples of task 1; 6 of them are held back in the search.
  const std::vector<Task> tasks = {testing::scrambled_task(1, {9, 9}),
                                   testing::scrambled_task(2, {9, 9})};
  const GivenTasks benchmark(tasks);
  Executor executor(1);
  SimulationOptions options;
  options.tasks = 2;
  options.examples = 0;  // all
  options.score_examples = 6;
  const auto policy =
      make_gps(options, make_future(GetParam(), &benchmark), executor, SimulationHooks{});
  NotingLearner::Notes notes;
  const NotingLearner learner(testing::tiny_learner(tasks[0]), notes);
  Memory memory(40, testing::kImageBytes);
  policy->begin_task(memory, tasks[0], Rng(1));
  tell_end(*policy, memory, tasks[0], learner, Rng(2));
  EXPECT_EQ(notes.memory_ids.size(), 12u);
  EXPECT_EQ(memory.count(1), 18u);
  if (GetParam() == "offline") {
    EXPECT_EQ(notes.batch_ids.size(), 18u) << "the real task 2";
  } else {
    EXPECT_EQ(notes.batch_ids, notes.memory_ids);
  }
}

INSTANTIATE_TEST_SUITE_P(Catalog, GpsContract, ::testing::ValuesIn(names(future_catalog())),
                         [](const auto& future) { return future.param; });

}  // namespace gps_contract_test
}  // namespace gps
