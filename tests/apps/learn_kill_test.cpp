// `gpscl learn` is killed at random stop points: it leaves the old state, whole, and the next call
// goes on from it. (Killed while it commits, it leaves the old state or the new one:
// tests/deployment/state_folder_test.cpp kills it there at every system call.)
#include <gmock/gmock.h>

#include "apps/program.h"
#include "apps/week_folders.h"
#include "gps/core/files/files.h"
#include "gps/core/rng.h"
#include "support/temporary_folder.h"

namespace gps {
namespace learn_kill_test {

namespace fs = std::filesystem;
using testing::gpscl;
using testing::Outcome;

constexpr int kKills = 10;

class LearnKill : public ::testing::Test {
 protected:
  Outcome call(const std::vector<std::string>& arguments) const {
    return gpscl(arguments, {.folder = folder_.path()});
  }
  // What the network says of all images: the same for the same state.
  std::string predictions() const {
    const Outcome outcome =
        call({"predict", "state", "week1", "week2", "--top", "9", "--format", "json"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.out;
  }
  void restore() const {
    fs::remove_all(folder_.path() / "state");
    fs::copy(folder_.path() / "saved", folder_.path() / "state");
  }
  std::size_t versions() const {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(folder_.path() / "state"))
      count += entry.path().extension() == ".state" ? 1 : 0;
    return count;
  }

  testing::TemporaryFolder folder_{testing::in_memory()};
};

TEST_F(LearnKill, AtRandomPointsLeavesTheOldState) {
  testing::write_weeks(folder_.path(), 2);
  ASSERT_EQ(call({"learn", "state", "week1", "--memory", "40", "--hidden", "16"}).exit_code, 0);
  const std::string old_says = predictions();
  fs::copy(folder_.path() / "state", folder_.path() / "saved");
  const std::vector<std::string> learning = {"learn", "state", "week2", "--jobs", "1"};
  const std::uint64_t points = testing::stop_points_of(learning, {.folder = folder_.path()});
  const std::string new_says = predictions();
  ASSERT_NE(new_says, old_says);

  Rng rng = Rng(11).fork("kill");
  for (int kill = 0; kill < kKills; ++kill) {
    restore();
    // The first ones at the very beginning and at the very end.
    const std::uint64_t point = kill == 0 ? 1 : kill == 1 ? points : 1 + rng.index(points);
    const Outcome killed =
        gpscl(learning, {.folder = folder_.path(), .halt = "kill@" + std::to_string(point)});
    EXPECT_EQ(killed.exit_code, -1) << "not killed at " << point << " of " << points;
    const Outcome status = call({"learn", "state", "--status"});
    EXPECT_EQ(status.exit_code, 0) << status.err;
    EXPECT_EQ(versions(), 1u);
    EXPECT_EQ(predictions(), old_says) << "killed at " << point;
  }
  EXPECT_EQ(call(learning).exit_code, 0) << "it goes on";
  EXPECT_EQ(predictions(), new_says);
  for (const auto& entry : fs::directory_iterator(folder_.path() / "state"))
    EXPECT_NE(entry.path().extension(), ".tmp") << entry.path() << " is left over";
}

}  // namespace learn_kill_test
}  // namespace gps
