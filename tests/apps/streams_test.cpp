// What gpscl does if its standard output or standard error cannot be written to, or is closed.
#include <gmock/gmock.h>

#include "apps/known_options.h"
#include "apps/tiny_program_run.h"
#include "apps/week_folders.h"

namespace gps {
namespace streams_test {

namespace fs = std::filesystem;

using ::testing::ElementsAre;
using testing::gpscl;
using ::testing::HasSubstr;
using testing::Outcome;
using testing::ProgramOptions;

constexpr const char* kFull = "/dev/full";

class Streams : public testing::TinyProgramRun {
 protected:
  std::vector<std::string> learn() const {
    testing::write_week(path("week"), 0, 2);
    return {"learn",
            path("state").string(),
            path("week").string(),
            "--memory",
            "20",
            "--hidden",
            "16",
            "--epochs",
            "1"};
  }
};

class FullStreams : public Streams {
 protected:
  void SetUp() override {
    if (!fs::exists(kFull))
      GTEST_SKIP() << "not checked: streams that are full; to check: a system with " << kFull;
  }

  // Standard error, to which nothing can be written.
  static ProgramOptions full_error() {
    return {.prepare = [] {
      const int full = open(kFull, O_WRONLY | O_CLOEXEC);
      return full >= 0 && dup2(full, STDERR_FILENO) == STDERR_FILENO;
    }};
  }
};

TEST_F(FullStreams, AFullStandardErrorDoesNotEndARun) {
  const Outcome outcome = gpscl(arguments({"--seeds", "2"}), full_error());
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("\nreservoir "));
  EXPECT_EQ(files_in("out").size(), 2u);
}

TEST_F(FullStreams, AFullStandardErrorDoesNotEndASweep) {
  testing::write_file(path("sweep.toml"),
                      "[defaults]\nbenchmark = \"p-mnist\"\ntasks = 2\nepochs = 1\nhidden = 16\n"
                      "[[grid]]\nseeds = 3\n");
  const Outcome outcome = gpscl({"sweep", path("sweep.toml").string(), "--data",
                                 path("data").string(), "--out", path("out").string()},
                                full_error());
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("3 runs: 3 done, 0 failed"));
}

TEST_F(FullStreams, AFullStandardErrorDoesNotEndAProbe) {
  const Outcome outcome =
      gpscl({"probe", "difficulty", "p-mnist", "--data", path("data").string(), "--out",
             path("out").string(), "--epochs", "1", "--hidden", "16", "--tasks", "2"},
            full_error());
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.out, "");
}

TEST_F(FullStreams, AFullStandardErrorDoesNotEndLearning) {
  const Outcome outcome = gpscl(learn(), full_error());
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("state: version 1"));
}

TEST_F(FullStreams, AFullStandardErrorChangesNoExitCode) {
  EXPECT_EQ(gpscl({}, full_error()).exit_code, 2);
  EXPECT_EQ(gpscl({"unknown"}, full_error()).exit_code, 2);
  EXPECT_EQ(gpscl({"run", "unknown"}, full_error()).exit_code, 2);
  EXPECT_EQ(gpscl({"data", "get", "unknown"}, full_error()).exit_code, 2);
  EXPECT_EQ(gpscl({"reproduce", "unknown"}, full_error()).exit_code, 2);
  testing::write_file(path("state/000001.state"), "x");
  EXPECT_EQ(gpscl({"predict", path("state").string(), "x.png"}, full_error()).exit_code, 1);
  ProgramOptions stopped = full_error();
  stopped.halt = "stop@1";
  EXPECT_EQ(gpscl(arguments({"--jobs", "1"}), stopped).exit_code, 130);
}

TEST_F(FullStreams, AFullStandardOutputIsAnErrorOfOneLine) {
  for (const std::vector<std::string>& call :
       {std::vector<std::string>{"--help"}, {"--version"}, {"list"}, {"run", "--help-all"}}) {
    const Outcome outcome = gpscl(call, {.out = kFull});
    EXPECT_EQ(outcome.exit_code, 1) << join(call, " ");
    EXPECT_EQ(outcome.err, "gpscl: standard output cannot be written to; is the disk full?\n")
        << join(call, " ");
  }
}

class ClosedStreams : public Streams {
 protected:
  static ProgramOptions without(std::vector<int> streams) {
    return {.prepare = [streams = std::move(streams)] {
      for (const int stream : streams) close(stream);
      return true;
    }};
  }
  std::string lock_of_state() const { return testing::text_of(path("state/lock")); }
};

TEST_F(ClosedStreams, MessagesForAClosedStandardErrorAreInNoFile) {
  const Outcome outcome = gpscl(learn(), without({STDERR_FILENO}));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("state: version 1"));
  EXPECT_EQ(lock_of_state(), "");
}

TEST_F(ClosedStreams, ResultsForAClosedStandardOutputAreInNoFileAndAnError) {
  const Outcome outcome = gpscl(learn(), without({STDOUT_FILENO}));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("gpscl: standard output cannot be written to"));
  EXPECT_EQ(lock_of_state(), "");
  EXPECT_EQ(gpscl({"learn", path("state").string(), "--status"}).exit_code, 0)
      << "what was learnt is kept";
}

TEST_F(ClosedStreams, AllThreeMayBeClosed) {
  const Outcome outcome = gpscl(learn(), without({STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(lock_of_state(), "");
}

TEST_F(ClosedStreams, AClosedStandardInputIsEmpty) {
  ASSERT_EQ(gpscl(learn()).exit_code, 0);
  const Outcome outcome = gpscl({"predict", path("state").string(), "-"}, without({STDIN_FILENO}));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("gpscl: standard input is empty"));
}

// As in `gpscl learn … | true`: what is learnt is kept, so the exit code must say what happened.
TEST_F(Streams, AReportThatNobodyReadsIsAnErrorAfterLearning) {
  const ProgramOptions unread{.prepare = [] {
    std::array<int, 2> ends{};
    return pipe(ends.data()) == 0 && close(ends[0]) == 0 &&
           dup2(ends[1], STDOUT_FILENO) == STDOUT_FILENO && close(ends[1]) == 0;
  }};
  const Outcome outcome = gpscl(learn(), unread);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("gpscl: standard output cannot be written to, so there is no "
                                     "report; version 1 is kept\n"));
  EXPECT_EQ(gpscl({"learn", path("state").string(), "--status"}).exit_code, 0);
}

TEST(StandardError, HasOneFileThatWritesToIt) {
  std::vector<std::string> found;
  for (const char* root : {"src/gps", "apps/gpscl"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(GPSCL_SOURCE_DIR) / root)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".h" && extension != ".cpp") continue;
      const std::string text = testing::text_of(entry.path());
      for (const char* word : {"stderr", "std::cerr", "std::clog", "perror("}) {
        if (text.find(word) == std::string::npos) continue;
        found.push_back(entry.path().lexically_relative(GPSCL_SOURCE_DIR).string());
        break;
      }
    }
  }
  EXPECT_THAT(found, ElementsAre("src/gps/core/tell_user.cpp"))
      << "use tell_user() or show_user(), which never throw";
}

}  // namespace streams_test
}  // namespace gps
