// docs/production.md: its commands are run, in order, as they stand there.
#include <gmock/gmock.h>

#include "apps/known_options.h"
#include "apps/program.h"
#include "apps/shell_blocks.h"
#include "support/temporary_folder.h"

namespace gps {
namespace production_test {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::text_of;

TEST(Production, EveryCommandOfItWorksAndTheGateKeepsTheMixedWeekOut) {
  if (!fs::exists("/usr/bin/python3") ||
      !fs::exists("/usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz")) {
    GTEST_SKIP()
        << "not checked: docs/production.md; to check: install python3 and dataset-fashion-mnist";
  }
  const fs::path source = GPSCL_SOURCE_DIR;
  const std::string commands = testing::shell_blocks_of(text_of(source / "docs/production.md"));
  ASSERT_THAT(commands, HasSubstr("gpscl learn"));
  const testing::TemporaryFolder folder(testing::in_memory());
  testing::write_file(
      folder.path() / "production.sh",
      "set -eu\nPATH=" + fs::path(GPSCL_PROGRAM).parent_path().string() + ":$PATH\n" + commands);
  fs::create_symlink(source / "examples", folder.path() / "examples");
  const std::string line = "cd " + folder.path().string() + " && sh production.sh > out 2> err";
  ASSERT_EQ(std::system(line.c_str()), 0)  // NOLINT(cert-env33-c): a shell is what it is about
      << text_of(folder.path() / "out") << text_of(folder.path() / "err");
  const std::string out = text_of(folder.path() / "out");
  EXPECT_THAT(out, HasSubstr("exit code 3\n"));
  EXPECT_THAT(out, HasSubstr("accuracy on "));
  EXPECT_THAT(out, HasSubstr("erased: 1 of 1 image that is named"));
  EXPECT_THAT(out, HasSubstr("Z refuse mixed"));
}

}  // namespace production_test
}  // namespace gps
