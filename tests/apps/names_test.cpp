// Names of files, folders and classes may contain anything. A terminal shows them, and does not
// obey them.
#include <gmock/gmock.h>

#include <algorithm>

#include "apps/program.h"
#include "support/archive_file.h"
#include "support/own_images.h"
#include "support/temporary_folder.h"

namespace gps {
namespace names_test {

namespace fs = std::filesystem;

using ::testing::HasSubstr;
using testing::lines_of;
using ::testing::Not;
using testing::Outcome;

const std::string kClear = "cat\x1b[2J";         // clears a terminal
const std::string kTwoLines = "dog\ngpscl: ok";  // looks like a message
const std::string kWeek = "week\x1b]0;x\x07";    // sets a window's title
const std::string kPhotos = "photos\x1b(B";      // chooses another alphabet
constexpr const char* kClearShown = "cat\\x1b[2J";
constexpr const char* kTwoLinesShown = "dog\\ngpscl: ok";
constexpr const char* kWeekShown = "week\\x1b]0;x\\x07";

// Whether there is no control character but line ends in the text.
bool is_plain(const std::string& text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7F;
  });
}

class Names : public ::testing::Test {
 protected:
  fs::path path(const std::string& name) const { return folder_.path() / name; }

  // What is printed must not reach a terminal as it is.
  Outcome gpscl(const std::vector<std::string>& arguments) const {
    const Outcome outcome =
        testing::gpscl(arguments, {.folder = folder_.path(), .cache = folder_.path() / "cache"});
    EXPECT_TRUE(is_plain(outcome.out)) << outcome.out;
    EXPECT_TRUE(is_plain(outcome.err)) << outcome.err;
    EXPECT_THAT(outcome.out + outcome.err, Not(HasSubstr("\ngpscl: ok")));
    return outcome;
  }
  Outcome learn() const {
    testing::write_classes(path(kWeek), {kClear, kTwoLines}, 12);
    return gpscl({"learn", "state", kWeek, "--memory", "20", "--hidden", "16", "--epochs", "1"});
  }

 private:
  testing::TemporaryFolder folder_{testing::in_memory()};
};

TEST_F(Names, OfClassesAndTasksAreEscapedByLearn) {
  const Outcome outcome = learn();
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* shown : {kClearShown, kTwoLinesShown, kWeekShown})
    EXPECT_THAT(outcome.out, HasSubstr(shown));
  EXPECT_THAT(gpscl({"learn", "state", "--status"}).out, HasSubstr(kTwoLinesShown));
  EXPECT_THAT(gpscl({"learn", "state", "--history"}).out, HasSubstr(kWeekShown));
  EXPECT_THAT(gpscl({"learn", "state", "--evaluate", kWeek}).out, HasSubstr(kWeekShown));
}

TEST_F(Names, OfImagesAndLabelsAreEscapedByPredict) {
  ASSERT_EQ(learn().exit_code, 0);
  const fs::path image = fs::path(kWeek) / kClear / "1.png";
  const std::vector<std::string> lines =
      lines_of(gpscl({"predict", "state", image.string(), "--top", "2"}).out);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], HasSubstr(fmt::format("{}/{}/1.png  ", kWeekShown, kClearShown)));
  EXPECT_THAT(lines[0], HasSubstr(fmt::format("  {} ", kTwoLinesShown)));
  testing::write_file(path(kClear + ".png"), "x");
  testing::write_file(path("other/" + kTwoLines), "x");
  testing::write_file(path("other/1.png"), "x");
  EXPECT_THAT(gpscl({"predict", "state", kClear + ".png", "other"}).err,
              HasSubstr(fmt::format("gpscl: {}.png: ", kClearShown)));
}

TEST_F(Names, AreEscapedByRun) {
  for (const char* week : {"1", "2"})
    testing::write_classes(path(kPhotos) / (kWeek + week), {kClear, kTwoLines}, 12);
  const std::vector<std::string> call = {"run", kPhotos,    "--epochs", "1",        "--hidden",
                                         "16",  "--memory", "20",       "--picture"};
  const Outcome outcome = gpscl(call);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("\nphotos\\x1b(B/"));
  EXPECT_THAT(outcome.out, HasSubstr(kWeekShown));
  EXPECT_THAT(gpscl({"runs", "list"}).out, HasSubstr("photos\\x1b(B/"));
  EXPECT_THAT(gpscl({"runs", "show", "1"}).out, HasSubstr("gpscl run $'photos\\x1b(B/'"));
  EXPECT_THAT(gpscl({"runs", "compare"}).out, HasSubstr("photos\\x1b(B/"));
  testing::write_file(path(kPhotos) / (kWeek + "1") / kTwoLines / "x.png", "x");
  EXPECT_THAT(gpscl(call).err, HasSubstr(fmt::format("\n  photos\\x1b(B/{}1/{}/x.png: ", kWeekShown,
                                                     kTwoLinesShown)));
}

TEST_F(Names, AreEscapedInErrors) {
  for (const std::vector<std::string>& call : {std::vector<std::string>{kTwoLines},
                                               {"run", kTwoLines},
                                               {"run", "p-mnist", kTwoLines},
                                               {"learn", "state", kTwoLines},
                                               {"predict", kTwoLines, "x.png"},
                                               {"sweep", kTwoLines},
                                               {"runs", "list", "--store", kTwoLines},
                                               {"data", "get", kTwoLines}}) {
    const Outcome outcome = gpscl(call);
    EXPECT_NE(outcome.exit_code, 0) << join(call, " ");
    EXPECT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(kTwoLinesShown));
  }
}

TEST_F(Names, OfEntriesOfAnArchiveAreEscaped) {
  testing::write_archive(path("data/cifar-10-binary.tar.gz"), {{"../" + kClear, "x"}});
  const Outcome outcome = gpscl({"run", "s-cifar-10", "--data", "data", "--model", "mlp"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr(fmt::format("'../{}' is outside", kClearShown)));
}

TEST_F(Names, AreEscapedOnATerminalToo) {
  testing::write_classes(path(kWeek), {kClear, "dog"}, 12);
  testing::write_file(path(kWeek) / kClear / "x.png", "x");
  const Outcome outcome = testing::gpscl(
      {"learn", "state", kWeek, "--memory", "20", "--hidden", "16", "--epochs", "1", "--skip-bad"},
      {.folder = path(""), .err_is_terminal = true});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr(fmt::format("skipped {}/{}/x.png", kWeekShown, kClearShown)));
  EXPECT_THAT(outcome.err, Not(HasSubstr("\x1b[2J")));
}

TEST_F(Names, AreNoFormulasInCsvAndCanBeReadBack) {
  testing::write_classes(path("week"), {"=1+1", "@home"}, 12);
  ASSERT_EQ(gpscl({"learn", "state", "week", "--memory", "20", "--hidden", "16"}).exit_code, 0);
  fs::copy_file(path("week/@home/1.png"), path("=x.png"));
  const std::vector<std::string> lines =
      lines_of(gpscl({"predict", "state", "=x.png", "--format", "csv"}).out);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_THAT(lines[1], ::testing::StartsWith("./=x.png,'"));
  testing::write_file(path("list.csv"), "path,label,probability\n" + lines[1] + "\n");
  const Outcome outcome = gpscl({"learn", "state", "--evaluate", "list.csv"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("100.0 [21, 100]")) << "the label that was predicted";
}

TEST_F(Names, ThatAreNotUtf8AreRefusedByLearnAndRunAlike) {
  testing::write_classes(path("week"), {"caf\xE9", "dog"}, 12);
  const std::string line = "the name of the class 'caf\\xe9' is not in UTF-8; rename the folder\n";
  const Outcome learnt = gpscl({"learn", "state", "week"});
  EXPECT_EQ(learnt.exit_code, 1);
  EXPECT_EQ(learnt.err, "gpscl: week: " + line);
  EXPECT_FALSE(fs::exists(path("state")));
  const Outcome run = gpscl({"run", "week", "--classes-per-task", "1"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.err, "gpscl: week/: " + line);
}

TEST_F(Names, OfTasksAndStreamsThatAreNotUtf8AreRefused) {
  testing::write_classes(path("week\xE9"), {"cat", "dog"}, 12);
  const Outcome learnt = gpscl({"learn", "state", "week\xE9"});
  EXPECT_EQ(learnt.exit_code, 2);
  EXPECT_EQ(learnt.err,
            "gpscl: the name of the task 'week\\xe9' is not in UTF-8; give one with --name\n");
  EXPECT_FALSE(fs::exists(path("state")));
  const Outcome named = gpscl({"learn", "state", "week\xE9", "--name", "week1", "--memory", "20",
                               "--hidden", "16", "--epochs", "1"});
  EXPECT_EQ(named.exit_code, 0) << named.err;
  const Outcome run = gpscl({"run", "week\xE9", "--classes-per-task", "1"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("gpscl: the path 'week\\xe9/' is not in UTF-8"));
}

TEST_F(Names, InUtf8AreShownAsTheyAre) {
  testing::write_classes(path("Woche 1"), {"Bär", "猫"}, 12);
  const Outcome outcome =
      gpscl({"learn", "state", "Woche 1", "--memory", "20", "--hidden", "16", "--epochs", "1"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("new: Bär, 猫; 2 classes in all"));
}

}  // namespace names_test
}  // namespace gps
