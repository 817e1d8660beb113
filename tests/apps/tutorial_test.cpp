// docs/tutorial.md: its commands are run, in order, as they stand there.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "apps/known_options.h"
#include "apps/program.h"
#include "apps/shell_blocks.h"
#include "support/temporary_folder.h"
#include "support/tiny_data.h"

namespace gps {
namespace tutorial_test {

namespace fs = std::filesystem;
using testing::text_of;

TEST(Tutorial, EveryCommandOfItWorksAndTheMemoryKeepsWhatWouldBeForgotten) {
  if (!fs::exists("/usr/bin/python3") ||
      !fs::exists("/usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz")) {
    GTEST_SKIP()
        << "not checked: the tutorial; to check: install python3 and dataset-fashion-mnist";
  }
  const fs::path source = GPSCL_SOURCE_DIR;
  const std::string commands = testing::shell_blocks_of(text_of(source / "docs" / "tutorial.md"));
  ASSERT_THAT(commands, ::testing::HasSubstr("gpscl learn"));
  const testing::TemporaryFolder folder(testing::in_memory());
  // The program comes first on the path, and the tutorial starts where the sources are.
  const std::string script = "set -eu\nPATH=" + fs::path(GPSCL_PROGRAM).parent_path().string() +
                             ":$PATH\n" + commands +
                             "\ngpscl learn state --evaluate weeks/test --json > with.json\n"
                             "gpscl learn forgetful --evaluate weeks/test --json > without.json\n";
  testing::write_file(folder.path() / "tutorial.sh", script);
  fs::create_symlink(source / "examples", folder.path() / "examples");
  const std::string line = "cd " + folder.path().string() + " && sh tutorial.sh > out 2> err";
  ASSERT_EQ(std::system(line.c_str()), 0)  // NOLINT(cert-env33-c): a shell is what it is about
      << text_of(folder.path() / "out") << text_of(folder.path() / "err");

  const auto mean = [&](const char* file, const char* key) {
    const auto all = nlohmann::json::parse(text_of(folder.path() / file));
    double sum = 0;
    for (const auto& task : all) sum += task.at(key).get<double>();
    return sum / static_cast<double>(all.size());
  };
  EXPECT_GT(mean("with.json", "among_all"), mean("without.json", "among_all") + 0.3);
  EXPECT_GT(mean("with.json", "accuracy"), mean("without.json", "accuracy") + 0.05);
}

// Its first command looks where gpscl data get puts data.
TEST(Tutorial, TakesItsImagesFromTheUsersCache) {
  if (!fs::exists("/usr/bin/python3"))
    GTEST_SKIP() << "not checked: where the tutorial finds its images; to check: install python3";
  const testing::TemporaryFolder folder(testing::in_memory());
  for (const std::string cache : {"chosen", "home/.cache"}) {
    const fs::path set = folder.path() / cache / "gpscl" / "fashion-mnist";
    testing::write_idx_pair(set, "train", testing::tiny_dataset(10, 2, 1, 28));
    testing::write_idx_pair(set, "t10k", testing::tiny_dataset(10, 1, 2, 28));
    const std::string variables =
        cache == "chosen" ? "XDG_CACHE_HOME=chosen" : "-u XDG_CACHE_HOME HOME=home";
    const std::string line = "cd " + folder.path().string() + " && env -u GPSCL_DATA " + variables +
                             " /usr/bin/python3 " GPSCL_SOURCE_DIR
                             "/examples/python/fashion_weeks.py weeks > out 2>&1";
    EXPECT_EQ(std::system(line.c_str()), 0);  // NOLINT(cert-env33-c)
    EXPECT_EQ(text_of(folder.path() / "out"), "weeks: 20 images in week1 to week5, 10 in test\n");
  }
}

}  // namespace tutorial_test
}  // namespace gps
