// --tensorboard: what the program leaves for TensorBoard, beside results that do not change.
#include <gmock/gmock.h>

#include "apps/program.h"
#include "apps/tiny_program_run.h"
#include "support/event_reader.h"
#include "support/tiny_sets.h"

namespace gps {
namespace tensorboard_test {

using ::testing::AllOf;
using testing::curve;
using testing::events_of;
using testing::gpscl;
using ::testing::HasSubstr;
using testing::Outcome;
using testing::ReadEvent;
namespace fs = std::filesystem;

class Tensorboard : public testing::TinyProgramRun {
 protected:
  std::set<std::string> folders_in(const std::string& board) const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(path(board)))
      names.insert(entry.path().filename().string());
    return names;
  }

  std::set<std::string> results_in(const std::string& out) const {
    std::set<std::string> names;
    for (const auto& [name, json] : files_in(out)) names.insert(fs::path(name).stem());
    return names;
  }

  std::vector<ReadEvent> events(const std::string& board, const std::string& run) const {
    return events_of(testing::read_file(path(board) / run / "events.out.tfevents.gpscl"));
  }
};

TEST_F(Tensorboard, HasAFolderForEachRunNamedLikeItsResult) {
  const std::vector<std::string> what = {"--policy", "reservoir,gps", "--memory", "20"};
  std::vector<std::string> shown = what;
  shown.insert(shown.end(), {"--tensorboard", path("board").string()});
  ASSERT_EQ(gpscl(arguments(what, "plain")).exit_code, 0);
  ASSERT_EQ(gpscl(arguments(shown, "out")).exit_code, 0);
  EXPECT_EQ(results_in("out"), results_in("plain")) << "the spec is another";
  EXPECT_EQ(folders_in("board"), results_in("out"));
  for (const auto& [name, result] : files_in("out")) {
    const auto all = events("board", fs::path(name).stem());
    const auto average = curve(all, "accuracy/average");
    ASSERT_EQ(average.size(), 2u);
    EXPECT_NEAR(average.at(2), result["metrics"]["average_accuracy"].get<double>(), 1e-6);
    std::set<std::string> images;
    for (const ReadEvent& event : all) {
      if (event.image) images.insert(event.tag);
    }
    EXPECT_EQ(images, (std::set<std::string>{"accuracy_matrix", "memory"}));
  }
}

TEST_F(Tensorboard, ShowsRunsThatWereFinishedBefore) {
  ASSERT_EQ(gpscl(arguments({})).exit_code, 0);
  ASSERT_EQ(gpscl(arguments({"--resume", "--tensorboard", path("board").string()})).exit_code, 0);
  EXPECT_EQ(folders_in("board"), results_in("out"));
}

TEST_F(Tensorboard, IsForSweepsToo) {
  testing::write_file(path("sweep.toml"),
                      "[[grid]]\nbenchmark = \"p-mnist\"\ntasks = 2\nepochs = 1\nhidden = 8\n"
                      "policy = [\"reservoir\", \"ring-full\"]\n");
  const Outcome outcome =
      gpscl({"sweep", path("sweep.toml").string(), "--data", path("data").string(), "--out",
             path("out").string(), "--tensorboard", path("board").string()});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(folders_in("board").size(), 2u);
  EXPECT_EQ(folders_in("board"), results_in("out"));
}

TEST_F(Tensorboard, IsRefusedBeforeAnyWorkWhereItCannotBe) {
  testing::write_file(path("file"), "in the way");
  const Outcome outcome = gpscl(arguments({"--tensorboard", path("file/board").string()}));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("--tensorboard '" + path("file/board").string() + "'"),
                                 HasSubstr("cannot be used")));
}

}  // namespace tensorboard_test
}  // namespace gps
