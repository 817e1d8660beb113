#include "gps/data/readers/cifar.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>

#include "gps/core/errors.h"
#include "support/temporary_folder.h"
#include "support/tiny_sets.h"

namespace gps {
namespace cifar_test {

using ::testing::AllOf;
using testing::cifar_record;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::SizeIs;
namespace fs = std::filesystem;

std::vector<int> pixels(const Dataset& data, std::size_t i) {
  std::vector<std::uint8_t> scratch(data.shape().bytes());
  const std::uint8_t* image = data.image(i, scratch);
  return {image, image + scratch.size()};
}

class Cifar : public ::testing::Test {
 protected:
  Cifar() {
    testing::write_tiny_cifar_10(folder.path());
    testing::write_tiny_cifar_100(folder.path());
  }

  std::string error(TrainTest (*read)(const fs::path&), const fs::path& from) {
    try {
      read(from);
    } catch (const DataError& refusal) {
      return refusal.what();
    }
    return "no error";
  }

  testing::TemporaryFolder folder;
  const fs::path ten = folder.path() / "cifar-10-batches-bin";
  const fs::path hundred = folder.path() / "cifar-100-binary";
};

TEST_F(Cifar, HasTheRecordsOfAllBatchesInTheirOrder) {
  for (int batch = 1; batch <= 5; ++batch) {
    std::string records;  // as many as the batch's number
    for (int k = 0; k < batch; ++k)
      records += cifar_record({static_cast<char>(batch)}, {static_cast<char>(k), 2, 3});
    testing::write_file(ten / fmt::format("data_batch_{}.bin", batch), records);
  }
  const TrainTest sets = read_cifar_10(ten);
  EXPECT_EQ(sets.train.shape(), (ImageShape{3, 32, 32}));
  EXPECT_EQ(sets.train.classes(), 10);
  EXPECT_EQ(sets.test.size(), 20u);
  ASSERT_EQ(sets.train.size(), 15u);
  std::size_t row = 0;
  for (int batch = 1; batch <= 5; ++batch) {
    for (int k = 0; k < batch; ++k, ++row) {
      EXPECT_EQ(sets.train.label(row), batch);
      const std::vector<int> image = pixels(sets.train, row);
      EXPECT_EQ(image[0], k);
      EXPECT_EQ(image[1023], k);
      EXPECT_EQ(image[1024], 2);
      EXPECT_EQ(image[2048], 3);
      EXPECT_EQ(image[3071], 3);
    }
  }
}

TEST_F(Cifar, TakesTheFineLabelOfHundred) {
  testing::write_file(hundred / "train.bin", cifar_record({19, 99}, {1, 2, 3}));
  const TrainTest sets = read_cifar_100(hundred);
  ASSERT_EQ(sets.train.size(), 1u);
  EXPECT_EQ(sets.train.label(0), 99);
  EXPECT_EQ(sets.train.classes(), 100);
  EXPECT_EQ(pixels(sets.train, 0)[0], 1);
  EXPECT_EQ(sets.test.size(), 100u);
}

TEST_F(Cifar, NamesAFileThatIsMissing) {
  fs::remove(ten / "data_batch_3.bin");
  EXPECT_EQ(error(read_cifar_10, ten), (ten / "data_batch_3.bin").string() + ": is missing");
  fs::remove(hundred / "test.bin");
  EXPECT_EQ(error(read_cifar_100, hundred), (hundred / "test.bin").string() + ": is missing");
  EXPECT_THAT(error(read_cifar_10, folder.path() / "nowhere"), HasSubstr("data_batch_1.bin"));
}

TEST_F(Cifar, RefusesAFolderInAFilesPlace) {
  fs::remove(ten / "test_batch.bin");
  fs::create_directory(ten / "test_batch.bin");
  EXPECT_THAT(error(read_cifar_10, ten), HasSubstr("test_batch.bin: cannot be read"));
}

// Any length but that of whole records.
TEST_F(Cifar, RefusesAFileTruncatedAnywhere) {
  const std::string whole = cifar_record({1}, {1, 2, 3});
  for (std::size_t length = 0; length < whole.size(); length += 64) {  // 3072 is the last
    testing::write_file(ten / "test_batch.bin", whole.substr(0, length));
    ASSERT_EQ(error(read_cifar_10, ten),
              fmt::format("{}: has {} bytes; expected whole records of 3073 bytes each",
                          (ten / "test_batch.bin").string(), length));
  }
  testing::write_file(hundred / "train.bin", whole);
  EXPECT_THAT(error(read_cifar_100, hundred), HasSubstr("records of 3074 bytes"));
}

TEST_F(Cifar, RefusesALabelThatDoesNotExist) {
  testing::write_file(ten / "data_batch_2.bin",
                      cifar_record({9}, {1, 2, 3}) + cifar_record({10}, {1, 2, 3}));
  EXPECT_EQ(error(read_cifar_10, ten),
            (ten / "data_batch_2.bin").string() + ": label of record 1 is 10; expected 0 to 9");
  testing::write_file(hundred / "train.bin", cifar_record({20, 0}, {1, 2, 3}));
  EXPECT_THAT(error(read_cifar_100, hundred), HasSubstr("record 0 is 20; expected 0 to 19"));
  testing::write_file(hundred / "train.bin", cifar_record({0, 100}, {1, 2, 3}));
  EXPECT_THAT(error(read_cifar_100, hundred), HasSubstr("record 0 is 100; expected 0 to 99"));
}

// The official sets or a reduced version of them, from $GPSCL_DATA; unpacked where the program
// would.
class RealCifar : public ::testing::TestWithParam<int> {};

TEST_P(RealCifar, HasAsManyExamplesOfEachClass) {
  const char* data = std::getenv("GPSCL_DATA");
  const int classes = GetParam();
  const PublishedSet& set = published_set(classes == 10 ? "cifar-10" : "cifar-100");
  if (data == nullptr ||
      !(fs::exists(fs::path(data) / set.archive()) || fs::exists(fs::path(data) / set.folder)))
    GTEST_SKIP() << "not checked: reading the official files of " << set.title
                 << "; to check: set GPSCL_DATA to a folder that has " << set.archive();
  const fs::path folder = locate(set, {}, {});
  const TrainTest sets = classes == 10 ? read_cifar_10(folder) : read_cifar_100(folder);
  const auto per_class = sets.train.size() / static_cast<std::size_t>(classes);
  EXPECT_GE(per_class, 100u);
  EXPECT_THAT(sets.train.rows_by_class(), AllOf(SizeIs(classes), Each(SizeIs(per_class))));
  EXPECT_THAT(sets.test.rows_by_class(),
              Each(SizeIs(sets.test.size() / sets.test.rows_by_class().size())));
}

INSTANTIATE_TEST_SUITE_P(Official, RealCifar, ::testing::Values(10, 100));

}  // namespace cifar_test
}  // namespace gps
