#include "gps/experiments/evaluation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "support/tiny_data.h"

namespace gps {
namespace evaluation_test {

using ::testing::ElementsAre;

// How many of four tasks are tested before all and after each.
std::vector<std::size_t> tested(const std::string& when, int stages = 4) {
  std::vector<std::size_t> counts;
  for (int stage = 0; stage <= stages; ++stage)
    counts.push_back(tested_after(stage, stages, 4, {.when = when}));
  return counts;
}

TEST(TestedAfter, IsAsTheOptionSays) {
  EXPECT_THAT(tested("every-task"), ElementsAre(4, 4, 4, 4, 4));
  EXPECT_THAT(tested("seen"), ElementsAre(4, 2, 3, 4, 4));
  EXPECT_THAT(tested("last"), ElementsAre(0, 0, 0, 0, 4));
  EXPECT_THAT(tested("2"), ElementsAre(0, 0, 4, 0, 4));
  EXPECT_THAT(tested("3"), ElementsAre(0, 0, 0, 4, 4));
  EXPECT_THAT(tested("9"), ElementsAre(0, 0, 0, 0, 4));
}

TEST(TestedAfter, IsEverythingAfterTheOnlyStageOfJointLearning) {
  EXPECT_THAT(tested("every-task", 1), ElementsAre(4, 4));
  EXPECT_THAT(tested("seen", 1), ElementsAre(4, 4));
  EXPECT_THAT(tested("last", 1), ElementsAre(0, 4));
  EXPECT_THAT(tested("2", 1), ElementsAre(0, 4));
}

std::string complaint(const EvaluationOptions& options) {
  try {
    validate(options);
  } catch (const OptionError& error) {
    return error.what();
  }
  return "(fine)";
}

TEST(EvaluationOptions, AreRefusedInOneLine) {
  for (const char* when : {"every-task", "seen", "last", "2", "1000"})
    EXPECT_EQ(complaint({.when = when}), "(fine)") << when;
  for (const std::string when : {"", "never", "1", "0", "-2", "2.5", "1e3", "02", "+2", "2 "}) {
    EXPECT_EQ(complaint({.when = when}),
              "`evaluate` must be every-task, seen, last or a whole number of at least 2, got '" +
                  when + "'");
  }
  EXPECT_EQ(complaint({.test_images = -1}),
            "`test-images` must be between 0 and 1000000000, got -1");
  EXPECT_EQ(complaint({.test_images = 1}), "(fine)");
}

class TestSets : public ::testing::Test {
 protected:
  std::vector<TestSet> sets(int images, std::uint64_t seed = 1) const {
    return test_sets(*stream_, {.test_images = images}, Rng(seed));
  }
  static std::vector<std::uint32_t> ids(const Dataset& data) {
    std::vector<std::uint32_t> all;
    for (std::size_t k = 0; k < data.size(); ++k) all.push_back(data.id(k));
    return all;
  }

  const testing::TinySplitSource source_{{.name = "s-mnist", .tasks = 5}, /*classes=*/10, 12};
  const std::unique_ptr<Benchmark> stream_ = source_.stream(0);
};

TEST_F(TestSets, AreThoseOfTheStream) {
  const std::vector<TestSet> all = sets(0);
  ASSERT_EQ(all.size(), 5u);
  for (int task = 1; task <= 5; ++task) {
    const TestSet& test = all[static_cast<std::size_t>(task) - 1];
    EXPECT_EQ(ids(test.examples), ids(stream_->test(task)));
    EXPECT_EQ(test.labels, stream_->labels_of(task));
  }
  for (const TestSet& test : sets(1000)) EXPECT_EQ(test.examples.size(), 40u);
}

TEST_F(TestSets, AreDrawnWithoutReplacementIfThereAreTooMany) {
  const std::vector<TestSet> some = sets(15);
  for (std::size_t t = 0; t < some.size(); ++t) {
    const std::vector<std::uint32_t> drawn = ids(some[t].examples);
    EXPECT_EQ(drawn.size(), 15u);
    EXPECT_EQ(std::set(drawn.begin(), drawn.end()).size(), 15u);
    EXPECT_EQ(drawn, ids(sets(15)[t].examples)) << "the same for the same stream";
  }
  EXPECT_NE(ids(some[0].examples), ids(sets(15, /*seed=*/2)[0].examples));
}

}  // namespace evaluation_test
}  // namespace gps
