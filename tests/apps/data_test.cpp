// Data that is missing or damaged: exit code 1 and one line that says where.
#include <gmock/gmock.h>

#include "apps/program.h"
#include "apps/tiny_program_run.h"
#include "support/archive_file.h"
#include "support/tiny_sets.h"

namespace gps {
namespace data_test {

using ::testing::AllOf;
using testing::gpscl;
using ::testing::HasSubstr;
using testing::lines_of;
using ::testing::MatchesRegex;
using ::testing::Not;
using testing::Outcome;

class Data : public testing::TinyProgramRun {
 protected:
  // Runs and expects a failure of the data; returns the message.
  static std::string message_of(const std::vector<std::string>& arguments,
                                const testing::ProgramOptions& options = {}) {
    const Outcome outcome = gpscl(arguments, options);
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
    return outcome.err;
  }
};

TEST_F(Data, ThatIsMissingNamesEveryPlaceLookedIn) {
  if (std::filesystem::exists("/usr/share/datasets/mnist"))
    GTEST_SKIP() << "not checked: what is said of missing data; to check: a machine without "
                    "/usr/share/datasets/mnist";
  std::filesystem::create_directory(path("empty"));
  const std::string message = message_of(
      {"run", "p-mnist", "--data", path("empty").string(), "--out", path("out").string()},
      {.data = path("elsewhere")});
  EXPECT_THAT(message, HasSubstr("'mnist'"));
  EXPECT_THAT(message, HasSubstr(path("empty/mnist").string()));
  EXPECT_THAT(message, HasSubstr(path("elsewhere/mnist").string()));
  EXPECT_THAT(message, HasSubstr("/nonexistent/.cache/gpscl/mnist"));
}

TEST_F(Data, IsFoundInTheFolderThatTheEnvironmentNames) {
  const Outcome outcome =
      gpscl({"run", "p-mnist", "--tasks", "1", "--epochs", "1", "--out", path("out").string()},
            {.data = path("data")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
}

TEST_F(Data, AFolderThatDoesNotExistIsAMistakeOfTheCommandLine) {
  const Outcome outcome =
      gpscl({"run", "p-mnist", "--data", path("nowhere").string(), "--out", path("out").string()});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--data '" + path("nowhere").string() + "'"));
}

TEST_F(Data, AMissingFileOfASetIsNamed) {
  std::filesystem::remove(path("data/mnist/t10k-labels-idx1-ubyte"));
  const std::string message = message_of(arguments({}));
  EXPECT_THAT(message, HasSubstr(path("data/mnist").string()));
  EXPECT_THAT(message, HasSubstr("t10k-labels-idx1-ubyte"));
}

TEST_F(Data, ATruncatedFileIsNamed) {
  for (const std::string file : {"train-images-idx3-ubyte", "t10k-labels-idx1-ubyte"}) {
    testing::write_tiny_mnist(path("data"));
    const auto damaged = path("data/mnist/" + file);
    for (const std::uintmax_t size : {std::filesystem::file_size(damaged) - 1, std::uintmax_t{3}}) {
      std::filesystem::resize_file(damaged, size);
      EXPECT_THAT(message_of(arguments({})), HasSubstr(damaged.string()));
    }
  }
}

// CIFAR-10 as its authors publish it, with five training images of each class.
class PublishedData : public Data {
 protected:
  PublishedData() {
    testing::write_tiny_cifar_10(path("unpacked"));
    testing::write_archive(
        archive, testing::entries_of(path("unpacked/cifar-10-batches-bin"), &testing::read_file));
  }

  std::vector<std::string> call() const {
    return {"run",      "s-cifar-10", "--data", path("published").string(),
            "--epochs", "1",          "--out",  path("out").string(),
            "--model",  "mlp"};
  }

  std::filesystem::path archive = path("published/cifar-10-binary.tar.gz");
  testing::ProgramOptions options{.cache = path("cache")};
};

TEST_F(PublishedData, IsUnpackedAtFirstUseAndUsedFromThenOn) {
  const Outcome first = gpscl(call(), options);
  ASSERT_EQ(first.exit_code, 0) << first.err;
  EXPECT_EQ(lines_of(first.err).front(), "unpacking cifar-10-binary.tar.gz");
  EXPECT_THAT(
      first.out,
      HasSubstr("s-cifar-10 (each task has its own classes), learner er, 5 tasks, memory 200"));
  const Outcome second = gpscl(call(), options);
  ASSERT_EQ(second.exit_code, 0) << second.err;
  EXPECT_THAT(second.err, Not(HasSubstr("unpacking")));
}

TEST_F(PublishedData, ShowsABarOnATerminal) {
  options.err_is_terminal = true;
  const Outcome outcome = gpscl(call(), options);
  EXPECT_THAT(outcome.err, MatchesRegex("\r.\\[K[█░]+ +[0-9]+ %  unpacking cifar-10(.|\n|\r)*"));
}

TEST_F(PublishedData, ThatIsDamagedIsNamedAndLeavesNothing) {
  std::filesystem::resize_file(archive, std::filesystem::file_size(archive) / 2);
  const Outcome outcome = gpscl(call(), options);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(lines_of(outcome.err).back(),
              AllOf(HasSubstr(archive.string()), HasSubstr("is damaged or not an archive")));
  for (const auto& left : std::filesystem::directory_iterator(path("cache/gpscl/unpacked")))
    EXPECT_EQ(left.path().extension(), ".lock");
}

TEST_F(PublishedData, ThatIsMissingNamesPlacesArchiveAndFolder) {
  std::filesystem::remove(archive);
  EXPECT_THAT(message_of(call(), options),
              AllOf(HasSubstr("CIFAR-10 not found"), HasSubstr(path("published").string()),
                    HasSubstr(path("cache/gpscl").string()), HasSubstr("cifar-10-binary.tar.gz"),
                    HasSubstr("cifar-10-batches-bin/")));
}

TEST_F(PublishedData, NeedsACacheThatCanBeMade) {
  testing::write_file(path("file"), "x");
  options.cache = path("file");
  EXPECT_THAT(message_of(call(), options), HasSubstr(path("file").string()));
}

TEST_F(PublishedData, MayComeInAnotherOrderOfClasses) {
  std::vector<std::string> ordered = call();
  ordered.insert(ordered.end(), {"--class-order", "9,8,7,6,5,4,3,2,1,0", "--json"});
  const Outcome outcome = gpscl(ordered, options);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto result = nlohmann::json::parse(outcome.out)[0];
  EXPECT_EQ(result["labels"], nlohmann::json::parse("[[8,9],[6,7],[4,5],[2,3],[0,1]]"));
  EXPECT_EQ(result["spec"]["class_order"], "9,8,7,6,5,4,3,2,1,0");
}

}  // namespace data_test
}  // namespace gps
