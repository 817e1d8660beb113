// `gpscl run PATH`: a user's own images.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "apps/program.h"
#include "support/own_images.h"
#include "support/temporary_folder.h"

namespace gps {
namespace own_stream_test {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::lines_of;
using ::testing::Not;
using testing::Outcome;
using testing::Program;
using testing::ProgramOptions;
using ::testing::StartsWith;
using testing::write_classes;
using testing::write_file;

class OwnImages : public ::testing::Test {
 protected:
  OwnImages() : options_{.folder = folder_.path(), .cache = folder_.path() / "cache"} {}
  fs::path path(const std::string& name) const { return folder_.path() / name; }

  static std::vector<std::string> call(const std::string& stream,
                                       const std::vector<std::string>& added = {},
                                       const std::string& out = "out") {
    std::vector<std::string> all = {"run", stream,     "--epochs", "2",     "--hidden",
                                    "16",  "--memory", "20",       "--out", out};
    all.insert(all.end(), added.begin(), added.end());
    return all;
  }
  Outcome gpscl(const std::vector<std::string>& arguments) const {
    return testing::gpscl(arguments, options_);
  }
  nlohmann::json result(const std::string& stream, std::vector<std::string> added = {}) const {
    added.emplace_back("--json");
    const Outcome outcome = gpscl(call(stream, added));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.exit_code == 0 ? nlohmann::json::parse(outcome.out)[0] : nlohmann::json();
  }
  // The one line of a call that is refused.
  std::string refusal(const std::vector<std::string>& arguments, int code) const {
    const Outcome outcome = gpscl(arguments);
    EXPECT_EQ(outcome.exit_code, code) << outcome.err;
    EXPECT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
    EXPECT_THAT(outcome.err, StartsWith("gpscl: "));
    return outcome.err;
  }
  void write_weeks() const {
    write_classes(path("photos/week1"), {"cat", "dog"}, 12);
    write_classes(path("photos/week2"), {"cat", "dog", "emu"}, 12, /*seed=*/2);
  }
  const ProgramOptions& options() const { return options_; }

 private:
  testing::TemporaryFolder folder_{testing::in_memory()};
  ProgramOptions options_;
};

TEST_F(OwnImages, InFoldersOfTasksAreLearnt) {
  write_weeks();
  const nlohmann::json found = result("photos");
  EXPECT_EQ(found["spec"]["benchmark"], "photos/");
  EXPECT_EQ(found["spec"]["tasks"], 2);
  EXPECT_EQ(found["spec"]["images"], 60);
  EXPECT_EQ(found["scenario"], "task-incremental");
  EXPECT_EQ(found["task_names"], nlohmann::json({"week1", "week2"}));
  EXPECT_EQ(found["labels"], nlohmann::json::parse("[[0,1],[0,1,2]]"));
  EXPECT_EQ(result("photos/", {"--seed", "0"})["spec"], found["spec"]);
  const Outcome shown = gpscl(call("./photos", {"--picture"}));
  EXPECT_THAT(shown.out,
              AllOf(HasSubstr("./photos/ (each task has its own classes), learner er, 2 tasks, 60 "
                              "images of 6 x 6 pixels, memory 20"),
                    HasSubstr("  week2\n")));
}

TEST_F(OwnImages, InFoldersOfClassesAreLearnt) {
  write_classes(path("photos"), {"a", "b", "c"}, 12);
  const nlohmann::json found = result("photos", {"--classes-per-task", "2", "--image-size", "5x4"});
  EXPECT_EQ(found["labels"], nlohmann::json::parse("[[0,1],[2]]"));
  EXPECT_EQ(found["class_names"], nlohmann::json({"a", "b", "c"}));
  EXPECT_EQ(found["spec"]["image_size"], "5x4");
  EXPECT_EQ(found["spec"]["classes_per_task"], 2);
  EXPECT_EQ(result("photos", {"--tasks", "3"})["spec"]["classes_per_task"], 1);
  EXPECT_EQ(result("photos", {"--tasks", "1"})["scenario"], "domain-incremental");
}

TEST_F(OwnImages, InAManifestAreLearnt) {
  write_weeks();
  std::string rows = "path,label,task,split\n";
  for (const char* week : {"week1", "week2"}) {
    for (const char* name : {"cat", "dog"}) {
      for (int k = 1; k <= 12; ++k)
        rows += fmt::format("photos/{}/{}/{}.png,{},{},{}\n", week, name, k, name, week,
                            k > 9 ? "test" : "train");
    }
  }
  write_file(path("list.csv"), rows);
  const nlohmann::json found = result("list.csv");
  EXPECT_EQ(found["scenario"], "domain-incremental");
  EXPECT_EQ(found["spec"]["images"], 48);
  EXPECT_FALSE(found["spec"].contains("test_fraction"));
}

TEST_F(OwnImages, InIdxFilesAreLearnt) {
  testing::write_idx_pair(path("digits"), "train", testing::tiny_dataset(4, 12, 1));
  testing::write_idx_pair(path("digits"), "test", testing::tiny_dataset(4, 5, 2));
  const nlohmann::json found = result("digits", {"--classes-per-task", "2", "--policy", "gps"});
  EXPECT_EQ(found["spec"]["images"], 68);
  EXPECT_EQ(found["labels"], nlohmann::json::parse("[[0,1],[2,3]]"));
}

TEST_F(OwnImages, ThatCannotBeReadAreListedAndRefusedOrLeftOut) {
  write_weeks();
  write_file(path("photos/week1/cat/bad.png"), "x");
  for (int k = 0; k < 20; ++k) write_file(path(fmt::format("photos/week2/emu/x{}.jpg", k)), "x");
  const Outcome refused = gpscl(call("photos"));
  EXPECT_EQ(refused.exit_code, 1);
  const std::vector<std::string> lines = lines_of(refused.err);
  EXPECT_THAT(lines.at(0), StartsWith("photos/: chosen: "));
  EXPECT_THAT(lines.at(1), StartsWith("decoding "));
  EXPECT_THAT(refused.err,
              AllOf(HasSubstr("gpscl: photos/: 21 of 81 images cannot be read\n"
                              "  photos/week1/cat/bad.png: is neither JPEG, PNG, WebP nor GIF\n"),
                    HasSubstr("  … and 1 more\n"), HasSubstr("--skip-bad")));
  const Outcome skipped = gpscl(call("photos", {"--skip-bad", "--json"}));
  EXPECT_EQ(skipped.exit_code, 0);
  EXPECT_THAT(skipped.err, HasSubstr("gpscl: photos/: left out: 21 of 81 images cannot be read\n"));
  const auto found = nlohmann::json::parse(skipped.out)[0];
  EXPECT_EQ(found["skipped_images"], 21);
  EXPECT_EQ(found["spec"]["skip_bad"], true);
  const Outcome again = gpscl(call("photos", {"--skip-bad", "--resume"}));
  EXPECT_THAT(again.out, HasSubstr(" tasks, 60 images of ")) << "those that were used";
}

TEST_F(OwnImages, AreAnotherRunOnceTheyHaveChanged) {
  write_weeks();
  EXPECT_EQ(gpscl(call("photos")).exit_code, 0);
  EXPECT_THAT(gpscl(call("photos", {"--resume"})).err, HasSubstr("finished before"));
  testing::write_images(path("photos/week1/cat"), 0, 1, /*seed=*/9);
  EXPECT_THAT(gpscl(call("photos", {"--resume"})).err, Not(HasSubstr("finished before")));
}

TEST_F(OwnImages, GoOnAfterAnInterruption) {
  for (int week = 1; week <= 10; ++week)
    write_classes(path(fmt::format("photos/week{}", week)), {"a", "b"}, 15,
                  static_cast<std::uint64_t>(week));
  const auto arguments = [](const std::string& out) {
    return std::vector<std::string>{"run",   "photos", "--epochs", "5", "--json",
                                    "--out", out,      "--jobs",   "1"};
  };
  const Outcome whole = gpscl(arguments("whole"));
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  testing::ProgramOptions halting = options();
  const std::uint64_t points = testing::stop_points_of(arguments("counted"), halting);
  halting.halt = "stop@" + std::to_string(points / 2);
  EXPECT_EQ(testing::gpscl(arguments("out"), halting).exit_code, 130);
  std::vector<std::string> again = arguments("out");
  again.emplace_back("--resume");
  const Outcome resumed = gpscl(again);
  EXPECT_THAT(resumed.err, HasSubstr("continues in task "));
  EXPECT_EQ(nlohmann::json::parse(resumed.out)[0]["accuracy"],
            nlohmann::json::parse(whole.out)[0]["accuracy"]);
}

TEST_F(OwnImages, AreSweptOverAndTheirRunsCanBeRepeatedAndOutliveThem) {
  write_classes(path("photos"), {"a", "b", "c", "d"}, 12);
  write_file(path("sweep.toml"),
             "[defaults]\nbenchmark = \"photos\"\nclasses-per-task = 2\nepochs = 1\nhidden = 16\n"
             "[[grid]]\nmemory = [10, 20]\nimage-size = [\"4\", \"6\"]\n");
  const Outcome swept = gpscl({"sweep", "sweep.toml", "--out", "out"});
  EXPECT_EQ(swept.exit_code, 0) << swept.err;
  EXPECT_THAT(swept.out, HasSubstr("4 runs: 4 done, 0 failed"));
  const Outcome shown = gpscl({"runs", "show", "1", "--store", "out/runs.sqlite"});
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  const std::size_t at = shown.out.find("to repeat it: gpscl ");
  ASSERT_NE(at, std::string::npos) << shown.out;
  std::vector<std::string> words = split(lines_of(shown.out.substr(at + 20)).front(), ' ');
  words.insert(words.end(), {"--out", "out", "--resume"});
  EXPECT_THAT(gpscl(words).err, HasSubstr("finished before")) << join(words, " ");
  const std::string before = gpscl({"runs", "show", "1", "--store", "out/runs.sqlite"}).out;
  fs::remove_all(path("photos"));
  EXPECT_EQ(gpscl({"runs", "show", "1", "--store", "out/runs.sqlite"}).out, before);
}

TEST_F(OwnImages, MayBeLearntByAllRanksOfACluster) {
  if (!fs::exists(GPSCL_MPIRUN))
    GTEST_SKIP() << "not checked: own images under mpirun; to check: install libopenmpi-dev and "
                    "openmpi-bin, build again";
  write_weeks();
  write_file(path("photos/week1/cat/bad.png"), "x");
  const auto alone = result("photos", {"--policy", "gps", "--skip-bad"});
  ProgramOptions ranks = options();
  ranks.launcher = {GPSCL_MPIRUN, "--oversubscribe", "--bind-to", "none", "-n", "2"};
  ranks.environment = {"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"};
  const Outcome together = testing::gpscl(
      call("photos", {"--policy", "gps", "--jobs", "1", "--json", "--skip-bad"}, "ranks"), ranks);
  ASSERT_EQ(together.exit_code, 0) << together.err;
  EXPECT_THAT(together.err, HasSubstr("left out: 1 of 61 images"));
  EXPECT_EQ(nlohmann::json::parse(together.out)[0]["accuracy"], alone["accuracy"]);
}

TEST_F(OwnImages, ThatMakeNoStreamAreRefusedInOneLine) {
  EXPECT_THAT(refusal(call("photos/"), 2), HasSubstr("'photos/' does not exist"));
  EXPECT_THAT(refusal(call("photos"), 2),
              AllOf(HasSubstr("unknown benchmark 'photos'"),
                    HasSubstr("or the path of your own images: a folder, a manifest")));
  EXPECT_THAT(refusal(call("list.csv"), 2), HasSubstr("'list.csv' does not exist"));
  fs::create_directories(path("photos"));
  EXPECT_THAT(refusal(call("photos"), 1), HasSubstr("photos/: contains no images"));
  write_file(path("list.csv"), "path,label\na.png,x\na.png,y\n");
  EXPECT_THAT(refusal(call("list.csv"), 1), HasSubstr("list.csv:3: names a.png again"));
}

// Opening a pipe may wait for ever, and no signal but a second one would end that.
TEST_F(OwnImages, WhoseManifestIsAPipeAreRefused) {
  ASSERT_EQ(mkfifo(path("list.csv").c_str(), 0600), 0);
  EXPECT_THAT(refusal(call("list.csv"), 1),
              HasSubstr("list.csv: cannot be read: it is a pipe or a device; expected a file"));
}

TEST_F(OwnImages, HaveOptionsThatOthersDoNot) {
  for (const std::vector<std::string>& option :
       {std::vector<std::string>{"--classes-per-task", "2"},
        {"--image-size", "8"},
        {"--colour", "grey"},
        {"--test-fraction", "0.5"},
        {"--skip-bad"}}) {
    EXPECT_THAT(refusal(call("p-mnist", option), 2),
                HasSubstr(option.front() + " works only with your own images"));
  }
  for (const auto& [option, value, named] : {std::tuple("--image-size", "8x", "N or HxW"),
                                             {"--image-size", "0", "N or HxW"},
                                             {"--colour", "blue", "auto, grey, rgb"},
                                             {"--test-fraction", "0", "above 0 and below 1"},
                                             {"--test-fraction", "x", "must be a number"},
                                             {"--classes-per-task", "0", "at least 1"},
                                             {"--classes-per-task", "-2", "at least 1"}}) {
    write_weeks();
    EXPECT_THAT(refusal(call("photos", {option, value}), 2), HasSubstr(named));
  }
}

}  // namespace own_stream_test
}  // namespace gps
