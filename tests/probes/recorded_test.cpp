#include "gps/probes/recorded.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/tiny_run.h"
#include "gps/probes/difficulty.h"
#include "support/temporary_folder.h"

namespace gps {
namespace recorded_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::tiny_spec;

// Data that must not be asked for.
class NoSource final : public BenchmarkSource {
 public:
  std::unique_ptr<Benchmark> stream(std::uint64_t) const override {
    throw std::runtime_error("not again");
  }
};

class Recorded : public ::testing::Test {
 protected:
  using Results = std::vector<std::optional<Difficulty>>;

  static Analysis<DifficultyOptions> analysis(std::uint64_t seed) {
    return {{tiny_spec("reservoir"), "real", 1, 2}, seed};
  }
  Results analyse_all(const std::vector<Analysis<DifficultyOptions>>& all,
                      const BenchmarkSource& from, bool again = false) {
    Executor executor(2);
    ends.assign(all.size(), "");
    return analyse_many<DifficultyOptions>(
        all, from, executor, store, stop, again,
        {.progress = {}, .ended = [&](std::size_t k, bool was_recorded, const std::string& error) {
           ends[k] = was_recorded ? "recorded" : error.empty() ? "done" : error;
         }});
  }

  testing::TemporaryFolder folder{testing::in_memory()};
  Store store{folder.path() / "runs.sqlite"};
  StopFlag stop;
  testing::TinySource source{tiny_spec("reservoir").benchmark};
  std::vector<std::string> ends;
};

TEST_F(Recorded, IsNotDoneTwice) {
  const Results first = analyse_all({analysis(0), analysis(1)}, source);
  EXPECT_THAT(ends, ElementsAre("done", "done"));
  const Results again = analyse_all({analysis(0), analysis(1)}, NoSource());
  EXPECT_THAT(ends, ElementsAre("recorded", "recorded"));
  for (std::size_t k = 0; k < 2; ++k) EXPECT_EQ(to_json(*again[k]), to_json(*first[k]));
  EXPECT_NE(to_json(*first[0]), to_json(*first[1]));
}

TEST_F(Recorded, IsDoneForOtherOptionsAndOnDemand) {
  analyse_all({analysis(0)}, source);
  auto other = analysis(0);
  other.options.count = 1;
  analyse_all({analysis(0), other}, source);
  EXPECT_THAT(ends, ElementsAre("recorded", "done"));
  analyse_all({analysis(0)}, source, /*again=*/true);
  EXPECT_THAT(ends, ElementsAre("done"));
  EXPECT_EQ(store.analyses("difficulty").size(), 2u) << "one record for each options and seed";
}

TEST_F(Recorded, KeepsTheOthersWhereOneFails) {
  analyse_all({analysis(0)}, source);
  const Results results = analyse_all({analysis(1), analysis(0)}, NoSource());
  EXPECT_THAT(ends, ElementsAre("not again", "recorded"));
  EXPECT_FALSE(results[0]);
  EXPECT_TRUE(results[1]);
}

TEST_F(Recorded, LeavesOutWhatIsNotBegunWhenItIsStopped) {
  stop.request();
  EXPECT_FALSE(analyse_all({analysis(0)}, source)[0]);
  EXPECT_THAT(ends, ElementsAre(""));
  EXPECT_TRUE(store.analyses().empty());
}

TEST_F(Recorded, IsDoneAgainWhereItsRecordIsDamaged) {
  const Results first = analyse_all({analysis(0)}, source);
  Database(store.path(), Database::Mode::read_write, std::chrono::milliseconds(0))
      .execute("UPDATE analyses SET result = replace(result, '0.', '0.0')");
  const Results again = analyse_all({analysis(0)}, source);
  EXPECT_THAT(ends, ElementsAre("done"));
  EXPECT_EQ(to_json(*again[0]), to_json(*first[0]));
  analyse_all({analysis(0)}, NoSource());
  EXPECT_THAT(ends, ElementsAre("recorded")) << "the new record replaced the damaged one";
}

TEST_F(Recorded, SaysWhichRecordCannotBeRead) {
  StoredAnalysis record;
  record.kind = "difficulty";
  record.options = to_json(analysis(0).options).dump();
  record.result = "{}";
  store.record(record);
  try {
    analyse_all({analysis(0)}, source);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("analysis 1 of"));
  }
}

}  // namespace recorded_test
}  // namespace gps
