#include "gps/data/readers/tiny_imagenet.h"

#include <gmock/gmock.h>

#include <chrono>
#include <csignal>

#include "gps/core/errors.h"
#include "support/child.h"
#include "support/temporary_folder.h"
#include "support/tiny_sets.h"

namespace gps {
namespace tiny_imagenet_test {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using testing::jpeg_file;
using ::testing::SizeIs;
namespace fs = std::filesystem;

constexpr int kClasses = 5;

// Five classes, n105 to n101, of two training images and one test image each.
class TinyImagenet : public ::testing::Test {
 protected:
  TinyImagenet() { testing::write_tiny_imagenet(folder.path(), kClasses, 2); }

  // Reads, and remembers how many images had to be decoded.
  TrainTest read() {
    decoded = 0;
    return read_tiny_imagenet(tree, kClasses, cache, {.progress = [this](const LoadProgress& now) {
                                decoded = now.done;
                              }});
  }

  std::string error() {
    try {
      read();
    } catch (const DataError& refusal) {
      return refusal.what();
    }
    return "no error";
  }

  std::string text(const std::string& name) const { return (tree / name).string(); }

  testing::TemporaryFolder folder{testing::in_memory()};
  const fs::path tree = folder.path() / "tiny-imagenet-200";
  const fs::path cache = folder.path() / "cache";
  std::uint64_t decoded = 0;
};

void expect_image(const Dataset& data, std::size_t row, const std::vector<int>& channels) {
  std::vector<std::uint8_t> scratch(data.shape().bytes());
  const std::uint8_t* image = data.image(row, scratch);
  for (std::size_t c = 0; c < channels.size(); ++c) {
    EXPECT_NEAR(image[c * 4096], channels[c], 3) << "row " << row << ", channel " << c;
    EXPECT_NEAR(image[c * 4096 + 4095], channels[c], 3) << "row " << row << ", channel " << c;
  }
}

TEST_F(TinyImagenet, HasItsClassesInTheOrderOfWnids) {
  const TrainTest sets = read();
  EXPECT_EQ(sets.train.shape(), (ImageShape{3, 64, 64}));
  EXPECT_EQ(sets.train.classes(), kClasses);
  ASSERT_EQ(sets.train.size(), 10u);
  ASSERT_EQ(sets.test.size(), 5u);
  for (int label = 0; label < kClasses; ++label) {
    const auto row = static_cast<std::size_t>(label);
    EXPECT_EQ(sets.train.label(2 * row), label);
    EXPECT_EQ(sets.train.label(2 * row + 1), label);
    EXPECT_EQ(sets.test.label(row), label);
    expect_image(sets.train, 2 * row, {label, 100, 200});
    expect_image(sets.train, 2 * row + 1, {label, label, label});  // of one channel
    expect_image(sets.test, row, {label, 50, 0});
  }
}

TEST_F(TinyImagenet, MayHaveAnyNumberOfImagesAndOtherFilesBesideThem) {
  testing::write_file(tree / "train/n103/images/n103_9.JPEG", jpeg_file({1, 2, 3}));
  testing::write_file(tree / "train/n103/images/notes.txt", "x");
  testing::write_file(tree / "train/n103/n103_boxes.txt", "x");
  const TrainTest sets = read();
  EXPECT_EQ(sets.train.size(), 11u);
  EXPECT_EQ(sets.train.label(6), 2);
  expect_image(sets.train, 6, {1, 2, 3});
}

TEST_F(TinyImagenet, IsDecodedOnce) {
  read();
  EXPECT_EQ(decoded, 15u);
  const TrainTest sets = read();
  EXPECT_EQ(decoded, 0u);
  expect_image(sets.train, 2, {1, 100, 200});
  EXPECT_EQ(std::distance(fs::directory_iterator(cache / "decoded"), {}), 2);  // and its lock
}

TEST_F(TinyImagenet, IsDecodedAnewWhenTheTreeChanges) {
  read();
  const fs::path image = tree / "train/n104/images/n104_0.JPEG";
  testing::write_file(image, jpeg_file({9, 9, 90}));
  fs::last_write_time(image, fs::last_write_time(image) + std::chrono::seconds(5));
  expect_image(read().train, 2, {9, 9, 90});
  EXPECT_EQ(decoded, 15u);

  testing::write_file(tree / "val/images/more.JPEG", jpeg_file({3}));
  const std::string annotations = testing::read_file(tree / "val/val_annotations.txt");
  testing::write_file(tree / "val/val_annotations.txt",
                      annotations + "more.JPEG\tn105\t0\t0\t1\t1\n");
  EXPECT_EQ(read().test.size(), 6u);
  EXPECT_EQ(decoded, 16u);

  testing::write_file(tree / "wnids.txt", "n101\nn102\nn103\nn104\nn105\n");
  EXPECT_EQ(read().test.label(0), 4);
  EXPECT_EQ(decoded, 16u);
}

TEST_F(TinyImagenet, IsRightAfterAKillInTheMiddle) {
  testing::write_tiny_imagenet(folder.path(), kClasses, 40);  // several chunks
  const pid_t child = testing::start_child([&] {
    read_tiny_imagenet(tree, kClasses, cache,
                       {.progress = [](const LoadProgress&) { std::raise(SIGKILL); }});
  });
  EXPECT_EQ(testing::wait_for(child), -SIGKILL);
  const TrainTest sets = read();
  EXPECT_EQ(decoded, 205u);
  for (std::size_t i = 0; i < 5; ++i)
    expect_image(sets.train, 40 * i, {static_cast<int>(i), 100, 200});
  EXPECT_EQ(std::distance(fs::directory_iterator(cache / "decoded"), {}), 2);
}

TEST_F(TinyImagenet, NamesAnImageThatIsBad) {
  const std::string name = "train/n102/images/n102_1.JPEG";
  testing::write_file(tree / name, jpeg_file({1, 2, 3}, 32, 48));
  EXPECT_EQ(error(), text(name) + ": is 32 x 48 pixels; expected 64 x 64");
  testing::write_file(tree / name, "nonsense");
  EXPECT_THAT(error(), HasSubstr(text(name) + ": is not an intact JPEG image"));
  fs::remove(tree / name);
  fs::create_directory(tree / name);
  EXPECT_THAT(error(), HasSubstr(text(name)));
  EXPECT_EQ(std::distance(fs::directory_iterator(cache / "decoded"), {}), 1) << "only the lock";
}

TEST_F(TinyImagenet, NamesWhatIsMissing) {
  const fs::path aside = folder.path() / "aside";
  for (const std::string name :
       {"wnids.txt", "train/n103/images", "val/val_annotations.txt", "val/images/val_3.JPEG"}) {
    fs::rename(tree / name, aside);
    EXPECT_THAT(error(), HasSubstr(text(name))) << name;
    fs::rename(aside, tree / name);
  }
  fs::remove_all(tree / "train/n103/images");
  fs::create_directory(tree / "train/n103/images");
  EXPECT_THAT(error(), HasSubstr(text("train/n103/images") + ": contains no *.JPEG"));
}

TEST_F(TinyImagenet, NamesTheLineThatIsBad) {
  const fs::path annotations = tree / "val/val_annotations.txt";
  const std::string good = testing::read_file(annotations);
  testing::write_file(annotations, good + "val_0.JPEG\tn999\t0\t0\t1\t1\n");
  EXPECT_EQ(error(), annotations.string() + ": line 6 has class 'n999'; expected one of wnids.txt");
  for (const std::string line : {"val_0.JPEG", "\tn101", "../../x.JPEG\tn101"}) {
    testing::write_file(annotations, good + line + "\n");
    EXPECT_THAT(error(), AllOf(HasSubstr("line 6 is"), HasSubstr(line))) << line;
  }
  testing::write_file(annotations, "");
  EXPECT_THAT(error(), HasSubstr("val_annotations.txt: is empty"));
}

TEST_F(TinyImagenet, RefusesOtherClassesThanThereAre) {
  testing::write_file(tree / "wnids.txt", "n101\nn102\n");
  EXPECT_EQ(error(), text("wnids.txt") + ": names 2 classes; expected 5");
  testing::write_file(tree / "wnids.txt", "n101\nn102\nn103\nn104\nn101\n");
  EXPECT_THAT(error(), HasSubstr("'n101' appears twice"));
  testing::write_file(tree / "wnids.txt", "n101\r\nn102\r\nn103\r\nn104\r\nn105\r\n");
  EXPECT_EQ(error(), "no error");
}

TEST_F(TinyImagenet, ListsTruncatedAnywhereAreRefusedOrRead) {
  for (const std::string name : {"wnids.txt", "val/val_annotations.txt"}) {
    const std::string whole = testing::read_file(tree / name);
    for (std::size_t length = 0; length < whole.size(); ++length) {
      testing::write_file(tree / name, whole.substr(0, length));
      const std::string message = error();
      EXPECT_TRUE(message == "no error" || message.starts_with(tree.string())) << message;
    }
    testing::write_file(tree / name, whole);
  }
}

// Unpacked and decoded where the program would.
TEST(RealTinyImagenet, HasAsManyExamplesOfEachClass) {
  const char* data = std::getenv("GPSCL_DATA");
  const PublishedSet& set = published_set("tiny-imagenet");
  if (data == nullptr ||
      !(fs::exists(fs::path(data) / set.archive()) || fs::exists(fs::path(data) / set.folder)))
    GTEST_SKIP() << "not checked: reading the official files of " << set.title
                 << "; to check: set GPSCL_DATA to a folder that has " << set.archive();
  Executor executor(2);
  const TrainTest sets =
      read_tiny_imagenet(locate(set, {}, {}), 200, user_cache(), {.executor = &executor});
  EXPECT_GE(sets.train.size(), 200u * 50);
  EXPECT_THAT(sets.train.rows_by_class(), Each(SizeIs(sets.train.size() / 200)));
  EXPECT_THAT(sets.test.rows_by_class(), Each(SizeIs(sets.test.size() / 200)));
}

}  // namespace tiny_imagenet_test
}  // namespace gps
