// `gpscl learn`, `predict` and `export` as a user calls them.
#include <gmock/gmock.h>

#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>

#include "apps/program.h"
#include "apps/week_folders.h"
#include "gps/core/files/files.h"
#include "support/temporary_folder.h"

namespace gps {
namespace learn_test {

namespace fs = std::filesystem;
using testing::gpscl;
using ::testing::HasSubstr;
using testing::lines_of;
using ::testing::Not;
using testing::Outcome;
using testing::Program;
using ::testing::StartsWith;

// `gpscl learn` has the lock by then, and has learnt nothing yet.
constexpr const char* kPause = "pause@5";

class LearnProgram : public ::testing::Test {
 protected:
  LearnProgram() { testing::write_weeks(folder_.path()); }

  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

  Outcome call(std::vector<std::string> arguments, std::size_t file_size = 0) const {
    return gpscl(arguments, {.folder = folder_.path(), .file_size = file_size});
  }

  // Learns the first `weeks` weeks.
  void learn_weeks(int weeks, const std::vector<std::string>& options = {}) const {
    for (int k = 1; k <= weeks; ++k) {
      std::vector<std::string> arguments = {"learn", "state", fmt::format("week{}", k)};
      if (k == 1) {
        const std::vector<std::string> making = {"--memory", "40",   "--hidden", "16",
                                                 "--lr",     "0.05", "--epochs", "10"};
        arguments.insert(arguments.end(), making.begin(), making.end());
        arguments.insert(arguments.end(), options.begin(), options.end());
      }
      const Outcome outcome = call(arguments);
      ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    }
  }

  // 40 images for training and 40 for testing of two classes with the same images: nobody can tell
  // them apart.
  void write_guesses(const std::string& name) const {
    for (const auto& [part, seed] : {std::pair{"train", 5}, std::pair{"test", 6}}) {
      const fs::path folder = folder_.path() / name / part;
      testing::write_week(folder, 0, 1, 40, static_cast<std::uint64_t>(seed));
      fs::create_directories(folder / "class1");
      for (int row = 0; row < 20; ++row) {
        const std::string file = fmt::format("{:03}.png", row);
        fs::rename(folder / "class0" / file, folder / "class1" / file);
      }
    }
  }

  // What must end with one line on standard error, and leave the state as it was.
  void expect_refused(const std::vector<std::string>& arguments, int exit_code,
                      const std::vector<std::string>& named, std::size_t file_size = 0) const {
    SCOPED_TRACE(join(arguments, " "));
    const auto before = contents();
    const Outcome outcome = call(arguments, file_size);
    EXPECT_EQ(outcome.exit_code, exit_code) << outcome.out << outcome.err;
    std::vector<std::string> lines = lines_of(outcome.err);
    std::erase_if(lines, [](const std::string& line) {  // how far it came
      return line.starts_with("learning") || line.starts_with("decoding") ||
             line.starts_with("choosing") || line.starts_with("testing") ||
             line.starts_with("making a new state") || line.starts_with("gpscl: chosen: ");
    });
    EXPECT_EQ(lines.size(), 1u) << outcome.err;
    EXPECT_THAT(lines.back(), StartsWith("gpscl: "));
    for (const std::string& part : named) EXPECT_THAT(lines.back(), HasSubstr(part));
    EXPECT_EQ(contents(), before);
  }

  std::map<std::string, std::string> contents() const {
    std::map<std::string, std::string> found;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder_.path() / "state", ignored)) {
      // The candidate and the log are no part of the state.
      const std::string name = entry.path().filename();
      if (name != "lock" && name != "candidate.state" && name != "log.jsonl")
        found[entry.path().filename()] = read_file(entry.path());
    }
    return found;
  }

  testing::TemporaryFolder folder_{testing::in_memory()};
};

TEST_F(LearnProgram, TellsWhatItLearntWhatItForgotAndWhatItKeeps) {
  learn_weeks(1);
  const Outcome outcome = call({"learn", "state", "week2"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("new: class2, class3; 4 classes in all"));
  EXPECT_THAT(outcome.out, HasSubstr("task 1 week1"));
  EXPECT_THAT(outcome.out, HasSubstr("forgotten by this call: "));
  EXPECT_THAT(outcome.out, HasSubstr("memory: 40 images = 32 for replay + 8 for testing"));
  EXPECT_THAT(outcome.out, HasSubstr("state: version 2 in state"));
  const Outcome status = call({"learn", "state", "--status"});
  EXPECT_EQ(status.exit_code, 0) << status.err;
  EXPECT_THAT(status.out, HasSubstr("version 2"));
  EXPECT_THAT(status.out, HasSubstr("kept versions: 1, 2; --rollback goes back to 1"));
  EXPECT_THAT(status.out, HasSubstr("class0, class1, class2, class3"));
  EXPECT_THAT(status.out, ::testing::ContainsRegex("task 2 week2 +4 images +[0-9.]+ "));
  const Outcome history = call({"learn", "state", "--history"});
  EXPECT_EQ(lines_of(history.out).size(), 3u) << history.out;
  EXPECT_THAT(history.out, HasSubstr("2 week2"));
}

TEST_F(LearnProgram, GoesBackOneVersion) {
  learn_weeks(2);
  const Outcome back = call({"learn", "state", "--rollback"});
  EXPECT_EQ(back.exit_code, 0) << back.err;
  EXPECT_EQ(back.out, "state: went back to version 1; version 2 is removed\n");
  EXPECT_THAT(call({"learn", "state", "--status"}).out, HasSubstr("1 task learnt"));
  expect_refused({"learn", "state", "--rollback"}, 2, {"version 1 is the only one", "--keep"});
}

TEST_F(LearnProgram, ReportsAsJson) {
  learn_weeks(1);
  const Outcome outcome = call({"learn", "state", "week2", "--json"});
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json.at("version"), 2);
  EXPECT_EQ(json.at("committed"), true);
  EXPECT_FALSE(json.contains("problems"));
  EXPECT_EQ(json.at("memory").at("replay"), 32);
  EXPECT_EQ(json.at("scores").size(), 2u);
  EXPECT_EQ(json.at("new_classes").size(), 2u);
}

TEST_F(LearnProgram, DocumentsTheJsonOfALearningCall) {
  learn_weeks(1);
  const std::string text = read_file(fs::path(GPSCL_SOURCE_DIR) / "docs/learn.md");
  const std::size_t first = text.find("\n- A call that learns: ");
  ASSERT_NE(first, std::string::npos);
  const std::string documented = text.substr(first, text.find("\n- ", first + 1) - first);
  const auto json = nlohmann::json::parse(call({"learn", "state", "week2", "--json"}).out);
  std::vector<const nlohmann::json*> objects = {&json, &json.at("scores").at(0),
                                                &json.at("scores").at(0).at("now"),
                                                &json.at("memory"), &json.at("decision")};
  for (const nlohmann::json* object : objects) {
    for (const auto& [key, value] : object->items()) {
      EXPECT_THAT(documented, HasSubstr("`" + key + "`"));
    }
  }
}

TEST_F(LearnProgram, ShowsStatusAndHistoryAsJson) {
  learn_weeks(2);
  const auto status = nlohmann::json::parse(call({"learn", "state", "--status", "--json"}).out);
  EXPECT_EQ(status.at("state"), "state");
  EXPECT_EQ(status.at("version"), 2);
  EXPECT_EQ(status.at("earlier_versions"), std::vector<int>{1});
  EXPECT_EQ(status.at("tasks"), 2);
  EXPECT_EQ(status.at("classes"),
            (std::vector<std::string>{"class0", "class1", "class2", "class3"}));
  EXPECT_EQ(status.at("memory").at("replay"), 32);
  EXPECT_TRUE(status.at("memory").at("tasks").at(0).at("replay").contains("class0")) << status;
  const auto history = nlohmann::json::parse(call({"learn", "state", "--history", "--json"}).out);
  ASSERT_EQ(history.size(), 2u);
  EXPECT_EQ(history[1].at("name"), "week2");
  EXPECT_EQ(history[1].at("new_classes"), 2);
  EXPECT_EQ(history[1].at("classes"), (std::vector<std::string>{"class2", "class3"}));
}

TEST_F(LearnProgram, EvaluatesOnLabelledImagesWithoutAChange) {
  learn_weeks(3);
  const auto before = contents();
  for (int k = 1; k <= 3; ++k)
    testing::write_week(folder_.path() / "test" / fmt::format("week{}", k), 2 * k - 2, 2 * k, 10,
                        77);
  const Outcome outcome = call({"learn", "state", "--evaluate", "test", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  ASSERT_EQ(json.size(), 3u);
  for (const auto& task : json) EXPECT_GT(task.at("accuracy"), 0.8) << json;
  EXPECT_EQ(json[1].at("classes"), (std::vector<std::string>{"class2", "class3"}));
  EXPECT_EQ(contents(), before);
}

TEST_F(LearnProgram, EvaluatesClassesThatItHasNotLearntApart) {
  learn_weeks(1);
  testing::write_week(folder_.path() / "test", 0, 3, 10, 77);
  const Outcome text = call({"learn", "state", "--evaluate", "test"});
  ASSERT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, ::testing::ContainsRegex("test +20 "));
  EXPECT_THAT(text.out, ::testing::ContainsRegex("class1 +10 "));
  EXPECT_THAT(text.out, ::testing::ContainsRegex("not counted: 10 images of class 'class2', which "
                                                 "is not learnt; answered as 'class[01]' [0-9]+"));
  const auto json =
      nlohmann::json::parse(call({"learn", "state", "--evaluate", "test", "--json"}).out);
  ASSERT_EQ(json.size(), 1u);
  EXPECT_EQ(json[0].at("images"), 20);
  EXPECT_GT(json[0].at("accuracy"), 0.8);
  EXPECT_EQ(json[0].at("classes"), (std::vector<std::string>{"class0", "class1"}));
  EXPECT_EQ(json[0].at("per_class").size(), 2u);
  EXPECT_EQ(json[0].at("per_class")[0].at("images"), 10);
  EXPECT_TRUE(json[0].at("confusion").contains("class1"));
  std::size_t unknown = 0;
  for (const auto& [answer, count] : json[0].at("unknown").at("class2").items())
    unknown += count.get<std::size_t>();
  EXPECT_EQ(unknown, 10u);
}

TEST_F(LearnProgram, RefusesWhatCannotBeInOneLineAndLosesNothing) {
  testing::write_file(folder_.path() / "bad" / "class0" / "a.png", "no image");
  testing::write_week(folder_.path() / "typo", 0, 1);
  fs::rename(folder_.path() / "typo" / "class0", folder_.path() / "typo" / "clas0");
  fs::create_directories(folder_.path() / "empty");
  fs::create_directories(folder_.path() / "tasks");
  fs::rename(folder_.path() / "week3", folder_.path() / "tasks" / "a");
  testing::write_week(folder_.path() / "tasks" / "b", 0, 2);
  expect_refused({"learn", "state", "week1", "--learner", "oewc"}, 2, {"oewc", "er, der, der++"});
  expect_refused({"learn", "state", "week1", "--memory", "0"}, 2, {"--memory 0", "sgd"});
  expect_refused({"learn", "state", "week1", "--width", "0"}, 2, {"--width must be between 1"});
  expect_refused({"learn", "state", "week1", "--alpha", "0.3"}, 2,
                 {"--alpha works only with learner der and der++", "--learner is er"});
  expect_refused({"learn", "week2", "week1"}, 2, {"week2", "contains class", "no state"});
  expect_refused({"learn", "state", "--status"}, 2, {"state", "contains no state"});
  expect_refused({"predict", "state", "week1"}, 2, {"contains no state"});
  expect_refused({"learn", "state"}, 2, {"NEW_DATA"});
  expect_refused({"learn"}, 2, {"no STATE given"});
  learn_weeks(1);
  expect_refused({"learn", "state", "nowhere"}, 2, {"nowhere"});
  expect_refused({"learn", "state", "empty"}, 1, {"empty"});
  expect_refused({"learn", "state", "tasks"}, 1, {"2 tasks (a, b), but", "learn state tasks/a"});
  testing::write_file(folder_.path() / "e.csv", "path,lable\nphoto.png,a\n");
  expect_refused({"learn", "state", "e.csv"}, 1, {"e.csv: no column 'label'; got 'path', 'lable'"});
  testing::write_file(folder_.path() / "ok.txt", "x");
  expect_refused({"learn", "state", "ok.txt"}, 1,
                 {"ok.txt: is neither a folder nor a manifest (.csv)"});
  testing::write_file(folder_.path() / "photo.png", "x");
  expect_refused({"predict", "photo.png", "state"}, 2, {"the state comes first"});
  expect_refused({"learn", "state", "bad"}, 1,
                 {"a.png", "neither JPEG, PNG, WebP nor GIF", "--skip-bad"});
  expect_refused({"learn", "state", "typo", "--no-new-classes"}, 2,
                 {"'clas0'", "not known", "'class0'"});
  expect_refused({"learn", "state", "--evaluate", "typo"}, 2, {"'clas0'", "not known"});
  expect_refused({"learn", "state", "week2", "--memory", "0"}, 2, {"--memory 0", "sgd"});
  expect_refused({"learn", "state", "week2", "--learner", "hal"}, 2, {"'hal'"});
  expect_refused({"learn", "state", "week2", "--policy", "hybrid"}, 2, {"'hybrid'"});
  expect_refused({"learn", "state", "week2", "--seed", "3"}, 2, {"--seed is 0", "new state"});
  expect_refused({"learn", "state", "week2", "--image-size", "9"}, 2, {"--image-size is 8x8"});
  expect_refused({"learn", "state", "week2", "--lr", "1e30"}, 1,
                 {"no longer a finite number in task 2", "try a smaller learning rate"});
  expect_refused({"learn", "state", "week2", "--lr", "0"}, 2, {"--lr must be a positive number"});
  expect_refused({"learn", "state", "week2", "--width", "0"}, 2, {"--width must be between 1"});
  expect_refused({"learn", "state", "week2", "--width", "64"}, 2,
                 {"--width works only with model convnet and resnet18", "--model is mlp"});
  expect_refused({"learn", "state", "week2", "--colour", "rgb"}, 2, {"--colour is grey"});
  expect_refused({"learn", "state", "week2", "--colour", "blue"}, 2,
                 {"--colour must be one of auto, grey, rgb"});
  expect_refused({"learn", "state", "week2", "--jobs", "0"}, 2, {"--jobs must be between 1"});
  expect_refused({"learn", "state", "--evaluate", ""}, 2, {"give exactly one of NEW_DATA"});
}

TEST_F(LearnProgram, DoesNotKeepAVersionThatIsNoBetterThanGuessing) {
  write_guesses("guesses");
  const std::vector<std::string> call_it = {"learn", "state", "guesses", "--lr", "1e-30"};
  std::vector<std::string> first = call_it;
  first.insert(first.end(), {"--memory", "40", "--policy", "reservoir"});
  expect_refused(
      first, 3,
      {"40 test images of the new task", "no state was made",
       "try --lr 0.03, more labelled images, or another --model; kept aside: gpscl learn "
       "state --accept keeps it anyway"});
  EXPECT_TRUE(contents().empty());
  learn_weeks(1, {"--policy", "reservoir"});
  expect_refused(
      call_it, 3,
      {"40 test images of the new task", "the state is unchanged at version 1",
       "try --lr 0.03, more labelled images, or another --model in a new state; kept aside"});

  std::vector<std::string> as_json = call_it;
  as_json.emplace_back("--json");
  const Outcome refused = call(as_json);
  EXPECT_EQ(refused.exit_code, 3);
  const auto json = nlohmann::json::parse(refused.out);
  EXPECT_EQ(json.at("committed"), false);
  EXPECT_FALSE(json.contains("version"));
  EXPECT_FALSE(json.at("problems").empty());

  as_json.emplace_back("--accept");
  const Outcome accepted = call(as_json);
  EXPECT_EQ(accepted.exit_code, 0) << accepted.err;
  EXPECT_THAT(accepted.err, HasSubstr("warning: "));
  EXPECT_THAT(accepted.err, HasSubstr("kept because of --accept"));
  EXPECT_EQ(nlohmann::json::parse(accepted.out).at("committed"), true);
  EXPECT_EQ(nlohmann::json::parse(accepted.out).at("version"), 2);
}

TEST_F(LearnProgram, MayChangeHowLongAndHowFastItLearns) {
  learn_weeks(1);
  EXPECT_EQ(call({"learn", "state", "week2", "--epochs", "3", "--lr", "0.02", "--memory", "40"})
                .exit_code,
            0);
  EXPECT_THAT(call({"learn", "state", "--status"}).out, HasSubstr("3 epochs"));
}

TEST_F(LearnProgram, TakesTheOptionsOfLearnersAndPolicies) {
  const std::vector<std::string> options = {"--learner", "der++", "--alpha",        "0.2",
                                            "--beta",    "0.5",   "--policy",       "mixed",
                                            "--ring",    "0.3",   "--memory-batch", "5"};
  learn_weeks(1, options);
  std::vector<std::string> again = {"learn", "state", "week2"};
  again.insert(again.end(), options.begin(), options.end());
  const Outcome outcome = call(again);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(
      call({"learn", "state", "week3", "--memory-batch", "7", "--alpha", "0.3", "--ring", "0.4"})
          .exit_code,
      0);
}

TEST_F(LearnProgram, ChangesMemoryPolicyAndLearnerWithNewDataOrWithout) {
  learn_weeks(1);
  const Outcome with = call({"learn", "state", "week2", "--memory", "30", "--learner", "der++"});
  ASSERT_EQ(with.exit_code, 0) << with.err;
  EXPECT_THAT(with.err, HasSubstr("learner: der++ instead of er; the network stays as it is"));
  EXPECT_THAT(with.err, HasSubstr("memory: 30 images instead of 40 images; "));
  EXPECT_THAT(with.out, HasSubstr("limits: 24 + 6"));
  const Outcome without = call({"learn", "state", "--memory", "20", "--policy", "reservoir"});
  ASSERT_EQ(without.exit_code, 0) << without.err;
  EXPECT_THAT(without.out, HasSubstr("policy: reservoir instead of gps:permutation"));
  EXPECT_THAT(without.out, HasSubstr("memory: 20 images = 16 for replay + 4 for testing"));
  EXPECT_THAT(without.out, HasSubstr("state: version 3 in state"));
  expect_refused({"learn", "state", "--memory", "20"}, 2, {"has these options already"});
  expect_refused({"learn", "state", "--memory", "30", "--again"}, 2,
                 {"--again has no effect without NEW_DATA"});
  const auto json =
      nlohmann::json::parse(call({"learn", "state", "--learner", "er", "--json"}).out);
  EXPECT_EQ(json.at("version"), 4);
  EXPECT_EQ(json.at("changes").size(), 1u);
  EXPECT_EQ(call({"learn", "state", "--rollback"}).exit_code, 0);
  const auto status = nlohmann::json::parse(call({"learn", "state", "--status", "--json"}).out);
  EXPECT_EQ(status.at("learner"), "der++");
  EXPECT_EQ(status.at("policy"), "reservoir");
  EXPECT_EQ(call({"learn", "state", "week3"}).exit_code, 0);
}

TEST_F(LearnProgram, RenamesAClass) {
  learn_weeks(1);
  const Outcome outcome = call({"learn", "state", "--rename", "class1=a=b"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "class 'class1' is now called 'a=b'\nstate: version 2 in state\n");
  expect_refused({"learn", "state", "--rename", "class1=x"}, 2, {"unknown class 'class1'"});
  expect_refused({"learn", "state", "--rename", "class0=a=b"}, 2, {"already a class 'a=b'"});
  expect_refused({"learn", "state", "--rename", "class0"}, 2, {"--rename must be OLD=NEW"});
  expect_refused({"learn", "new", "--rename", "a=b"}, 2, {"contains no state"});
  const Outcome alike = call({"learn", "state", "--rename", "a=b=Class0", "--json"});
  EXPECT_THAT(alike.err, HasSubstr("'Class0'"));
  EXPECT_EQ(nlohmann::json::parse(alike.out), (nlohmann::json{{"renamed", "a=b"},
                                                              {"name", "Class0"},
                                                              {"classes", {"class0", "Class0"}},
                                                              {"version", 3}}));
}

TEST_F(LearnProgram, RemovesAClassFromAllVersions) {
  learn_weeks(2);
  const Outcome outcome = call({"learn", "state", "--remove-class", "class1"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("class 'class1' is removed, with "));
  EXPECT_THAT(outcome.out, HasSubstr("; also from version 2\n"));
  EXPECT_EQ(call({"learn", "state", "--rollback"}).exit_code, 0);
  const auto status = nlohmann::json::parse(call({"learn", "state", "--status", "--json"}).out);
  EXPECT_EQ(status.at("classes"), (nlohmann::json{"class0", "class2", "class3"}));
  expect_refused({"learn", "state", "--remove-class", "class1"}, 2, {"unknown class 'class1'"});
  const auto json =
      nlohmann::json::parse(call({"learn", "state", "--remove-class", "class2", "--json"}).out);
  EXPECT_EQ(json.at("removed_class"), "class2");
  EXPECT_EQ(json.at("classes"), (nlohmann::json{"class0", "class3"}));
  EXPECT_EQ(call({"learn", "state", "week3"}).exit_code, 0);
  const Outcome answers = call({"predict", "state", "week2", "--format", "csv"});
  EXPECT_EQ(answers.exit_code, 0);
  EXPECT_THAT(answers.out, Not(HasSubstr("class2,")));
}

TEST_F(LearnProgram, SkipsBadImagesIfTold) {
  learn_weeks(1);
  testing::write_file(folder_.path() / "week2" / "class2" / "a.png", "no image");
  testing::write_file(folder_.path() / "week2" / "class3" / "b.png", "no image");
  const Outcome outcome = call({"learn", "state", "week2", "--skip-bad"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("skipped week2/class3/b.png"));
  EXPECT_THAT(outcome.err, HasSubstr("skipped week2/class2/a.png"));
}

TEST_F(LearnProgram, NamesEveryImageThatCannotBeRead) {
  learn_weeks(1);
  for (int k = 0; k < 22; ++k)
    testing::write_file(folder_.path() / "week2" / "class2" / fmt::format("x{:02}.png", k), "x");
  const Outcome refused = call({"learn", "state", "week2"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("gpscl: week2: 22 of 62 images cannot be read\n"
                                     "  week2/class2/x00.png: is neither JPEG"));
  EXPECT_THAT(refused.err, HasSubstr("  week2/class2/x19.png: "));
  EXPECT_THAT(refused.err, HasSubstr("  … and 2 more\n"));
  EXPECT_THAT(refused.err, HasSubstr("leave them out with --skip-bad"));
  fs::create_directories(folder_.path() / "all");
  fs::rename(folder_.path() / "week1", folder_.path() / "all" / "week1");
  testing::write_week(folder_.path() / "all" / "week2", 0, 1);
  testing::write_file(folder_.path() / "all" / "week1" / "class0" / "bad.png", "x");
  testing::write_file(folder_.path() / "all" / "week2" / "class0" / "bad.png", "x");
  const Outcome evaluated = call({"learn", "state", "--evaluate", "all"});
  EXPECT_EQ(evaluated.exit_code, 1);
  EXPECT_THAT(evaluated.err, HasSubstr("  all/week1/class0/bad.png: "));
  EXPECT_THAT(evaluated.err, HasSubstr("  all/week2/class0/bad.png: "));
}

TEST_F(LearnProgram, SaysWhatIsProbablyAMistake) {
  learn_weeks(1);
  testing::write_week(folder_.path() / "extra", 0, 1, 1, 99);
  fs::rename(folder_.path() / "extra" / "class0", folder_.path() / "week2" / "Class0");
  const fs::path one = fs::directory_iterator(folder_.path() / "week2" / "class2")->path();
  fs::copy_file(one, folder_.path() / "week2" / "class3" / "copy.png");
  const Outcome outcome = call({"learn", "state", "week2"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("gpscl: week2: different classes have names that differ only "
                                     "in letter case or blanks: 'class0', 'Class0'"));
  EXPECT_THAT(outcome.err,
              HasSubstr("gpscl: week2: 1 image appears under more than one label, for example "));
  EXPECT_THAT(outcome.err, HasSubstr("gpscl: week2: class 'Class0' has one image, which is used "
                                     "for training and not for testing"));
  EXPECT_LT(outcome.err.find("for training and not for testing"), outcome.err.find("\nlearning\n"))
      << "before training: " << outcome.err;
}

TEST_F(LearnProgram, RefusesWhatItLearntInAnyEarlierCallUnlessToldTo) {
  learn_weeks(2);
  expect_refused({"learn", "state", "week2"}, 2, {"week2", "task 2 week2", "--again"});
  expect_refused({"learn", "state", "week1"}, 2, {"week1", "task 1 week1", "--again"});
  const Outcome again = call({"learn", "state", "week1", "--again"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("left out of training: "));
  EXPECT_THAT(again.out, HasSubstr("trained on before: 32 of the "));
}

TEST_F(LearnProgram, RefusesOptionsThatMeanNothing) {
  learn_weeks(2);
  expect_refused({"learn", "state", "--status", "--memory", "9"}, 2, {"--memory", "--status"});
  expect_refused({"learn", "state", "--rollback", "--jobs", "1"}, 2, {"--jobs", "--rollback"});
  expect_refused({"learn", "state", "--rollback", "--skip-bad"}, 2, {"--skip-bad", "--rollback"});
  expect_refused({"learn", "state", "--evaluate", "week1", "--name", "x"}, 2,
                 {"--name", "--evaluate"});
  expect_refused({"learn", "new", "week1", "--memory-mb", "0.00001"}, 2,
                 {"--memory-mb 1e-05 is less than one image", "64 bytes"});
  expect_refused({"learn", "new", "week1", "--memory-mb", "1", "--learner", "der++"}, 2,
                 {"--memory-mb", "'der++'", "four bytes for each class"});
}

TEST_F(LearnProgram, CallsATaskAfterItsWholeFolder) {
  fs::rename(folder_.path() / "week1", folder_.path() / "2026.11");
  EXPECT_THAT(call({"learn", "state", "2026.11/", "--memory", "40"}).out,
              StartsWith("task 1 2026.11: "));
}

TEST_F(LearnProgram, NamesWhatItDoesNotPredict) {
  learn_weeks(1);
  testing::write_file(folder_.path() / "week1" / "class0" / "b.gif", "GIF89a");
  testing::write_file(folder_.path() / "week1" / "class0" / "notes.txt", "x");
  testing::write_file(folder_.path() / "week1" / "class0" / "._a.png", "hidden");
  testing::write_file(folder_.path() / "week1" / ".thumbs" / "a.png", "hidden");
  const Outcome outcome = call({"predict", "state", "week1"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(lines_of(outcome.out).size(), 40u);
  EXPECT_THAT(outcome.err, HasSubstr("b.gif: is not an intact GIF image (the file ends early)"));
  EXPECT_THAT(outcome.err,
              HasSubstr("notes.txt: skipped, because its name has no image extension"));
  EXPECT_THAT(outcome.err, Not(HasSubstr("a.png")));
  const Outcome empty = gpscl({"predict", "state", "-"}, {.folder = folder_.path(), .prepare = [] {
                                                            return dup2(open("/dev/null", O_RDONLY),
                                                                        STDIN_FILENO) >= 0;
                                                          }});
  EXPECT_EQ(empty.exit_code, 1);
  EXPECT_THAT(empty.err, HasSubstr("standard input is empty"));
}

TEST_F(LearnProgram, OnAFullDiskLeavesTheOldState) {
  // No file may have more than 3000 bytes: what a full disk is to a state of 8000.
  expect_refused({"learn", "state", "week1", "--memory", "40"}, 1,
                 {"cannot be written", "there is no state yet"}, 3000);
  learn_weeks(1);
  expect_refused({"learn", "state", "week2"}, 1, {"cannot be written", "unchanged at version 1"},
                 3000);
  EXPECT_EQ(call({"learn", "state", "week2"}).exit_code, 0);
}

TEST_F(LearnProgram, NamesDamageAndGoesBack) {
  learn_weeks(2);
  const fs::path newest = folder_.path() / "state" / "000002.state";
  std::string bytes = read_file(newest);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 4);
  std::ofstream(newest, std::ios::binary) << bytes;
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"learn", "state", "week3"},
                                             {"learn", "state", "--status"},
                                             {"predict", "state", "week1"}})
    expect_refused(arguments, 1, {"000002.state", "checksum", "--rollback returns to version 1"});
  EXPECT_EQ(call({"learn", "state", "--rollback"}).exit_code, 0);
  EXPECT_EQ(call({"learn", "state", "week2"}).exit_code, 0);
}

TEST_F(LearnProgram, TwoCallsAtOnceWaitForEachOtherOrRefuse) {
  learn_weeks(1);
  Program first({"learn", "state", "week2", "--epochs", "2", "--jobs", "1"},
                {.folder = folder_.path(), .halt = kPause});
  ASSERT_TRUE(first.wait_until_paused());
  expect_refused({"learn", "state", "week3", "--no-wait"}, 1,
                 {"another gpscl learn is changing this state"});
  EXPECT_EQ(call({"predict", "state", "week1"}).exit_code, 0) << "reading needs no lock";
  Program second({"learn", "state", "week3", "--epochs", "2"}, {.folder = folder_.path()});
  ASSERT_TRUE(second.wait_for("waiting for another gpscl learn", 1));
  first.continue_with();
  EXPECT_EQ(first.finish().exit_code, 0);
  EXPECT_EQ(second.finish().exit_code, 0);
  EXPECT_THAT(call({"learn", "state", "--status"}).out, HasSubstr("3 tasks learnt"));
}

TEST_F(LearnProgram, InterruptedLeavesTheOldState) {
  learn_weeks(1);
  const auto before = contents();
  for (const auto& [number, code] : {std::pair{SIGINT, 130}, std::pair{SIGTERM, 143}}) {
    Program program({"learn", "state", "week2", "--jobs", "1"},
                    {.folder = folder_.path(), .halt = kPause});
    ASSERT_TRUE(program.wait_until_paused());
    program.continue_with(number);
    const Outcome outcome = program.finish();
    EXPECT_EQ(outcome.exit_code, code);
    EXPECT_THAT(outcome.err, HasSubstr("interrupted; state is unchanged at version 1"));
    EXPECT_EQ(contents(), before);
  }
}

TEST_F(LearnProgram, PredictsInTheOrderOfItsInput) {
  learn_weeks(3);
  const std::string one =
      fs::directory_iterator(folder_.path() / "week1" / "class0")->path().string();
  const Outcome text = call({"predict", "state", "week3/class5", one});
  ASSERT_EQ(text.exit_code, 0) << text.err;
  const auto lines = lines_of(text.out);
  ASSERT_EQ(lines.size(), 21u);
  EXPECT_THAT(lines.front(), StartsWith("week3/class5/"));
  EXPECT_THAT(lines.back(), StartsWith(one + "  class"));
  std::size_t right = 0;
  for (std::size_t k = 0; k < 20; ++k) right += lines[k].find("  class5 ") != std::string::npos;
  EXPECT_GE(right, 16u) << text.out;

  const Outcome csv = call({"predict", "state", "week1", "--format", "csv", "--top", "2"});
  EXPECT_EQ(lines_of(csv.out).front(), "image,label,probability,label_2,probability_2");
  EXPECT_EQ(lines_of(csv.out).size(), 41u);
  const Outcome json = call({"predict", "state", "week1", "--format", "json", "--top", "9"});
  const auto all = nlohmann::json::parse(json.out);
  ASSERT_EQ(all.size(), 40u);
  EXPECT_EQ(all[0].at("guesses").size(), 6u) << "there are no more classes";
  for (const char* jobs : {"1", "2"})
    EXPECT_EQ(
        call({"predict", "state", "week1", "--format", "json", "--top", "9", "--jobs", jobs}).out,
        json.out);
}

TEST_F(LearnProgram, PredictsTheOthersWhereSomeCannotBeRead) {
  learn_weeks(1);
  testing::write_file(folder_.path() / "bad.png", "no image");
  const std::string one =
      fs::directory_iterator(folder_.path() / "week1" / "class0")->path().string();
  std::vector<std::string> arguments = {"predict", "state", one, "bad.png", "none.png", one};
  const Outcome outcome = call(arguments);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(lines_of(outcome.out).size(), 2u);
  EXPECT_THAT(outcome.err, HasSubstr("gpscl: bad.png: is neither JPEG, PNG, WebP nor GIF"));
  EXPECT_THAT(outcome.err, HasSubstr("gpscl: none.png: "));
  arguments.insert(arguments.end(), {"--format", "json"});
  const auto json = nlohmann::json::parse(call(arguments).out);
  ASSERT_EQ(json.size(), 4u);
  EXPECT_TRUE(json[1].contains("error"));
  EXPECT_TRUE(json[3].contains("guesses"));
}

TEST_F(LearnProgram, PredictionsThatStandardOutputHasNoRoomForAreAnError) {
  if (!fs::exists("/dev/full"))
    GTEST_SKIP()
        << "not checked: predictions to a full standard output; to check: a system with /dev/full";
  learn_weeks(1);
  std::vector<std::string> arguments = {"predict", "state", "--format", "csv"};
  for (int k = 0; k < 150; ++k) arguments.emplace_back("week1");  // more than a buffer
  const Outcome outcome = gpscl(arguments, {.folder = folder_.path(), .out = "/dev/full"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("standard output cannot be written to"));
}

TEST_F(LearnProgram, PredictsWhatStandardInputNamesOrIs) {
  learn_weeks(1);
  fs::path image;
  for (const auto& entry : fs::directory_iterator(folder_.path() / "week1" / "class0"))
    image = entry.path();
  const auto with_input = [&](const fs::path& input) {
    return gpscl({"predict", "state", "-"}, {.folder = folder_.path(), .prepare = [input] {
                                               const int file = open(input.c_str(), O_RDONLY);
                                               return dup2(file, STDIN_FILENO) >= 0;
                                             }});
  };
  const Outcome one = with_input(image);
  EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_THAT(one.out, StartsWith("-  class"));
  testing::write_file(folder_.path() / "list", image.string() + "\n" + image.string() + "\n");
  const Outcome two = with_input(folder_.path() / "list");
  EXPECT_EQ(two.exit_code, 0) << two.err;
  EXPECT_EQ(lines_of(two.out).size(), 2u);
  EXPECT_EQ(lines_of(two.out).front().substr(image.string().size()),
            lines_of(one.out)[0].substr(1));
  testing::write_file(folder_.path() / "windows",
                      image.string() + "\r\n" + image.string() + "\r\n");
  EXPECT_EQ(with_input(folder_.path() / "windows").out, two.out);
}

TEST_F(LearnProgram, NamesTheFileThatItCannotExport) {
  learn_weeks(1);
  expect_refused({"export", "state", "--format", "safetensors", "-o", "nowhere/x.safetensors"}, 1,
                 {"nowhere/x.safetensors: cannot be written"});
}

TEST_F(LearnProgram, ExportsSafetensorsWithTheNamesOfTheClasses) {
  learn_weeks(2);
  const Outcome outcome =
      call({"export", "state", "--format", "safetensors", "-o", "x.safetensors"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(read_file(folder_.path() / "x.safetensors.json"));
  EXPECT_EQ(json.at("classes"), (std::vector<std::string>{"class0", "class1", "class2", "class3"}));
  EXPECT_THAT(read_file(folder_.path() / "x.safetensors"), HasSubstr("gpscl_state"));
  expect_refused({"export", "state"}, 2, {"--format", "torchscript, safetensors"});
  expect_refused({"export", "state", "--format", "safetensors", "-o", "none/x"}, 1,
                 {"none/x", "No such file or directory"});
  expect_refused({"export", "state", "--format", "onnx"}, 2,
                 {"--format must be one of torchscript, safetensors, got 'onnx'"});
}

TEST_F(LearnProgram, CountsItsMemoryInBytes) {
  // 64 pixels take 8 bytes, and 8 bytes for the rest; four test images take 4 * 72 of the 1,440.
  const Outcome outcome =
      call({"learn", "state", "week1", "--memory", "1440B", "--codec", "bits:1"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("memory 1440B (76 images as bits:1)"));
  EXPECT_THAT(outcome.out, HasSubstr("MB of 1440B; limits: 72 + 4)"));
  const Outcome status = call({"learn", "state", "--status"});
  EXPECT_THAT(status.out, HasSubstr("stored as bits:1, in 8 bytes each"));
  EXPECT_THAT(status.out, HasSubstr("MB of 1440B; limits: 72 + 4)"));
  const auto json = nlohmann::json::parse(call({"learn", "state", "--status", "--json"}).out);
  EXPECT_EQ(json.at("codec"), "bits:1");
  EXPECT_EQ(json.at("memory").at("budget_bytes"), 1440);
  EXPECT_FALSE(json.at("memory").contains("budget"));
  EXPECT_EQ(call({"learn", "state", "week2"}).exit_code, 0);
  expect_refused({"learn", "state", "week1", "--memory-mb", "0.00144"}, 2,
                 {"--memory-mb", "--codec bits:1"});
  expect_refused({"learn", "new", "week1", "--memory", "71B"}, 2, {"--memory", "72B", "64 bytes"});
  expect_refused({"learn", "new", "week1", "--codec", "down:3"}, 2, {"--codec", "8 x 8"});
  expect_refused({"learn", "new", "week1", "--memory-mb", "1", "--codec", "bits:1"}, 2,
                 {"--memory-mb", "--codec"});
}

TEST_F(LearnProgram, MemoryInMegabytesIsWhatFits) {
  const Outcome outcome = call({"learn", "state", "week1", "--memory-mb", "0.00128"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("memory: 20 images = 16 for replay + 4 for testing"));
}

}  // namespace learn_test
}  // namespace gps
