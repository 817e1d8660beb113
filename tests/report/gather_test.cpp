#include "gps/report/gather.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/tiny_run.h"
#include "support/temporary_folder.h"

namespace gps {
namespace gather_test {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Gather : public ::testing::Test {
 protected:
  Gather() {
    for (const std::uint64_t seed : {0U, 1U}) {
      for (const char* policy : {"reservoir", "gps"}) {
        RunResult result = testing::tiny_run(testing::tiny_spec(policy));
        result.seed = seed;
        store_.record_done(result, this_process(), 1, 100);
      }
    }
  }

  Report gathered(const GatherOptions& options = {}) {
    return gather_report(store_, options, [&](const std::string& line) { lines_.push_back(line); });
  }

  std::string complaint(const GatherOptions& options) {
    try {
      gathered(options);
    } catch (const DataError& error) {
      return error.what();
    }
    return "(gathered)";
  }

  testing::TemporaryFolder folder_{testing::in_memory()};
  Store store_{folder_.path() / "runs.sqlite"};
  std::vector<std::string> lines_;
};

TEST_F(Gather, HasEveryRunWithItsResultAndTheCommandThatRepeatsIt) {
  const Report report = gathered();
  ASSERT_THAT(report.runs, SizeIs(4));
  EXPECT_EQ(report.store, store_.path().string());
  for (const ReportedRun& run : report.runs) {
    ASSERT_TRUE(run.result);
    EXPECT_EQ(run.result->seed, run.run.seed);
    EXPECT_EQ(run.run.status, RunStatus::done);
    EXPECT_THAT(run.command, AllOf(HasSubstr(" --policy " + run.run.policy),
                                   HasSubstr("--seed " + std::to_string(run.run.seed))));
  }
  EXPECT_THAT(lines_, IsEmpty());
}

TEST_F(Gather, HasOnlyWhatMatches) {
  GatherOptions only;
  only.policy = "gps";
  EXPECT_THAT(gathered(only).runs, SizeIs(2));
}

TEST_F(Gather, NamesWhatThereIsIfNothingMatches) {
  GatherOptions nothing;
  nothing.policy = "hybrid";
  EXPECT_THAT(complaint(nothing), AllOf(HasSubstr("none of 4 runs matches `policy` hybrid"),
                                        HasSubstr("its policies: gps")));
}

TEST_F(Gather, TellsOfRunsThatCannotBeReadAndLeavesThemOut) {
  {
    Database database(store_.path(), Database::Mode::read_write, std::chrono::milliseconds(0));
    database.execute("UPDATE runs SET spec = 'not JSON' WHERE seed = 1 AND policy = 'gps'");
  }
  EXPECT_THAT(gathered().runs, SizeIs(3));
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("is damaged")));
}

}  // namespace gather_test
}  // namespace gps
