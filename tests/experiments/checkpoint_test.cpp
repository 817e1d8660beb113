// The file of a checkpoint: whole or refused, its own run's or refused.
#include "gps/experiments/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <set>

#include "gps/core/files/files.h"
#include "gps/core/files/framed.h"
#include "support/child.h"
#include "support/temporary_folder.h"
#include "support/traced_child.h"

namespace gps {
namespace checkpoint_test {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Optional;

class CheckpointFile : public ::testing::Test {
 protected:
  Checkpoints checkpoints() {
    return Checkpoints(file(), {.tell = [this](const std::string& line) { told.push_back(line); }});
  }
  std::filesystem::path file() const { return folder_.path() / "run.ckpt"; }
  std::filesystem::path previous() const { return folder_.path() / "run.ckpt.prev"; }

  const RunIdentity run{R"({"learner":"er"})", 3, 77, "0.1 AVX2 abc"};
  std::vector<std::string> told;

 private:
  testing::TemporaryFolder folder_{testing::in_memory()};
};

TEST_F(CheckpointFile, GivesBackWhatWasKeptLast) {
  EXPECT_EQ(checkpoints().load(run), std::nullopt);
  EXPECT_TRUE(checkpoints().save(run, "one"));
  EXPECT_TRUE(checkpoints().save(run, "two"));
  EXPECT_THAT(checkpoints().load(run), Optional(std::string("two")));
  EXPECT_THAT(told, IsEmpty());
}

TEST_F(CheckpointFile, IsRefusedIfAnyOfItsBytesIsWrongOrMissing) {
  checkpoints().save(run, "state");
  const std::string bytes = read_file(file());
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string flipped = bytes;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x10);
    write_file(file(), flipped);
    EXPECT_EQ(checkpoints().load(run), std::nullopt) << "byte " << at;
    write_file(file(), bytes.substr(0, at));
    EXPECT_EQ(checkpoints().load(run), std::nullopt) << at << " bytes";
  }
  EXPECT_EQ(told.size(), 2 * bytes.size());
  write_file(file(), bytes);
  EXPECT_THAT(checkpoints().load(run), Optional(std::string("state")));
}

TEST_F(CheckpointFile, GivesWayToTheOneBeforeItIfItIsDamagedAndSaysSo) {
  checkpoints().save(run, "one");
  checkpoints().save(run, "two");
  write_file(file(), "rubbish");
  Checkpoints after = checkpoints();
  EXPECT_THAT(after.load(run), Optional(std::string("one")));
  EXPECT_THAT(told, ElementsAre(AllOf(HasSubstr("run.ckpt is damaged"),
                                      HasSubstr("trying the previous one"))));
  after.save(run, "three");
  write_file(file(), "rubbish");
  EXPECT_THAT(checkpoints().load(run), Optional(std::string("one")))
      << "a damaged one must not push out a good one";
}

// Killed between the two renames.
TEST_F(CheckpointFile, IsTheOneBeforeWhereTheNewestIsMissing) {
  checkpoints().save(run, "one");
  std::filesystem::rename(file(), previous());
  EXPECT_TRUE(checkpoints().exists());
  EXPECT_THAT(checkpoints().load(run), Optional(std::string("one")));
}

TEST_F(CheckpointFile, LeavesNothingOnceItIsRemoved) {
  checkpoints().save(run, "one");
  checkpoints().save(run, "two");
  const pid_t child = testing::start_child(
      [&] { write_whole(file(), [](const std::filesystem::path&) { std::raise(SIGKILL); }); });
  EXPECT_EQ(testing::wait_for(child), -SIGKILL);
  checkpoints().remove();
  EXPECT_TRUE(std::filesystem::is_empty(file().parent_path()));
}

// After a kill before any of the system calls by which one is kept.
TEST_F(CheckpointFile, KilledWhileItIsKeptIsTheOldOneOrTheNewOne) {
  if (!testing::can_trace())
    GTEST_SKIP() << testing::not_traced("checkpoints of a program that is killed while it saves");
  std::set<std::string> left;
  testing::kill_before_each_call(
      [&] {
        checkpoints().remove();
        checkpoints().save(run, "one");
        checkpoints().save(run, "two");
      },
      [&] { checkpoints().save(run, "three"); },
      [&] {
        EXPECT_TRUE(checkpoints().exists());
        left.insert(checkpoints().load(run).value_or("none"));
        EXPECT_TRUE(checkpoints().save(run, "four")) << "what the kill left is in nobody's way";
        EXPECT_THAT(checkpoints().load(run), Optional(std::string("four")));
      });
  EXPECT_THAT(left, ElementsAre("three", "two"));
  EXPECT_THAT(told, IsEmpty()) << "nothing was refused";
}

TEST_F(CheckpointFile, OfAnotherRunIsRefusedByName) {
  checkpoints().save(run, "state");
  const auto refused = [&](const RunIdentity& other, const std::string& why) {
    told.clear();
    EXPECT_EQ(checkpoints().load(other), std::nullopt);
    EXPECT_THAT(told, ElementsAre(AllOf(HasSubstr(file().string()), HasSubstr(why),
                                        HasSubstr("starting from the beginning"))));
  };
  RunIdentity other = run;
  other.spec = R"({"learner":"der"})";
  refused(other, "other options");
  other = run;
  other.seed = 4;
  refused(other, "belongs to seed 3, not 4");
  other = run;
  other.data = 78;
  refused(other, "other data");
  other = run;
  other.build = "0.2 AVX2 def";
  refused(other, "another build (0.1 AVX2 abc; this one is 0.2 AVX2 def)");
}

TEST_F(CheckpointFile, OfAnotherFormatOrKindIsRefusedByName) {
  write_file(file(), framed({"a checkpoint", "gpscl checkpoint", 9}, "of the future"));
  checkpoints().load(run);
  write_file(file(), std::string(100, 'x'));
  checkpoints().load(run);
  EXPECT_THAT(told, ElementsAre(HasSubstr("(format 9; this gpscl reads up to 2)"),
                                HasSubstr("is not a checkpoint")));
}

TEST_F(CheckpointFile, OfFormatOneIsRead) {
  checkpoints().save(run, "state");
  const std::string body = read_file(file()).substr(16 + 16);  // after the words and the numbers
  const FileKind older = {"a checkpoint", "gpscl checkpoint", 1, /*checked_from=*/2};
  write_file(file(), framed(older, body));
  EXPECT_THAT(checkpoints().load(run), Optional(std::string("state")));
  EXPECT_THAT(told, IsEmpty());
}

TEST_F(CheckpointFile, ThatCannotBeWrittenIsToldOnce) {
  Checkpoints nowhere(file() / "none" / "x.ckpt",
                      {.tell = [this](const std::string& line) { told.push_back(line); }});
  EXPECT_FALSE(nowhere.save(run, "one"));
  EXPECT_FALSE(nowhere.save(run, "two"));
  EXPECT_THAT(told, ElementsAre(AllOf(HasSubstr("no checkpoint"), HasSubstr("cannot be written"))));
}

TEST_F(CheckpointFile, IsGoneWhenItIsRemoved) {
  checkpoints().save(run, "one");
  checkpoints().save(run, "two");
  checkpoints().remove();
  EXPECT_TRUE(std::filesystem::is_empty(file().parent_path()));
}

TEST(CheckpointTime, IsDueSoLongAfterTheLastOne) {
  testing::TemporaryFolder folder(testing::in_memory());
  double now = 100;
  Checkpoints checkpoints(folder.path() / "x.ckpt", {.seconds = 60, .clock = [&] { return now; }});
  EXPECT_FALSE(checkpoints.is_due());
  EXPECT_FALSE(checkpoints.is_due_at_task_end()) << "nothing to lose yet";
  now = 102;
  EXPECT_TRUE(checkpoints.is_due_at_task_end());
  EXPECT_FALSE(checkpoints.is_due());
  now = 160;
  EXPECT_TRUE(checkpoints.is_due());
  checkpoints.save({}, "");
  EXPECT_FALSE(checkpoints.is_due());
}

TEST(CheckpointTime, IsNotDueAtATaskEndBeforeTheWorkIsWorthTheSave) {
  testing::TemporaryFolder folder(testing::in_memory());
  double now = 100;
  Checkpoints checkpoints(folder.path() / "x.ckpt", {.seconds = 300, .clock = [&] { return now; }});
  checkpoints.begin();
  now = 103;  // the state is large: copying it takes three seconds
  checkpoints.save({}, "");
  now = 103 + 3 * Checkpoints::kWorkPerSave - 1;
  EXPECT_FALSE(checkpoints.is_due_at_task_end());
  now += 1;
  EXPECT_TRUE(checkpoints.is_due_at_task_end());
  checkpoints.save({}, "");  // which takes no time here
  now += 1;
  EXPECT_TRUE(checkpoints.is_due_at_task_end());
}

TEST(CheckpointTime, OfAThousandShortTasksIsASmallShareOfTheWork) {
  testing::TemporaryFolder folder(testing::in_memory());
  double now = 0;
  Checkpoints checkpoints(folder.path() / "x.ckpt", {.clock = [&] { return now; }});
  constexpr double kTask = 0.01;
  constexpr double kSave = 0.125;
  std::size_t saves = 0;
  for (int task = 0; task < 1000; ++task) {
    now += kTask;
    if (!checkpoints.is_due_at_task_end()) continue;
    checkpoints.begin();
    now += kSave;
    checkpoints.save({}, "");
    ++saves;
  }
  EXPECT_GE(saves, 1u);
  EXPECT_LE(static_cast<double>(saves) * kSave, 0.06 * 1000 * kTask);
}

TEST(CheckpointTime, IsDueAfterSoManyStepsOrAtTaskEndsOnly) {
  testing::TemporaryFolder folder(testing::in_memory());
  Checkpoints steps(folder.path() / "x.ckpt", {.steps = 3});
  EXPECT_FALSE(steps.is_due());
  EXPECT_FALSE(steps.is_due());
  EXPECT_TRUE(steps.is_due());
  double now = 0;
  Checkpoints ends(folder.path() / "y.ckpt", {.seconds = 0, .clock = [&] { return now; }});
  now = 1e9;
  EXPECT_FALSE(ends.is_due());
  EXPECT_TRUE(ends.is_due_at_task_end());
}

}  // namespace checkpoint_test
}  // namespace gps
