// Data that is missing or damaged: exit code 1 and one line that says where.
#include <gmock/gmock.h>

#include "apps/program.h"
#include "apps/tiny_program_run.h"

namespace gps {
namespace {

using testing::gpscl;
using ::testing::HasSubstr;
using testing::lines_of;
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
    GTEST_SKIP() << "this machine has MNIST where packages put it";
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

}  // namespace
}  // namespace gps
