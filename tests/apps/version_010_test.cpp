// The program on a store and a state of version 0.1.0: nothing is lost, nothing is done again.
#include <gmock/gmock.h>

#include "apps/program.h"
#include "support/temporary_folder.h"
#include "support/version_010.h"

namespace gps {
namespace version_010_test {

using testing::gpscl;
using ::testing::HasSubstr;
using testing::Outcome;

class Version010 : public ::testing::Test {
 protected:
  Version010() {
    testing::write_store_010(folder_.path() / "runs.sqlite");
    testing::write_state_010(folder_.path() / "state");
  }

  // Standard output of a command that succeeds.
  std::string said(std::vector<std::string> words) {
    const Outcome done = gpscl(words, {.folder = folder_.path()});
    EXPECT_EQ(done.exit_code, 0) << done.err;
    return done.out;
  }

  testing::TemporaryFolder folder_{testing::in_memory()};
};

TEST_F(Version010, RunsAreListedShownComparedAndReported) {
  const std::string list = said({"runs", "list", "--store", "runs.sqlite"});
  EXPECT_THAT(list, HasSubstr("gps:permutation"));
  EXPECT_THAT(list, HasSubstr("failed"));
  const std::string shown = said({"runs", "show", "1", "--store", "runs.sqlite"});
  EXPECT_THAT(shown, HasSubstr("ring    4 of   10 ( 40 %)  tried 4:20.0 5:20.0 6:20.0"));
  EXPECT_THAT(shown, HasSubstr("gpscl run p-fashion-mnist --policy gps --tasks 2 --memory 10 "
                               "--examples-per-task 40 --epochs 1 --hidden 4 --seed 0"));
  const std::string compared = said({"runs", "compare", "--store", "runs.sqlite"});
  EXPECT_THAT(compared, HasSubstr("9.91"));   // of run 1
  EXPECT_THAT(compared, HasSubstr("18.39"));  // of run 2, among the classes of each task
  EXPECT_THAT(compared, HasSubstr("4.46"));   // among all classes
  said({"report", "runs.sqlite", "--format", "md", "-o", "report"});
  EXPECT_FALSE(std::filesystem::is_empty(folder_.path() / "report"));
}

TEST_F(Version010, AStateTellsWhatItIs) {
  EXPECT_THAT(said({"learn", "state", "--status"}), HasSubstr("2 classes: left, right"));
  EXPECT_THAT(said({"learn", "state", "--history"}), HasSubstr("3 of 4"));
}

}  // namespace version_010_test
}  // namespace gps
