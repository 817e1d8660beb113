// `gpscl learn` is killed at thirty random moments: what it leaves is the old state or the new one,
// whole, and the next call goes on from it.
#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "apps/program.h"
#include "apps/week_folders.h"
#include "gps/core/files.h"
#include "gps/core/rng.h"
#include "support/temporary_folder.h"

namespace gps {
namespace {

namespace fs = std::filesystem;
using testing::gpscl;
using testing::Outcome;
using testing::Program;
using Clock = std::chrono::steady_clock;

constexpr int kKills = 30;  // that hit while it runs

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

TEST_F(LearnKill, AtThirtyRandomMomentsLeavesTheOldStateOrTheNewOne) {
  testing::write_weeks(folder_.path(), 2);
  ASSERT_EQ(call({"learn", "state", "week1", "--memory", "40", "--hidden", "16"}).exit_code, 0);
  const std::string old_says = predictions();
  fs::copy(folder_.path() / "state", folder_.path() / "saved");
  const std::vector<std::string> learning = {"learn", "state", "week2", "--jobs", "1"};
  const auto start = Clock::now();
  ASSERT_EQ(call(learning).exit_code, 0);
  const std::chrono::duration<double> takes = Clock::now() - start;
  const std::string new_says = predictions();
  ASSERT_NE(new_says, old_says);

  Rng rng = Rng(11).fork("kill");
  int kills = 0;
  int left_new = 0;
  for (int attempt = 0; kills < kKills && attempt < 10 * kKills; ++attempt) {
    restore();
    Program program(learning, {.folder = folder_.path()});
    // Half of them near the end, where the new state is written.
    const double share = attempt % 2 == 0 ? rng.uniform() : 0.7 + 0.4 * rng.uniform();
    std::this_thread::sleep_for(share * takes);
    program.send(SIGKILL);
    if (program.finish().exit_code != -1) continue;  // it was faster
    ++kills;
    const Outcome status = call({"learn", "state", "--status"});
    EXPECT_EQ(status.exit_code, 0) << status.err;
    const bool is_new = versions() == 2;
    left_new += is_new ? 1 : 0;
    EXPECT_EQ(predictions(), is_new ? new_says : old_says) << "after kill " << kills;
    if (kills % 5 != 0) continue;  // and it goes on
    if (!is_new) {
      EXPECT_EQ(call(learning).exit_code, 0);
      EXPECT_EQ(predictions(), new_says);
    }
    for (const auto& entry : fs::directory_iterator(folder_.path() / "state"))
      EXPECT_NE(entry.path().extension(), ".tmp") << entry.path() << " is left over";
  }
  EXPECT_EQ(kills, kKills);
}

}  // namespace
}  // namespace gps
