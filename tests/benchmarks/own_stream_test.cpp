#include "gps/benchmarks/own_stream.h"

#include <gmock/gmock.h>

#include <cmath>
#include <numeric>
#include <set>

#include "gps/benchmarks/benchmark.h"
#include "support/environment.h"
#include "support/own_images.h"
#include "support/temporary_folder.h"

namespace gps {
namespace own_stream_test {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::plain_png;
using ::testing::SizeIs;
using ::testing::StartsWith;
using testing::write_classes;
using testing::write_file;
using testing::write_images;

class OwnStreams : public ::testing::Test {
 protected:
  fs::path root() const { return folder_.path() / "photos"; }

  BenchmarkOptions options(const OwnStreamOptions& asked = {}, const fs::path& path = {}) const {
    BenchmarkOptions options;
    options.name = path_name((path.empty() ? root() : path).string());
    options.own = look_at_stream(options.name, asked);
    options.tasks = static_cast<int>(options.own->classes_of_tasks.size());
    return options;
  }
  std::unique_ptr<Benchmark> stream(const OwnStreamOptions& asked = {}, std::uint64_t seed = 0,
                                    const fs::path& path = {}) const {
    return open_benchmark(options(asked, path), "")->stream(seed);
  }
  template <typename Error>
  std::string error(const OwnStreamOptions& asked = {}, const fs::path& path = {}) const {
    try {
      stream(asked, 0, path);
    } catch (const Error& refusal) {
      return refusal.what();
    }
    return "no error";
  }
  std::string in_root(const std::string& reason) const { return root().string() + "/: " + reason; }

 private:
  testing::TemporaryFolder folder_;
  testing::Environment cache_{"XDG_CACHE_HOME", (folder_.path() / "cache").string()};
};

std::vector<Label> labels_in(const Dataset& data) {
  std::set<Label> labels;
  for (std::size_t i = 0; i < data.size(); ++i) labels.insert(data.label(i));
  return {labels.begin(), labels.end()};
}

std::set<std::uint32_t> ids_of(const Dataset& data) {
  std::set<std::uint32_t> ids;
  for (std::size_t i = 0; i < data.size(); ++i) ids.insert(data.id(i));
  return ids;
}

TEST_F(OwnStreams, OfTasksWithTheirOwnClassesDivideThem) {
  write_classes(root() / "week2", {"dog", "cat"}, 5);
  write_classes(root() / "week10", {"emu", "fox", "gnu"}, 5);
  const auto found = stream();
  EXPECT_EQ(found->tasks(), 2);
  EXPECT_EQ(found->classes(), 5);
  EXPECT_EQ(found->shape(), (ImageShape{1, 6, 6}));
  EXPECT_THAT(found->class_names(), ElementsAre("cat", "dog", "emu", "fox", "gnu"));
  EXPECT_THAT(found->task_names(), ElementsAre("week2", "week10"));
  EXPECT_THAT(found->labels_of(1), ElementsAre(0, 1));
  EXPECT_THAT(found->labels_of(2), ElementsAre(2, 3, 4));
  EXPECT_EQ(labels_in(found->task(2).train), found->labels_of(2));
  EXPECT_EQ(labels_in(found->test(2)), found->labels_of(2));
  EXPECT_EQ(found->task(2).labels, found->labels_of(2));
}

TEST_F(OwnStreams, OfTasksWithTheSameClassesAreDomainIncremental) {
  write_classes(root() / "a", {"cat", "dog"}, 5);
  write_classes(root() / "b", {"cat", "dog"}, 5, /*seed=*/2);
  const auto found = stream();
  EXPECT_THAT(found->labels_of(1), IsEmpty());
  EXPECT_THAT(labels_in(found->task(2).train), ElementsAre(0, 1));
  EXPECT_FALSE(is_split(options()));
}

TEST_F(OwnStreams, WithoutTasksDivideTheirClassesAndTheLastTaskTakesTheRest) {
  write_classes(root(), {"10", "9", "8", "b", "a"}, 5);
  const auto found = stream({.classes_per_task = 2});
  EXPECT_EQ(found->tasks(), 3);
  EXPECT_THAT(found->class_names(), ElementsAre("8", "9", "10", "a", "b"));
  EXPECT_THAT(found->task_names(), IsEmpty());
  EXPECT_THAT(found->labels_of(1), ElementsAre(0, 1));
  EXPECT_THAT(found->labels_of(3), ElementsAre(4));
  EXPECT_EQ(classes_of_all_tasks(options({.classes_per_task = 2})), 5);
  EXPECT_EQ(stream({.tasks = 5})->labels_of(5).size(), 1u);
}

TEST_F(OwnStreams, WithoutTasksTakeTheirClassesInAnyOrder) {
  write_classes(root(), {"a", "b", "c", "d"}, 5);
  BenchmarkOptions ordered = options({.classes_per_task = 2});
  ordered.class_order = "3,0,2,1";
  const auto found = open_benchmark(ordered, "")->stream(0);
  EXPECT_THAT(found->labels_of(1), ElementsAre(0, 3));
  EXPECT_THAT(labels_in(found->task(2).train), ElementsAre(1, 2));
}

TEST_F(OwnStreams, HoldOutAShareOfEachClassDrawnFromTheSeed) {
  write_images(root() / "cat", 0, 10);
  write_images(root() / "dog", 1, 3);
  write_images(root() / "emu", 2, 2);
  write_images(root() / "fox", 3, 48);
  const OwnStreamOptions asked{.classes_per_task = 4, .test_fraction = 0.25};
  const auto found = stream(asked);
  // 2.5, rounded; 0.75; 0.5, but one; 12.
  std::vector<std::size_t> test;
  for (const auto& rows : found->test(1).rows_by_class()) test.push_back(rows.size());
  EXPECT_THAT(test, ElementsAre(3, 1, 1, 12));
  const Dataset train = found->task(1).train;
  EXPECT_EQ(train.size() + found->test(1).size(), 63u);
  std::set<std::uint32_t> all = ids_of(train);
  all.merge(ids_of(found->test(1)));
  EXPECT_THAT(all, SizeIs(63)) << "an image is in both";
  EXPECT_EQ(ids_of(stream(asked)->test(1)), ids_of(found->test(1)));
  EXPECT_NE(ids_of(stream(asked, 1)->test(1)), ids_of(found->test(1)));
}

TEST(TestExamples, AreAtLeastOneAndNeverAll) {
  EXPECT_EQ(test_examples(10, 0.2), 2u);
  EXPECT_EQ(test_examples(2, 0.01), 1u);
  EXPECT_EQ(test_examples(2, 0.99), 1u);
  EXPECT_EQ(test_examples(1000, 0.5), 500u);
}

TEST_F(OwnStreams, TestOnWhatTheFoldersCallTest) {
  write_classes(root() / "train", {"cat", "dog"}, 4);
  write_classes(root() / "test", {"cat", "dog"}, 3, /*seed=*/2);
  const OwnStreamOptions asked{.classes_per_task = 1};
  const auto found = stream(asked);
  EXPECT_EQ(found->task(1).train.size(), 4u);
  EXPECT_EQ(found->test(2).size(), 3u);
  EXPECT_EQ(ids_of(stream(asked, 7)->test(2)), ids_of(found->test(2)));
  EXPECT_EQ(options(asked).own->test_fraction, 0);
}

TEST_F(OwnStreams, MayBeListedInAManifest) {
  write_images(root() / "all", 0, 6);
  std::string text = "task,path,split,label\n";
  for (int k = 1; k <= 6; ++k)
    text += fmt::format("t{},all/{}.png,{},{}\n", 1 + (k - 1) / 3, k, k % 3 == 0 ? "test" : "train",
                        k % 3 == 1 ? "\"a, b\"" : "c");
  write_file(root() / "m.csv", text);
  const auto found = stream({}, 0, root() / "m.csv");
  EXPECT_THAT(found->class_names(), ElementsAre("a, b", "c"));
  EXPECT_THAT(found->task_names(), ElementsAre("t1", "t2"));
  EXPECT_EQ(found->task(1).train.size(), 2u);
  EXPECT_EQ(found->test(2).size(), 1u);
}

TEST_F(OwnStreams, MayBeIdxFiles) {
  testing::write_idx_pair(root(), "train", testing::tiny_dataset(4, 10, 1));
  const auto made = stream({.classes_per_task = 2});
  EXPECT_EQ(made->task(1).train.size(), 16u);
  EXPECT_EQ(made->test(2).size(), 4u);
  EXPECT_THAT(made->class_names(), ElementsAre("0", "1", "2", "3"));
  testing::write_idx_pair(root(), "t10k", testing::tiny_dataset(4, 5, 2));
  const auto given = stream({.classes_per_task = 2, .height = 3, .width = 5});
  EXPECT_EQ(given->task(1).train.size(), 20u);
  EXPECT_EQ(given->test(1).size(), 10u);
  EXPECT_EQ(given->shape(), (ImageShape{1, 3, 5}));
  fs::remove(root() / "t10k-labels-idx1-ubyte");
  EXPECT_THAT(error<DataError>({.classes_per_task = 2}),
              HasSubstr("has no t10k-labels-idx1-ubyte beside it"));
}

TEST_F(OwnStreams, MayBeInColourAndAreNormalisedByTheirTrainingPixels) {
  write_file(root() / "train/a/1.png", plain_png({0, 10, 200}, 2, 2));
  write_file(root() / "train/b/1.png", plain_png({100, 30, 200}, 2, 2));
  write_file(root() / "test/a/1.png", plain_png({9}, 2, 2));
  write_file(root() / "test/b/1.png", plain_png({9, 9, 9}, 2, 2));
  const auto found = stream({.classes_per_task = 1});
  EXPECT_EQ(found->shape(), (ImageShape{3, 2, 2}));
  const Normalisation normal = found->normalisation();
  // Means 50, 20 and 200 of 255; deviations 50, 10, and 1 where there is none.
  EXPECT_THAT(normal.mean, ElementsAre(50 / 255.0f, 20 / 255.0f, 200 / 255.0f));
  EXPECT_THAT(normal.deviation, ElementsAre(50 / 255.0f, 10 / 255.0f, 1 / 255.0f));
  EXPECT_EQ(found->augmentation(), (Augmentation{.padding = 4, .flips = true}));
  const auto grey = stream({.classes_per_task = 1, .colour = Colour::grey});
  EXPECT_EQ(grey->shape().channels, 1);
  ASSERT_EQ(grey->normalisation().mean.size(), 1u) << "grey images are normalised too";
  EXPECT_TRUE(grey->augmentation().is_none());
  EXPECT_EQ(treated_as(options({.classes_per_task = 1})), "s-cifar-10");
}

TEST_F(OwnStreams, HaveTheSizeOfTheirImagesOrTheOneAskedFor) {
  write_images(root() / "a", 0, 2, 1, 6);
  write_images(root() / "b", 1, 2, 1, 8);
  EXPECT_EQ(stream({.classes_per_task = 1})->shape(), (ImageShape{1, 8, 8})) << "the largest";
  const auto found = stream({.classes_per_task = 1, .height = 4, .width = 3});
  EXPECT_EQ(found->shape(), (ImageShape{1, 4, 3}));
  write_file(root() / "c/1.png", plain_png({1}, 1025, 1));
  write_file(root() / "c/2.png", plain_png({1}, 1025, 1));
  EXPECT_EQ(stream({.classes_per_task = 1})->shape(), (ImageShape{1, 32, 32})) << "photographs";
}

TEST_F(OwnStreams, ReduceAndTiltTheirTasksAsOthersDo) {
  write_classes(root(), {"a", "b"}, 50);
  BenchmarkOptions reduced = options({.classes_per_task = 2});
  reduced.examples_per_task = 12;
  EXPECT_EQ(open_benchmark(reduced, "")->stream(0)->task(1).train.size(), 12u);
  reduced.examples_per_task = 0;
  reduced.imbalance = 10;
  EXPECT_EQ(open_benchmark(reduced, "")->stream(0)->task(1).train.size(), 44u);  // 40 and 4
}

TEST_F(OwnStreams, HaveAFingerprintOfTheirContentAndNotOfItsPlace) {
  write_classes(root(), {"a", "b"}, 4);
  const auto fingerprint = [&](const fs::path& path) {
    return look_at_stream(path, {.classes_per_task = 1}).fingerprint;
  };
  const std::string before = fingerprint(root());
  fs::copy(root(), root().parent_path() / "copy", fs::copy_options::recursive);
  EXPECT_EQ(fingerprint(root().parent_path() / "copy"), before);
  const BenchmarkOptions planned = options({.classes_per_task = 1});
  write_file(root() / "a/1.png", testing::images_of_class(0, 1, 9).front());
  EXPECT_NE(fingerprint(root()), before);
  EXPECT_THROW(open_benchmark(planned, ""), DataError) << "it is not the same data any more";
  fs::copy(root().parent_path() / "copy", root(),
           fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  EXPECT_EQ(fingerprint(root()), before);
  fs::rename(root() / "b", root() / "c");
  EXPECT_NE(fingerprint(root()), before);
}

TEST_F(OwnStreams, AreTheSameOutOfTheCacheAndWithoutOneAndForAnyNumberOfWorkers) {
  write_classes(root(), {"a", "b", "c"}, 70);
  const OwnStreamOptions asked{.classes_per_task = 1, .height = 5, .width = 7};
  const auto bytes = [](const Benchmark& benchmark) {
    std::vector<std::uint8_t> all;
    for (int t = 1; t <= benchmark.tasks(); ++t) {
      const Dataset data = benchmark.task(t).train;
      for (std::size_t i = 0; i < data.size(); ++i) {
        const std::uint8_t* image = data.image(i, {});
        all.insert(all.end(), image, image + data.shape().bytes());
      }
    }
    return all;
  };
  Executor executor(4);
  const LoadHooks hooks{.executor = &executor};
  const auto first = bytes(*stream(asked));  // fills the cache
  const fs::path decoded = root().parent_path() / "cache/gpscl/decoded";
  EXPECT_FALSE(fs::is_empty(decoded));
  EXPECT_EQ(bytes(*stream(asked)), first);
  fs::remove_all(decoded);
  EXPECT_EQ(look_at_stream(options(asked).name, asked, hooks), *options(asked).own);
  EXPECT_EQ(bytes(*open_benchmark(options(asked), "", hooks)->stream(0)), first);
  fs::remove_all(decoded);
  write_file(decoded, "in the way");
  EXPECT_EQ(bytes(*stream(asked)), first);
}

TEST_F(OwnStreams, ListWhatCannotBeReadAndRefuseIt) {
  write_classes(root(), {"a", "b"}, 4);
  write_file(root() / "a/x.png", "no image");
  write_file(root() / "b/2.png", "");
  EXPECT_EQ(error<DataError>({.classes_per_task = 1}),
            in_root("2 of 9 images cannot be read\n  ") + (root() / "a/x.png").string() +
                ": is neither JPEG, PNG, WebP nor GIF\n  " + (root() / "b/2.png").string() +
                ": is empty\n  repair or remove them, or leave them out with `skip-bad`");
}

TEST_F(OwnStreams, LeaveOutWhatCannotBeReadWhereThatIsWished) {
  write_classes(root(), {"a", "b"}, 4);
  write_file(root() / "a/x.png", "no image");
  const BenchmarkOptions all = options({.classes_per_task = 1, .skip_bad = true});
  std::string told;
  const LoadHooks hooks{.tell = [&](const std::string& lines) { told += lines; }};
  const auto found = open_benchmark(all, "", hooks)->stream(0);
  EXPECT_EQ(found->skipped_images(), 1u);
  EXPECT_EQ(found->task(1).train.size() + found->test(1).size(), 4u);
  EXPECT_THAT(told, AllOf(HasSubstr("left out: 1 of 9 images"), HasSubstr("a/x.png: is neither")));
  for (const char* name : {"1", "2", "3"})
    write_file(root() / "a" / (std::string(name) + ".png"), "");
  EXPECT_EQ(error<DataError>({.classes_per_task = 1, .skip_bad = true}),
            in_root("class 'a' has one image; expected a class with at least two in each task, for "
                    "training and for testing"));
}

TEST_F(OwnStreams, TrainOnTheOnlyImageOfAClassAndSaySo) {
  write_classes(root(), {"a", "b"}, 4);
  write_images(root() / "c", 2, 1);
  std::string told;
  const LoadHooks hooks{.tell = [&](const std::string& lines) { told += lines; }};
  const auto found = open_benchmark(options({.classes_per_task = 3}), "", hooks)->stream(0);
  EXPECT_THAT(labels_in(found->task(1).train), ElementsAre(0, 1, 2));
  EXPECT_THAT(labels_in(found->test(1)), ElementsAre(0, 1));
  EXPECT_EQ(told,
            in_root("class 'c' has one image, which is used for training and not for testing"));
}

TEST_F(OwnStreams, WithATaskThatHasNothingToTestOnAreRefused) {
  write_classes(root() / "week1", {"a", "b"}, 4);
  write_classes(root() / "week2", {"c", "d"}, 1);
  EXPECT_EQ(error<DataError>(),
            in_root("class 'c' of task 'week2' has one image; expected a class with at least two "
                    "in each task, for training and for testing"));
  fs::remove_all(root());
  write_classes(root(), {"a", "b"}, 4);
  write_images(root() / "c", 2, 1);
  write_images(root() / "d", 3, 1);
  EXPECT_EQ(error<DataError>({.classes_per_task = 2}),
            in_root("task 2 has no test images: every class of it has one image, for example 'c'; "
                    "expected a class with at least two in each task"));
  BenchmarkOptions ordered = options({.classes_per_task = 2});
  ordered.class_order = "0,2,1,3";
  EXPECT_EQ(open_benchmark(ordered, "")->stream(0)->test(2).size(), 1u);
}

TEST_F(OwnStreams, SayWhichImagesStandUnderSeveralLabels) {
  write_classes(root(), {"a", "b"}, 4);
  fs::copy_file(root() / "a/2.png", root() / "b/9.png");
  std::string told;
  const LoadHooks hooks{.tell = [&](const std::string& lines) { told += lines; }};
  open_benchmark(options({.classes_per_task = 1}), "", hooks);
  EXPECT_EQ(told, in_root("1 image appears under more than one label, for example ") +
                      (root() / "a/2.png").string() + " and " + (root() / "b/9.png").string());
}

TEST_F(OwnStreams, SayWhichClassesHaveNearlyTheSameName) {
  write_classes(root(), {"Cat", "cat", "Cat ", "dog"}, 4);
  std::string told;
  const LoadHooks hooks{.tell = [&](const std::string& lines) { told += lines; }};
  const auto found = open_benchmark(options({.classes_per_task = 2}), "", hooks)->stream(0);
  EXPECT_EQ(found->classes(), 4);
  EXPECT_THAT(told, AllOf(StartsWith(in_root("different classes have names that differ only in "
                                             "letter case or blanks: ")),
                          HasSubstr("'Cat'"), HasSubstr("'cat'"), HasSubstr("'Cat '")));
}

TEST_F(OwnStreams, TakeNamesThatDifferOnlyInTheirFormOfUnicodeForOne) {
  write_images(root() / "week1" / "caf\xC3\xA9", 0, 4);
  write_images(root() / "week2" / "cafe\xCC\x81", 0, 4, /*seed=*/2);
  EXPECT_THAT(stream()->class_names(), ElementsAre("caf\xC3\xA9"));
}

TEST_F(OwnStreams, ThatMakeNoStreamAreRefusedInOneLine) {
  EXPECT_THAT(error<UsageError>(), HasSubstr("does not exist"));
  fs::create_directories(root());
  EXPECT_THAT(error<DataError>(), HasSubstr("contains no images"));
  write_file(root() / "x.png", plain_png({1}, 2, 2));
  EXPECT_THAT(error<DataError>(), HasSubstr("has no class"));
  fs::remove(root() / "x.png");
  write_images(root() / "a", 0, 1);
  EXPECT_THAT(error<DataError>({.classes_per_task = 1}), HasSubstr("class 'a' has one image"));
  write_images(root() / "a", 0, 3);
  EXPECT_EQ(error<UsageError>(), root().string() +
                                     "/ has 1 classes and no tasks; set the number of new classes "
                                     "in each task with `classes-per-task`");
  write_file(root() / "b/1.png", "");
  write_file(root() / "b/2.png", "");
  fs::remove_all(root() / "a");
  EXPECT_THAT(error<DataError>({.classes_per_task = 1}), HasSubstr("2 of 2 images cannot be read"));
}

TEST_F(OwnStreams, WhoseTestImagesDoNotFitAreRefused) {
  write_classes(root() / "train", {"a", "b"}, 3);
  EXPECT_THAT(error<DataError>({.classes_per_task = 1}), HasSubstr("has no test images"));
  write_classes(root() / "test", {"a", "b", "c"}, 3);
  EXPECT_EQ(error<DataError>({.classes_per_task = 1}),
            in_root("class 'c' has only test images; expected some to train on"));
  EXPECT_THAT(error<UsageError>({.classes_per_task = 1, .test_fraction = 0.5}),
              HasSubstr("`test-fraction` works only with data without test images"));
}

TEST_F(OwnStreams, RefuseOptionsThatContradictThem) {
  write_classes(root() / "a", {"x", "y"}, 3);
  write_classes(root() / "b", {"x", "z"}, 3);
  EXPECT_THAT(error<UsageError>({.classes_per_task = 1}),
              HasSubstr("works only with data without tasks"));
  EXPECT_THAT(error<UsageError>({.tasks = 3}), HasSubstr("`tasks` is 3, but"));
  EXPECT_EQ(stream({.tasks = 2})->tasks(), 2);
  EXPECT_THAT(error<UsageError>({.test_fraction = 1}), HasSubstr("`test-fraction`"));
  BenchmarkOptions ordered = options();
  ordered.class_order = "random";
  EXPECT_THROW(open_benchmark(ordered, ""), UsageError);
  write_classes(root().parent_path() / "flat", {"x", "y", "z"}, 3);
  const fs::path flat = root().parent_path() / "flat";
  EXPECT_THAT(error<UsageError>({.classes_per_task = 4}, flat), HasSubstr("at most the 3 classes"));
  EXPECT_THAT(error<UsageError>({.tasks = 2}, flat), HasSubstr("`classes-per-task`"));
  EXPECT_THAT(error<UsageError>({.classes_per_task = 1, .tasks = 2}, flat),
              HasSubstr("`tasks` is 2, but 3 classes with 1 in each task make 3"));
}

TEST_F(OwnStreams, AreToldFromNames) {
  EXPECT_FALSE(is_own_stream("p-mnist"));
  EXPECT_FALSE(is_own_stream("p-mnst"));
  EXPECT_TRUE(is_own_stream("./p-mnist"));
  EXPECT_TRUE(is_own_stream("list.csv"));
  fs::create_directories(root());
  EXPECT_TRUE(is_own_stream(root().string()));
  EXPECT_EQ(path_name(root().string() + "///"), root().string() + "/");
  EXPECT_EQ(path_name(root().string()), root().string() + "/");
  EXPECT_EQ(path_name("a/b.csv"), "a/b.csv");
}

TEST(ImageSize, IsOneSideOrTwo) {
  EXPECT_EQ(parse_image_size("32"), std::pair(32, 32));
  EXPECT_EQ(parse_image_size("24x32"), std::pair(24, 32));
  for (const char* wrong : {"", "x", "0", "-1", "32x", "1x2x3", "32.5", "a"})
    EXPECT_EQ(parse_image_size(wrong), std::nullopt) << wrong;
}

}  // namespace own_stream_test
}  // namespace gps
