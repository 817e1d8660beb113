#include "gps/data/sets/locate.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "gps/core/errors.h"
#include "support/archive_file.h"
#include "support/environment.h"
#include "support/temporary_folder.h"
#include "support/tiny_data.h"

namespace gps {
namespace locate_test {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::Environment;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

// Three places of the user's, all empty at first.
class Locate : public ::testing::Test {
 protected:
  Locate() {
    for (const char* name : {"option", "chosen", "cache/gpscl"})
      fs::create_directories(folder.path() / name);
  }

  // A set of which the number of training examples tells where it came from.
  void write_set(const fs::path& place, std::size_t per_class) {
    testing::write_tiny_mnist(place, "mnist", per_class);
  }

  std::string error(const fs::path& data, const std::string& set = "mnist") {
    try {
      load_mnist_like(set, data);
    } catch (const DataError& refusal) {
      return refusal.what();
    }
    return "no error";
  }

  testing::TemporaryFolder folder{testing::in_memory()};
  const fs::path option = folder.path() / "option";
  const fs::path chosen = folder.path() / "chosen";
  const fs::path cache = folder.path() / "cache" / "gpscl";
  Environment data_variable{"GPSCL_DATA", chosen.string()};
  Environment cache_variable{"XDG_CACHE_HOME", cache.parent_path().string()};
};

TEST_F(Locate, LooksInTheOptionThenTheVariableThenTheCacheThenDebiansFolder) {
  EXPECT_THAT(data_folders(option), ElementsAre(option, chosen, cache, "/usr/share/datasets"));
  EXPECT_THAT(data_folders({}), ElementsAre(chosen, cache, "/usr/share/datasets"));
}

TEST_F(Locate, PassesOverVariablesThatAreUnsetOrEmpty) {
  const Environment home("HOME", "/home/someone");
  data_variable.set("");
  cache_variable.set("");
  EXPECT_THAT(data_folders({}), ElementsAre("/home/someone/.cache/gpscl", "/usr/share/datasets"));
  data_variable.set(std::nullopt);
  cache_variable.set(std::nullopt);
  EXPECT_THAT(data_folders({}), ElementsAre("/home/someone/.cache/gpscl", "/usr/share/datasets"));
}

TEST_F(Locate, TakesTheFirstPlaceThatHasTheSet) {
  write_set(cache, 3);
  EXPECT_EQ(load_mnist_like("mnist", option).train.size(), 30u);
  write_set(chosen, 2);
  EXPECT_EQ(load_mnist_like("mnist", option).train.size(), 20u);
  write_set(option, 1);
  EXPECT_EQ(load_mnist_like("mnist", option).train.size(), 10u);
  EXPECT_EQ(load_mnist_like("mnist", {}).train.size(), 20u);
}

TEST_F(Locate, TellsTrainingFromTestData) {
  write_set(option, 1);
  const TrainTest sets = load_mnist_like("mnist", option);
  EXPECT_EQ(sets.train.size(), 10u);
  EXPECT_EQ(sets.test.size(), 200u);
  EXPECT_EQ(sets.test.classes(), 10);
}

TEST_F(Locate, NamesTheFileMissingFromAPartialSet) {
  for (const std::string name : {"train-images-idx3-ubyte", "train-labels-idx1-ubyte",
                                 "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"}) {
    write_set(option, 1);
    write_set(chosen, 1);  // complete, but not to be mixed up with the other
    fs::remove(option / "mnist" / name);
    EXPECT_EQ(error(option),
              fmt::format("{}: has 3 of the 4 files of mnist, but neither {} nor {}.gz",
                          (option / "mnist").string(), name, name));
  }
}

TEST_F(Locate, NamesEveryPlaceThatDoesNotHaveTheSet) {
  EXPECT_THAT(
      error(option, "no-such-set"),
      AllOf(HasSubstr("'no-such-set' not found"),
            HasSubstr((option / "no-such-set").string() + ", " + (chosen / "no-such-set").string() +
                      ", " + (cache / "no-such-set").string() +
                      ", /usr/share/datasets/no-such-set; "),
            HasSubstr("; get it with: gpscl data get no-such-set; "), HasSubstr("`data`")));
}

TEST_F(Locate, RefusesAnOptionThatIsNoFolder) {
  write_set(chosen, 1);
  testing::write_file(option / "file", "x");
  for (const fs::path& data :
       {option / "file", option / "missing", option / std::string(300, 'x')}) {
    EXPECT_THROW(load_mnist_like("mnist", data), UsageError);
  }
}

TEST_F(Locate, PassesOverPlacesItCannotLookInto) {
  write_set(cache, 1);
  fs::create_directory_symlink(folder.path() / "loop", folder.path() / "loop");
  data_variable.set((folder.path() / "loop").string());
  EXPECT_EQ(load_mnist_like("mnist", {}).train.size(), 10u);
}

TEST_F(Locate, RefusesTestImagesOfAnotherShape) {
  write_set(option, 1);
  testing::write_idx_pair(option / "mnist", "t10k", testing::tiny_dataset(10, 1, 1, 7));
  EXPECT_THAT(error(option), AllOf(HasSubstr("7 x 7"), HasSubstr("expected 8 x 8")));
}

const PublishedSet& kSet = published_set("cifar-10");

// The message of a set that is not found.
std::string published_error(const fs::path& data) {
  try {
    locate(kSet, data, {});
  } catch (const DataError& refusal) {
    return refusal.what();
  }
  return "no error";
}

class LocatePublished : public Locate {
 protected:
  void write_archive(const fs::path& place, const std::string& file = "cifar-10-batches-bin/x") {
    testing::write_archive(place / kSet.archive(), {{file, "hello"}});
  }
};

TEST_F(LocatePublished, TakesAFolderAsItLies) {
  fs::create_directory(chosen / kSet.folder);
  EXPECT_EQ(locate(kSet, option, {}), chosen / kSet.folder);
  fs::create_directory(option / kSet.folder);
  EXPECT_EQ(locate(kSet, option, {}), option / kSet.folder);
}

TEST_F(LocatePublished, UnpacksAnArchiveIntoTheUsersCache) {
  write_archive(chosen);
  const fs::path found = locate(kSet, option, {});
  EXPECT_TRUE(found.string().starts_with(cache.string())) << found;
  EXPECT_EQ(found.filename(), kSet.folder);
  EXPECT_TRUE(fs::exists(found / "x"));
  EXPECT_EQ(locate(kSet, option, {}), found);
}

TEST_F(LocatePublished, PrefersTheFolderToTheArchiveBesideIt) {
  write_archive(chosen);
  fs::create_directory(chosen / kSet.folder);
  EXPECT_EQ(locate(kSet, {}, {}), chosen / kSet.folder);
}

TEST_F(LocatePublished, NamesEveryPlaceAndWhatWouldBeRight) {
  const fs::path debians = "/usr/share/datasets";
  if (fs::exists(debians / kSet.folder) || fs::exists(debians / kSet.archive()))
    GTEST_SKIP() << "not checked: what is said where CIFAR-10 is nowhere; to check: run where "
                    "/usr/share/datasets has no CIFAR-10";
  EXPECT_THAT(published_error(option),
              AllOf(HasSubstr("CIFAR-10 not found in"),
                    HasSubstr(option.string() + ", " + chosen.string() + ", " + cache.string() +
                              ", /usr/share/datasets;"),
                    HasSubstr(kSet.archive()), HasSubstr(kSet.folder), HasSubstr("`data`"),
                    HasSubstr("; get it with: gpscl data get cifar-10; ")));
  EXPECT_THROW(locate(kSet, option / "missing", {}), UsageError);
}

TEST_F(LocatePublished, NamesAnArchiveOfSomethingElse) {
  write_archive(chosen, "other/x");
  EXPECT_THAT(published_error({}), AllOf(HasSubstr((chosen / kSet.archive()).string()),
                                         HasSubstr("contains no folder cifar-10-batches-bin")));
}

TEST_F(LocatePublished, NeedsAPlaceToUnpackTo) {
  write_archive(chosen);
  const Environment home("HOME", "");
  cache_variable.set("");
  EXPECT_TRUE(user_cache().empty());
  EXPECT_THAT(published_error({}),
              AllOf(HasSubstr((chosen / kSet.archive()).string()), HasSubstr("$XDG_CACHE_HOME")));
}

void expect_real_set(const TrainTest& sets) {
  EXPECT_EQ(sets.train.size(), 60000u);
  EXPECT_EQ(sets.test.size(), 10000u);
  EXPECT_EQ(sets.train.shape(), (ImageShape{1, 28, 28}));
  EXPECT_EQ(sets.test.shape(), (ImageShape{1, 28, 28}));
}

TEST_F(Locate, FindsFashionMnistOfDebiansPackage) {
  if (!fs::exists("/usr/share/datasets/fashion-mnist"))
    GTEST_SKIP() << "not checked: finding Fashion-MNIST where Debian's package puts it; to check: "
                    "install the package dataset-fashion-mnist";
  const TrainTest sets = load_mnist_like("fashion-mnist", {});
  expect_real_set(sets);
  for (const auto& rows : sets.train.rows_by_class()) EXPECT_EQ(rows.size(), 6000u);
}

TEST(RealData, MnistIsWhatItsAuthorsDescribe) {
  const char* data = std::getenv("GPSCL_DATA");
  if (data == nullptr || !fs::exists(fs::path(data) / "mnist"))
    GTEST_SKIP() << "not checked: reading the official files of MNIST; to check: set GPSCL_DATA to "
                    "a folder that has mnist/";
  const TrainTest sets = load_mnist_like("mnist", {});
  expect_real_set(sets);
  std::vector<std::size_t> counts;
  for (const auto& rows : sets.train.rows_by_class()) counts.push_back(rows.size());
  EXPECT_THAT(counts, ElementsAre(5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949));
}

}  // namespace locate_test
}  // namespace gps
