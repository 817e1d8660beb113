#include "gps/experiments/export/tensorboard.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "gps/benchmarks/permuted.h"
#include "gps/core/errors.h"
#include "gps/core/statistics.h"
#include "gps/data/features.h"
#include "gps/experiments/prediction.h"

namespace gps {
namespace {

namespace fs = std::filesystem;

// Makes the folder of the file, and returns the file.
fs::path prepared(const fs::path& file) {
  const fs::path folder = file.parent_path();
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw DataError(fmt::format("{}: cannot be made: {}", folder.string(), error.message()));
  return file;
}

// A scale from dark blue through green to yellow, with increasing brightness.
std::array<std::uint8_t, 3> colour_of(double share) {
  constexpr std::array<std::array<double, 3>, 5> kStops = {
      {{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}}};
  const double at = std::clamp(share, 0.0, 1.0) * (kStops.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(at), kStops.size() - 2);
  std::array<std::uint8_t, 3> colour{};
  for (std::size_t c = 0; c < colour.size(); ++c) {
    const double value =
        std::lerp(kStops[below][c], kStops[below + 1][c], at - static_cast<double>(below));
    colour[c] = static_cast<std::uint8_t>(std::lround(value));
  }
  return colour;
}

// Returns the metric `forgetting` after row i, counted from 0, if the rows up to it allow it.
std::optional<double> forgetting_after(const AccuracyMatrix& accuracy, std::size_t i) {
  return compute_metrics(first_tasks_of(accuracy, i + 1), /*at_initialisation=*/{})["forgetting"];
}

double mean_of_first(const std::vector<double>& row, std::size_t count) {
  return mean(std::span(row).first(count));
}

// Returns the choice that holds for this task, or null.
const RecipeChoice* choice_for(const PlanRecord& plan, int task) {
  const RecipeChoice* found = nullptr;
  for (const RecipeChoice& choice : plan.choices) {
    if (choice.task <= task) found = &choice;
  }
  return found;
}

// The same images with their pixels put back, stored as they are.
Memory put_back(const Memory& memory, const ImageShape& shape, std::uint64_t seed) {
  PixelsPutBack pixels(shape, seed);
  Memory shown(memory.capacity(), shape.bytes());
  std::vector<std::uint8_t> scratch(shape.bytes());
  for (Example example : memory.examples()) {
    const std::uint8_t* const decoded = memory.image(example, scratch);
    std::vector<std::uint8_t> image(decoded, decoded + shape.bytes());
    pixels.put_back(example.task, image);
    example.image = store_image(image);
    example.decoded = nullptr;
    shown.add(std::move(example));
  }
  return shown;
}

}  // namespace

fs::path tensorboard_file(const fs::path& folder, const Spec& spec, std::uint64_t seed) {
  return folder / fs::path(file_name(spec, seed)).stem() / "events.out.tfevents.gpscl";
}

TensorboardRun::TensorboardRun(const fs::path& folder, const Spec& spec, std::uint64_t seed,
                               double now)
    : benchmark_(spec.benchmark),
      seed_(seed),
      path_(prepared(tensorboard_file(folder, spec, seed))),
      file_(path_, now) {}

void TensorboardRun::end_task(int task, double accuracy, double now) {
  if (told_.insert(task).second) file_.scalar("accuracy/average", {task, now}, accuracy);
}

void TensorboardRun::end(const RunResult& result, double now) {
  if (!told_.empty() && *told_.begin() > 1) {
    file_ = EventFile(path_, now);
    told_.clear();
  }
  const AccuracyMatrix& accuracy = result.accuracy;
  for (std::size_t i = 0; i < accuracy.size(); ++i) {
    if (accuracy[i].empty()) continue;  // no task was tested
    // One row means that all tasks were learnt at once.
    const std::size_t seen = accuracy.size() == 1 ? accuracy[i].size() : i + 1;
    const EventTime when{static_cast<std::int64_t>(i + 1), now};
    end_task(static_cast<int>(i + 1), mean_of_first(accuracy[i], seen), now);
    for (std::size_t j = 0; j < seen; ++j)
      file_.scalar(fmt::format("accuracy/task_{}", j + 1), when, accuracy[i][j]);
    if (const auto forgetting = forgetting_after(accuracy, i))
      file_.scalar("forgetting", when, *forgetting);
    if (result.class_incremental) {
      file_.scalar("class_incremental_accuracy/average", when,
                   mean_of_first(result.class_incremental->accuracy[i], seen));
    }
  }
  for (const Decision& decision : result.decisions) {
    const EventTime when{decision.task, now};
    for (const PlanKnob& knob : plan_knobs())
      file_.scalar(fmt::format("memory/{}", knob.key), when,
                   static_cast<double>(decision.plan.*knob.value));
    file_.scalar("memory/quota", when, static_cast<double>(decision.quota));
  }
  tell_plan(result, now);
  const EventTime last{static_cast<std::int64_t>(accuracy.size()), now};
  file_.scalar("seconds/training", last, result.seconds.training);
  file_.scalar("seconds/simulation", last, result.seconds.simulation);
  file_.scalar("seconds/evaluation", last, result.seconds.evaluation);
  file_.image("accuracy_matrix", last, heat_map(accuracy));
}

void TensorboardRun::tell_plan(const RunResult& result, double now) {
  const auto tasks = static_cast<int>(result.accuracy.size());
  for (int task = 1; task <= tasks; ++task) {
    const RecipeChoice* choice = choice_for(result.plan, task);
    if (choice == nullptr) continue;
    file_.scalar("plan/learning_rate", {task, now}, choice->recipe.learning_rate);
    if (choice->recipe.steps > 0)  // otherwise epochs
      file_.scalar("plan/steps", {task, now}, choice->recipe.steps);
  }
  const std::optional<Prediction> prediction = prediction_of(result);
  if (!prediction) return;
  const EventTime last{tasks, now};
  file_.scalar("plan/expected_accuracy", last, prediction->expected.accuracy);
  file_.scalar("plan/expected_accuracy_low", last, prediction->expected.low);
  file_.scalar("plan/expected_accuracy_high", last, prediction->expected.high);
}

void TensorboardRun::show(const Memory& memory, const ImageShape& shape, int task, double now) {
  if (memory.is_empty() || are_features(shape)) return;
  const bool is_permuted = has_permuted_pixels(benchmark_);
  file_.image("memory", {task, now},
              contact_sheet(is_permuted ? put_back(memory, shape, seed_) : memory, shape));
}

Picture heat_map(const AccuracyMatrix& accuracy) {
  constexpr std::size_t kSide = 400;
  constexpr std::array<std::uint8_t, 3> kNotTested = {128, 128, 128};
  const std::size_t rows = accuracy.size();
  const std::size_t columns = accuracy.back().size();
  const std::size_t cell = std::max<std::size_t>(4, kSide / std::max(rows, columns));
  Picture picture{static_cast<int>(rows * cell), static_cast<int>(columns * cell), 3, {}};
  for (std::size_t y = 0; y < rows * cell; ++y) {
    for (std::size_t x = 0; x < columns * cell; ++x) {
      const std::vector<double>& row = accuracy[y / cell];
      const auto colour = x / cell < row.size() ? colour_of(row[x / cell]) : kNotTested;
      picture.pixels.insert(picture.pixels.end(), colour.begin(), colour.end());
    }
  }
  return picture;
}

Picture contact_sheet(const Memory& memory, const ImageShape& shape) {
  constexpr std::size_t kMostTasks = 100;
  constexpr std::size_t kMostExamples = 20;
  constexpr std::uint8_t kLine = 128;
  std::map<int, std::vector<const Example*>> tasks;
  for (const Part part : {Part::ring, Part::reservoir}) {
    for (const Example& example : memory.examples()) {
      auto& row = tasks[example.task];
      if (example.part == part && row.size() < kMostExamples) row.push_back(&example);
    }
  }
  const auto height = static_cast<std::size_t>(shape.height);
  const auto width = static_cast<std::size_t>(shape.width);
  const auto channels = static_cast<std::size_t>(shape.channels);
  const std::size_t rows = std::min(tasks.size(), kMostTasks);
  std::size_t columns = 0;
  for (const auto& [task, row] : tasks) columns = std::max(columns, row.size());
  const std::size_t all_height = rows * (height + 1) + 1;
  const std::size_t all_width = columns * (width + 1) + 1;
  // Images store one channel after another; pictures store the channels of a pixel together. Of
  // images with two channels or more than three, only the first channel is shown.
  const std::size_t shown = channels == 3 ? 3 : 1;
  Picture sheet{static_cast<int>(all_height), static_cast<int>(all_width), static_cast<int>(shown),
                std::vector<std::uint8_t>(all_height * all_width * shown, kLine)};
  std::vector<std::uint8_t> scratch(shape.bytes());
  std::size_t nth = 0;
  for (const auto& [task, row] : tasks) {
    if (nth == rows) break;
    for (std::size_t k = 0; k < row.size(); ++k) {
      const std::uint8_t* const image = memory.image(*row[k], scratch);
      for (std::size_t y = 0; y < height; ++y) {
        for (std::size_t x = 0; x < width; ++x) {
          const std::size_t at = (nth * (height + 1) + 1 + y) * all_width + k * (width + 1) + 1 + x;
          for (std::size_t c = 0; c < shown; ++c)
            sheet.pixels[at * shown + c] = image[(c * height + y) * width + x];
        }
      }
    }
    ++nth;
  }
  return sheet;
}

}  // namespace gps
