#include "gps/experiments/export/tensorboard.h"

#include <gmock/gmock.h>

#include <set>

#include "experiments/tiny_run.h"
#include "gps/experiments/scheduling/run_many.h"
#include "support/event_reader.h"
#include "support/temporary_folder.h"
#include "support/tiny_sets.h"

namespace gps {
namespace tensorboard_test {

using testing::curve;
using testing::DecodedPng;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using testing::events_of;
using ::testing::Pair;
using testing::ReadEvent;
namespace fs = std::filesystem;

class TinyWorker final : public Worker {
 public:
  RunResult run(const Job& job, const RunHooks& hooks) override {
    return testing::tiny_run(job.spec, job.seed, hooks);
  }
};

// What the file of the only run in the folder says.
std::vector<ReadEvent> events_in(const fs::path& folder, const Spec& spec, std::uint64_t seed) {
  return events_of(testing::read_file(tensorboard_file(folder, spec, seed)));
}

const ReadEvent& find(const std::vector<ReadEvent>& events, const std::string& tag) {
  for (const ReadEvent& event : events) {
    if (event.tag == tag) return event;
  }
  throw std::runtime_error("no " + tag);
}

auto near(double value) { return DoubleNear(value, 1e-6); }

RunResult three_tasks() {
  RunResult result;
  result.spec.benchmark.tasks = 3;
  result.accuracy = {{0.9, 0.1, 0.2}, {0.6, 0.8, 0.1}, {0.7, 0.5, 0.9}};
  result.accuracy_at_initialisation = {0.1, 0.1, 0.1};
  result.decisions = {{1, {40}, 100, {}}, {2, {10}, 50, {}}};
  result.seconds = {1.5, 2.5, 0.25};
  return result;
}

TEST(Tensorboard, HasACurveForEachTaskFromWhereItWasLearnt) {
  const testing::TemporaryFolder folder;
  const RunResult result = three_tasks();
  TensorboardRun(folder.path(), result.spec, 7, 1).end(result, 2);
  const auto events = events_in(folder.path(), result.spec, 7);
  EXPECT_THAT(curve(events, "accuracy/task_1"),
              ElementsAre(Pair(1, near(0.9)), Pair(2, near(0.6)), Pair(3, near(0.7))));
  EXPECT_THAT(curve(events, "accuracy/task_2"),
              ElementsAre(Pair(2, near(0.8)), Pair(3, near(0.5))));
  EXPECT_THAT(curve(events, "accuracy/task_3"), ElementsAre(Pair(3, near(0.9))));
  EXPECT_THAT(curve(events, "accuracy/average"),
              ElementsAre(Pair(1, near(0.9)), Pair(2, near(0.7)), Pair(3, near(0.7))));
  // After task 2: 0.9 - 0.6. After task 3: the mean of 0.9 - 0.7 and 0.8 - 0.5.
  EXPECT_THAT(curve(events, "forgetting"), ElementsAre(Pair(2, near(0.3)), Pair(3, near(0.25))));
  EXPECT_THAT(curve(events, "memory/ring_size"), ElementsAre(Pair(1, 40), Pair(2, 10)));
  EXPECT_THAT(curve(events, "seconds/simulation"), ElementsAre(Pair(3, 2.5)));
}

TEST(Tensorboard, HasWhatWasChosenForEachTask) {
  const testing::TemporaryFolder folder;
  RunResult result = three_tasks();
  RecipeChoice first;
  first.recipe.learning_rate = 0.25;
  first.recipe.steps = 500;
  first.expected = Expected{0.75, 0.5, 0.875};
  RecipeChoice second;
  second.task = 3;
  second.recipe.learning_rate = 0.125;
  second.recipe.steps = 200;
  result.plan.choices = {first, second};
  TensorboardRun(folder.path(), result.spec, 7, 1).end(result, 2);
  const auto events = events_in(folder.path(), result.spec, 7);
  EXPECT_THAT(curve(events, "plan/learning_rate"),
              ElementsAre(Pair(1, 0.25), Pair(2, 0.25), Pair(3, 0.125)));
  EXPECT_THAT(curve(events, "plan/steps"), ElementsAre(Pair(1, 500), Pair(2, 500), Pair(3, 200)));
  EXPECT_THAT(curve(events, "plan/expected_accuracy"), ElementsAre(Pair(3, 0.75)));
  EXPECT_THAT(curve(events, "plan/expected_accuracy_low"), ElementsAre(Pair(3, 0.5)));
  EXPECT_THAT(curve(events, "plan/expected_accuracy_high"), ElementsAre(Pair(3, 0.875)));
}

TEST(Tensorboard, SaysNothingOfWhatWasNotPlannedOrPredicted) {
  const testing::TemporaryFolder folder;
  RunResult result = three_tasks();
  TensorboardRun(folder.path(), result.spec, 0, 1).end(result, 2);
  for (const ReadEvent& event : events_in(folder.path(), result.spec, 0))
    EXPECT_FALSE(event.tag.starts_with("plan/")) << event.tag;
  result.plan.choices = {RecipeChoice()};  // without steps and without a prediction
  TensorboardRun(folder.path(), result.spec, 1, 1).end(result, 2);
  std::set<std::string> tags;
  for (const ReadEvent& event : events_in(folder.path(), result.spec, 1)) {
    if (event.tag.starts_with("plan/")) tags.insert(event.tag);
  }
  EXPECT_THAT(tags, ElementsAre("plan/learning_rate"));
}

TEST(Tensorboard, ForgettingAtTheEndIsTheMetric) {
  const testing::TemporaryFolder folder;
  const RunResult result = three_tasks();
  TensorboardRun(folder.path(), result.spec, 0, 1).end(result, 2);
  const Metrics metrics = compute_metrics(result.accuracy, result.accuracy_at_initialisation);
  EXPECT_NEAR(curve(events_in(folder.path(), result.spec, 0), "forgetting").at(3),
              *metrics["forgetting"], 1e-6);
}

TEST(Tensorboard, TellsTheEndOfATaskOnce) {
  const testing::TemporaryFolder folder;
  const RunResult result = three_tasks();
  TensorboardRun run(folder.path(), result.spec, 0, 1);
  run.end_task(2, 0.7, 1.5);
  EXPECT_THAT(curve(events_in(folder.path(), result.spec, 0), "accuracy/average"),
              ElementsAre(Pair(2, near(0.7))));
  run.end(result, 2);
  EXPECT_EQ(curve(events_in(folder.path(), result.spec, 0), "accuracy/average").size(), 3u);
}

TEST(Tensorboard, KeepsItsStepsInOrderWhereARunWasResumed) {
  const testing::TemporaryFolder folder;
  const RunResult result = three_tasks();
  TensorboardRun run(folder.path(), result.spec, 0, 1);
  run.end_task(3, 0.7, 1.5);
  run.end(result, 2);
  std::vector<std::int64_t> steps;
  for (const ReadEvent& event : events_in(folder.path(), result.spec, 0)) {
    if (event.tag == "accuracy/average") steps.push_back(event.step);
  }
  EXPECT_THAT(steps, ElementsAre(1, 2, 3));
}

TEST(Tensorboard, AllTasksAtOnceAreOneStep) {
  const testing::TemporaryFolder folder;
  RunResult result = three_tasks();
  result.accuracy = {{0.6, 0.8, 1.0}};
  TensorboardRun(folder.path(), result.spec, 0, 1).end(result, 2);
  const auto events = events_in(folder.path(), result.spec, 0);
  EXPECT_THAT(curve(events, "accuracy/average"), ElementsAre(Pair(1, near(0.8))));
  EXPECT_THAT(curve(events, "accuracy/task_3"), ElementsAre(Pair(1, near(1.0))));
}

TEST(Tensorboard, HasNoPointWhereNoTaskWasTested) {
  const testing::TemporaryFolder folder;
  RunResult result = three_tasks();
  result.accuracy[0].clear();
  TensorboardRun(folder.path(), result.spec, 0, 1).end(result, 2);
  const auto events = events_in(folder.path(), result.spec, 0);
  EXPECT_THAT(curve(events, "accuracy/average"),
              ElementsAre(Pair(2, near(0.7)), Pair(3, near(0.7))));
  EXPECT_THAT(curve(events, "accuracy/task_1"),
              ElementsAre(Pair(2, near(0.6)), Pair(3, near(0.7))));
  EXPECT_TRUE(curve(events, "forgetting").empty());
  const Picture map = heat_map(result.accuracy);
  EXPECT_EQ(map.width, map.height);
  EXPECT_EQ(map.pixels[0], map.pixels[1]) << "grey";
  EXPECT_EQ(map.pixels[0], map.pixels[2]) << "grey";
}

TEST(Tensorboard, TheMatrixIsBrighterWhereAccuracyIsHigher) {
  const Picture map = heat_map({{0.0, 0.5}, {0.25, 1.0}});
  EXPECT_EQ(map.height, 400);
  EXPECT_EQ(map.width, 400);
  const auto brightness = [&](std::size_t y, std::size_t x) {
    const std::uint8_t* pixel = map.pixels.data() + (y * 400 + x) * 3;
    return 299 * pixel[0] + 587 * pixel[1] + 114 * pixel[2];
  };
  EXPECT_EQ(brightness(0, 0), brightness(199, 199));
  EXPECT_LT(brightness(0, 0), brightness(200, 0));
  EXPECT_LT(brightness(200, 0), brightness(0, 200));
  EXPECT_LT(brightness(0, 200), brightness(399, 399));
}

TEST(Tensorboard, TheContactSheetHasARowOfExamplesForEachTask) {
  const ImageShape shape{3, 1, 2};
  Memory memory(10, shape.bytes());
  const auto add = [&](int task, Part part, std::vector<std::uint8_t> bytes) {
    memory.add({.image = store_image(bytes), .part = part, .task = task});
  };
  add(1, Part::reservoir, {1, 2, 3, 4, 5, 6});
  add(2, Part::reservoir, {11, 12, 13, 14, 15, 16});
  add(1, Part::ring, {21, 22, 23, 24, 25, 26});
  const Picture sheet = contact_sheet(memory, shape);
  EXPECT_EQ(sheet.height, 2 * 2 + 1);
  EXPECT_EQ(sheet.width, 2 * 3 + 1);
  const auto pixel = [&](int y, int x) {
    const std::uint8_t* at = sheet.pixels.data() + (y * sheet.width + x) * 3;
    return std::vector<int>{at[0], at[1], at[2]};
  };
  EXPECT_THAT(pixel(1, 1), ElementsAre(21, 23, 25)) << "the ring part comes first";
  EXPECT_THAT(pixel(1, 2), ElementsAre(22, 24, 26));
  EXPECT_THAT(pixel(1, 4), ElementsAre(1, 3, 5));
  EXPECT_THAT(pixel(3, 1), ElementsAre(11, 13, 15));
  EXPECT_THAT(pixel(0, 0), ElementsAre(128, 128, 128));
  EXPECT_THAT(pixel(3, 4), ElementsAre(128, 128, 128)) << "there is no second one";
}

TEST(Tensorboard, TheContactSheetShowsDecodedImages) {
  const ImageShape shape{1, 2, 2};
  Memory memory(1, shape, {}, {make_codec("bits:1")});
  memory.add({.image = memory.stored(std::vector<std::uint8_t>{10, 200, 127, 128}), .task = 1});
  const Picture sheet = contact_sheet(memory, shape);
  ASSERT_EQ(sheet.width, 4);
  const auto at = [&](std::size_t y, std::size_t x) { return int{sheet.pixels[y * 4 + x]}; };
  EXPECT_EQ(at(1, 1), 0);
  EXPECT_EQ(at(1, 2), 255);
  EXPECT_EQ(at(2, 1), 0);
  EXPECT_EQ(at(2, 2), 255);
}

// Each tile of the sheet is then an image of the data before any permutation, which task 1 has.
TEST(Tensorboard, ShowsPermutedPixelsInTheirPlaces) {
  const testing::TemporaryFolder folder;
  const Spec spec = testing::tiny_spec("ring-full");
  RunHooks hooks;
  hooks.finished = [&](const RunResult& result, const Learner&, const Memory& memory,
                       const ImageShape& shape) {
    TensorboardRun run(folder.path(), spec, result.seed, 1);
    run.show(memory, shape, 3, 2);
  };
  testing::tiny_run(spec, /*seed=*/5, hooks);
  const Dataset data = testing::TinySource(spec.benchmark).stream(5)->task(1).train;
  std::set<std::vector<std::uint8_t>> known;
  std::vector<std::uint8_t> scratch(data.shape().bytes());
  for (std::size_t i = 0; i < data.size(); ++i) {
    const std::uint8_t* image = data.image(i, scratch);
    known.emplace(image, image + scratch.size());
  }
  const auto events = events_in(folder.path(), spec, 5);
  const DecodedPng& sheet = *find(events, "memory").image;
  const int height = data.shape().height;
  const int width = data.shape().width;
  for (int task = 0; task < 3; ++task) {
    std::vector<std::uint8_t> tile;
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        const int at = (task * (height + 1) + 1 + y) * sheet.width + 1 + x;
        tile.push_back(sheet.pixels[static_cast<std::size_t>(3 * at)]);
      }
    }
    EXPECT_TRUE(known.contains(tile)) << "of task " << task + 1;
  }
}

TEST(Tensorboard, LeavesTheResultAsItIs) {
  const testing::TemporaryFolder folder;
  const Spec spec = testing::tiny_spec("gps");
  const RunResult expected = testing::tiny_run(spec);
  const std::vector<Job> jobs = {{spec, 0, "gps"}};
  RunManyOptions options{.out = folder.path() / "out", .what = Redo::all};
  options.tensorboard.folder = folder.path() / "board";
  fs::create_directories(options.out);
  Store store(options.out / "runs.sqlite");
  Executor executor(1);
  StopFlag stop;
  const std::vector<std::size_t> order = {0};
  TinyWorker tiny;
  const auto ends = run_many(jobs, order, tiny, executor, store, stop, options);
  ASSERT_EQ(ends[0].state, JobState::done) << ends[0].error;
  EXPECT_EQ(testing::text_but_for_times(read_result(ends[0].file, spec, 0)),
            testing::text_but_for_times(expected));
  const auto events = events_in(options.tensorboard.folder, spec, 0);
  const auto average = curve(events, "accuracy/average");
  ASSERT_EQ(average.size(), 3u);
  EXPECT_NEAR(average.at(3), expected.metrics.average_accuracy(), 1e-6);
  EXPECT_EQ(curve(events, "memory/ring_size").size(), expected.decisions.size());
  const ReadEvent& matrix = find(events, "accuracy_matrix");
  EXPECT_EQ(matrix.step, 3);
  EXPECT_EQ(matrix.image->width, 399);
  const ReadEvent& memory = find(events, "memory");
  EXPECT_EQ(memory.step, 3);
  EXPECT_EQ(memory.image->height, 3 * (6 + 1) + 1);
  EXPECT_FALSE(memory.image->is_colour);
}

}  // namespace tensorboard_test
}  // namespace gps
