// `gpscl learn` with limits that a new version must meet, and the candidate that is kept aside.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "apps/program.h"
#include "apps/week_folders.h"
#include "gps/core/files/files.h"
#include "support/temporary_folder.h"

namespace gps {
namespace gate_program_test {

namespace fs = std::filesystem;
using testing::gpscl;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Outcome;

class GateProgram : public ::testing::Test {
 protected:
  GateProgram() {
    testing::write_weeks(folder_.path(), 2);
    // Weeks whose labels are wrong: an honest test set finds them out.
    testing::write_week(folder_.path() / "wrong", 2, 4, 20, 2);
    const fs::path wrong = folder_.path() / "wrong";
    fs::rename(wrong / "class2", wrong / "x");
    fs::rename(wrong / "class3", wrong / "class2");
    fs::rename(wrong / "x", wrong / "class3");
    testing::write_week(folder_.path() / "test", 0, 4, 20, 77);
  }

  Outcome call(const std::vector<std::string>& arguments) const {
    return gpscl(arguments, {.folder = folder_.path()});
  }
  void learn_first() const {
    const Outcome outcome = call({"learn", "state", "week1", "--memory", "40", "--hidden", "16",
                                  "--lr", "0.05", "--epochs", "10"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  }
  nlohmann::json json_of(const std::vector<std::string>& arguments, int exit_code = 0) const {
    const Outcome outcome = call(arguments);
    EXPECT_EQ(outcome.exit_code, exit_code) << outcome.err;
    return nlohmann::json::parse(outcome.out);
  }
  std::string version(int number) const {
    return read_file(folder_.path() / "state" / fmt::format("{:06}.state", number));
  }

  testing::TemporaryFolder folder_{testing::in_memory()};
};

TEST_F(GateProgram, KeepsAVersionThatMeetsItsLimits) {
  learn_first();
  const Outcome outcome = call({"learn", "state", "week2", "--require-accuracy", "0.7",
                                "--max-forgetting", "0.3", "--gate", "test"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, ::testing::ContainsRegex("gate: accuracy [0-9.]+ % \\[[0-9., ]+\\] on "
                                                    "80 test images, of at least 70.0 %"));
  EXPECT_THAT(outcome.out, ::testing::ContainsRegex("gate: forgotten [-0-9.]+ points .* on 40 "));
}

TEST_F(GateProgram, KeepsAsideWhatFallsShortAndTakesItOnRequest) {
  learn_first();
  const std::string before = version(1);
  const auto refused = json_of(
      {"learn", "state", "wrong", "--require-accuracy", "0.9", "--gate", "test", "--json"}, 3);
  EXPECT_EQ(refused.at("committed"), false);
  EXPECT_EQ(refused.at("gate").at("accuracy").at("met"), false);
  EXPECT_EQ(refused.at("gate").at("accuracy").at("images"), 80);
  EXPECT_EQ(refused.at("problems").size(), 1u);
  EXPECT_EQ(version(1), before);
  const auto status = json_of({"learn", "state", "--status", "--json"});
  EXPECT_EQ(status.at("version"), 1);
  EXPECT_EQ(status.at("candidate").at("task"), "wrong");
  EXPECT_EQ(status.at("candidate").at("problems"), refused.at("problems"));
  EXPECT_THAT(call({"learn", "state", "--status"}).out,
              HasSubstr("gpscl learn state --accept keeps it"));

  const Outcome accepted = call({"learn", "state", "--accept"});
  EXPECT_EQ(accepted.exit_code, 0) << accepted.err;
  EXPECT_THAT(accepted.out, HasSubstr("the candidate is kept: 'wrong', although accuracy on 80 "));
  EXPECT_THAT(accepted.out, HasSubstr("state: version 2 in state"));
  EXPECT_EQ(json_of({"learn", "state", "--status", "--json"}).at("tasks"), 2);
  const Outcome again = call({"learn", "state", "--accept"});
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_THAT(again.err, HasSubstr("no candidate is kept aside"));
}

TEST_F(GateProgram, JudgesByTheHeldOutImagesWithoutOthers) {
  learn_first();
  // There are 12 held-out images, so that only a strict gate can ask for all of them.
  const Outcome outcome =
      call({"learn", "state", "wrong", "--lr", "1e-30", "--require-accuracy", "1", "--strict"});
  EXPECT_EQ(outcome.exit_code, 3) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("gpscl: state: accuracy on 12 test images is "));
  EXPECT_THAT(outcome.err, HasSubstr("the state is unchanged at version 1; kept aside: gpscl learn "
                                     "state --accept keeps it anyway"));
  EXPECT_THAT(outcome.err, Not(HasSubstr("try --lr"))) << "the network is not dead";
}

TEST_F(GateProgram, LimitsForgetting) {
  learn_first();
  // Without replay and with a high rate, the first classes are forgotten.
  const std::vector<std::string> forgetful = {"learn", "state",    "week2", "--learner",
                                              "sgd",   "--epochs", "40",    "--max-forgetting",
                                              "0.2",   "--gate",   "test",  "--json"};
  const auto refused = json_of(forgetful, 3);
  EXPECT_GT(refused.at("gate").at("forgetting").at("low"), 0.2);
  EXPECT_EQ(refused.at("gate").at("forgetting").at("images"), 40) << "of the classes known before";
  EXPECT_FALSE(refused.at("gate").contains("accuracy"));
}

TEST_F(GateProgram, CountsNoImageThatItWasTrainedOn) {
  learn_first();
  fs::remove_all(folder_.path() / "test");
  testing::write_week(folder_.path() / "test", 0, 2, 10, 77);
  fs::copy(folder_.path() / "week2", folder_.path() / "test", fs::copy_options::recursive);
  const Outcome outcome =
      call({"learn", "state", "week2", "--require-accuracy", "0.1", "--gate", "test"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  // 4 of the 40 new images are held out. They are no images of the caller's own either.
  EXPECT_THAT(outcome.err,
              HasSubstr("gpscl: warning: gate: 40 of its 60 images are the new data; 36 left out, "
                        "because the state was trained on them, and only 24 are left to judge by"));
  EXPECT_THAT(outcome.out, HasSubstr(" on 24 test images, of at least 10.0 %"));
}

TEST_F(GateProgram, LeavesOutWhatEarlierCallsWereTrainedOn) {
  learn_first();
  const Outcome outcome =
      call({"learn", "state", "week2", "--require-accuracy", "0.1", "--gate", "week1"});
  EXPECT_THAT(outcome.err,
              HasSubstr("gpscl: gate: 32 images left out, because the state was trained on them"));
  EXPECT_THAT(outcome.err, Not(HasSubstr("the new data")));
}

TEST_F(GateProgram, HoldsForAFirstVersionToo) {
  const Outcome refused = call({"learn", "state", "wrong", "--memory", "40", "--lr", "1e-30",
                                "--require-accuracy", "0.99", "--gate", "test"});
  EXPECT_EQ(refused.exit_code, 3) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("40 images of classes that are not learnt are left out"));
  EXPECT_THAT(refused.err, HasSubstr("no state was made; kept aside"));
  const Outcome status = call({"learn", "state", "--status"});
  EXPECT_EQ(status.exit_code, 2);
  EXPECT_THAT(status.err, HasSubstr("no state, but a candidate"));
  const Outcome accepted = call({"learn", "state", "--accept", "--json"});
  EXPECT_EQ(nlohmann::json::parse(accepted.out).at("version"), 1) << accepted.err;
}

TEST_F(GateProgram, RefusesLimitsThatCannotBe) {
  learn_first();
  const auto expect_error = [&](const std::vector<std::string>& arguments,
                                const std::string& error) {
    const Outcome outcome = call(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(error));
  };
  expect_error({"learn", "state", "week2", "--require-accuracy", "90"},
               "--require-accuracy must be between 0 and 1, got 90");
  expect_error({"learn", "state", "week2", "--max-forgetting", "-0.1"},
               "--max-forgetting must be between 0 and 1");
  expect_error({"learn", "state", "week2", "--strict"},
               "--strict has no effect without --require-accuracy or --max-forgetting");
  expect_error({"learn", "state", "week2", "--gate", "test"}, "--gate has no effect without");
  expect_error({"learn", "state", "week2", "--require-accuracy", "0.5", "--gate", "nowhere"},
               "'nowhere' does not exist");
  expect_error({"learn", "state", "--require-accuracy", "0.5"}, "give exactly one of NEW_DATA");
  expect_error({"learn", "nothing", "--accept"}, "contains no state");
  fs::rename(folder_.path() / "test" / "class0", folder_.path() / "clas0");
  fs::create_directories(folder_.path() / "typo");
  fs::rename(folder_.path() / "clas0", folder_.path() / "typo" / "clas0");
  expect_error({"learn", "state", "week2", "--require-accuracy", "0.5", "--gate", "typo"},
               "class 'clas0' is not known");
  EXPECT_FALSE(fs::exists(folder_.path() / "state" / "candidate.state"));
}

}  // namespace gate_program_test
}  // namespace gps
