#include "gps/experiments/scheduling/sweep_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gps/core/errors.h"
#include "support/temporary_folder.h"
#include "support/tiny_data.h"

namespace gps {
namespace sweep_file_test {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class SweepFileTest : public ::testing::Test {
 protected:
  SweepFile read(const std::string& text) const {
    testing::write_file(file(), text);
    return read_sweep(file(),
                      {{"benchmark", SweepKind::value},
                       {"memory", SweepKind::value},
                       {"lr", SweepKind::value},
                       {"seeds", SweepKind::value},
                       {"seed", SweepKind::value},
                       {"unknown-length", SweepKind::flag}},
                      {{"jobs", "use gpscl sweep --jobs"}});
  }
  // What is said of it after "FILE:LINE: ".
  std::string complaint(const std::string& text, int line) const {
    try {
      read(text);
    } catch (const UsageError& error) {
      const std::string start = file().string() + ":" + std::to_string(line) + ": ";
      EXPECT_THAT(error.what(), StartsWith(start));
      return error.what();
    }
    return "(read)";
  }
  std::filesystem::path file() const { return folder_.path() / "small.toml"; }

 private:
  testing::TemporaryFolder folder_;
};

TEST_F(SweepFileTest, HasGridsWithTheDefaultsThatTheyDoNotReplace) {
  const SweepFile sweep = read(
      "title = \"A title\"\n[defaults]\nbenchmark = \"p-mnist\"\nmemory = 10\nseeds = 5\n"
      "[[grid]]\nmemory = [20, 30]\n[[grid]]\nlr = 0.1\nseed = 3\nunknown-length = [true, "
      "false]\n");
  EXPECT_EQ(sweep.name, "small");
  EXPECT_EQ(sweep.title, "A title");
  ASSERT_EQ(sweep.grids.size(), 2u);
  EXPECT_EQ(sweep.grids[0].line, 6);
  std::string shown;
  for (const SweepGrid& grid : sweep.grids) {
    for (const SweepSetting& setting : grid.settings) {
      shown += setting.key + (setting.is_default ? "(default)" : "") + "=";
      for (const SweepValue& value : setting.values)
        shown += value.text + "@" + std::to_string(value.line) + " ";
    }
    shown += "; ";
  }
  EXPECT_EQ(shown,
            "memory=20@7 30@7 benchmark(default)=p-mnist@3 seeds(default)=5@5 ; "
            "lr=0.1@9 seed=3@10 unknown-length=true@11 false@11 benchmark(default)=p-mnist@3 "
            "memory(default)=10@4 ; ");
}

TEST_F(SweepFileTest, WithoutGridsIsItsDefaults) {
  EXPECT_EQ(read("[defaults]\nmemory = 5\n").grids.size(), 1u);
}

TEST_F(SweepFileTest, KeepsWholeAndOtherNumbersApart) {
  const SweepFile sweep = read("[[grid]]\nmemory = [1000, 1000.0, 1e3, 0.5, -2]\n");
  std::vector<std::string> texts;
  for (const SweepValue& value : sweep.grids[0].settings[0].values) texts.push_back(value.text);
  EXPECT_EQ(texts, (std::vector<std::string>{"1000", "1000.0", "1000.0", "0.5", "-2"}));
}

TEST_F(SweepFileTest, MistakesAreNamedWithTheirLine) {
  EXPECT_THAT(complaint("[[grid]]\nmemroy = 5\n", 2), HasSubstr("did you mean 'memory'?"));
  EXPECT_THAT(complaint("[[grid]]\n\njobs = 5\n", 3), HasSubstr("use gpscl sweep --jobs"));
  EXPECT_THAT(complaint("memory = 5\n", 1), HasSubstr("below [defaults] or [[grid]]"));
  EXPECT_THAT(complaint("nme = \"x\"\n", 1), HasSubstr("known here: name, title"));
  EXPECT_THAT(complaint("name = 5\n", 1), HasSubstr("string in quotes"));
  EXPECT_THAT(complaint("[[grid]]\nmemory = [1,\n true]\n", 3), HasSubstr("string or a number"));
  EXPECT_THAT(complaint("[[grid]]\nmemory = [[1]]\n", 2), HasSubstr("array of these"));
  EXPECT_THAT(complaint("[[grid]]\nmemory = []\n", 2), HasSubstr("has no value"));
  EXPECT_THAT(complaint("[[grid]]\nunknown-length = 1\n", 2), HasSubstr("true or false"));
  EXPECT_THAT(complaint("[grid]\nmemory = 1\n", 1), HasSubstr("[[grid]]"));
  EXPECT_THAT(complaint("defaults = 1\n", 1), HasSubstr("[defaults]"));
  EXPECT_THAT(complaint("[[grid]]\nmemory = \n", 2), HasSubstr("rror"));
  EXPECT_THAT(complaint("title = \"t\"\n", 1), HasSubstr("nothing to run"));
  for (const std::string table : {"[[grid]]", "[defaults]"}) {
    EXPECT_THAT(complaint(table + "\nseeds = 3\nseed = 1\n", 3),
                HasSubstr("seed and seeds cannot be used together"));
  }
}

TEST_F(SweepFileTest, ThatIsAFolderIsCalledOne) {
  std::filesystem::create_directories(file());
  try {
    read_sweep(file(), {}, {});
    ADD_FAILURE() << "was read";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("is a folder"));
  }
}

TEST_F(SweepFileTest, ThatIsNotThereIsAnError) {
  EXPECT_THROW(read_sweep(file(), {}, {}), DataError);
}

}  // namespace sweep_file_test
}  // namespace gps
