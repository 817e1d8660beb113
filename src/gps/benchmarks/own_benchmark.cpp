#include "gps/benchmarks/own_benchmark.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "gps/benchmarks/class_order.h"
#include "gps/benchmarks/long_tailed.h"
#include "gps/core/errors.h"
#include "gps/data/features.h"

namespace gps {
namespace {

class OwnBenchmark final : public Benchmark {
 public:
  OwnBenchmark(std::shared_ptr<const OwnData> data, BenchmarkOptions options, const Rng& rng)
      : data_(std::move(data)), options_(std::move(options)), rng_(rng), parts_(number_of_tasks()) {
    const Outline& outline = data_->outline;
    std::vector<std::size_t> task_of_class(outline.class_names.size());
    if (outline.task_names.empty()) {
      const auto order = class_order(options_.class_order, classes(), rng.fork("class order"));
      const auto each = static_cast<std::size_t>(options_.own->classes_per_task);
      for (std::size_t k = 0; k < order.size(); ++k) task_of_class[order[k]] = k / each;
    }
    std::map<std::pair<std::size_t, Label>, std::vector<std::uint32_t>> groups;
    for (std::uint32_t i = 0; i < outline.labels.size(); ++i) {
      const Label label = outline.labels[i];
      groups[{outline.tasks[i], label}].push_back(i);
    }
    for (const auto& [key, rows] : groups) {
      const auto [named_task, label] = key;
      Part& part = parts_[outline.task_names.empty() ? task_of_class[label] : named_task];
      part.labels.push_back(label);
      add(part, rows, rng.fork("test examples", named_task, label));
    }
    for (Part& part : parts_) {
      std::sort(part.labels.begin(), part.labels.end());
      std::sort(part.train.begin(), part.train.end());
      std::sort(part.test.begin(), part.test.end());
    }
    if (!outline.has_split) check_has_tests();
  }

  int tasks() const override { return static_cast<int>(parts_.size()); }
  int classes() const override { return data_->images.classes(); }
  const ImageShape& shape() const override { return data_->images.shape(); }

  Task task(int i) const override {
    const Dataset own = data_->images.subset(part(i).train);
    const auto examples = static_cast<std::size_t>(options_.examples_per_task);
    const auto rows = choose_examples(own, examples, options_.imbalance, rng_.fork("examples", i));
    return {i, own.subset(rows), labels_of(i), augmentation()};
  }
  Dataset test(int i) const override { return data_->images.subset(part(i).test); }

  std::vector<Label> labels_of(int task) const override {
    return options_.own->divides_classes() ? part(task).labels : std::vector<Label>();
  }
  Augmentation augmentation() const override {
    constexpr Augmentation kNatural{.padding = 4, .flips = true};
    return options_.augment && shape().channels == 3 ? kNatural : Augmentation{};
  }

  Normalisation normalisation() const override {
    if (are_features(shape())) return feature_normalisation(task(1).train);
    if (data_->sums.empty()) return {};
    std::vector<ChannelSums> channels(static_cast<std::size_t>(shape().channels));
    std::size_t images = 0;
    for (const Part& part : parts_) {
      images += part.train.size();
      for (const std::uint32_t i : part.train) {
        for (std::size_t c = 0; c < channels.size(); ++c) channels[c].add(data_->sums[i][c]);
      }
    }
    return normalisation_from(channels, images, shape().pixels());
  }

  std::vector<std::string> class_names() const override { return data_->outline.class_names; }
  std::vector<std::string> task_names() const override { return data_->outline.task_names; }
  std::size_t skipped_images() const override { return data_->skipped; }

 private:
  // The rows of one task within all images.
  struct Part {
    std::vector<std::uint32_t> train;
    std::vector<std::uint32_t> test;
    std::vector<Label> labels;
  };

  std::size_t number_of_tasks() const { return options_.own->classes_of_tasks.size(); }
  const Part& part(int task) const { return parts_[static_cast<std::size_t>(task) - 1]; }

  // Which classes are together in a task may depend on the seed.
  void check_has_tests() const {
    for (std::size_t t = 0; t < parts_.size(); ++t) {
      if (!parts_[t].test.empty()) continue;
      refuse(options_.name,
             fmt::format("task {} has no test images: every class of it has one image, for example "
                         "'{}'; expected a class with at least two in each task",
                         t + 1, data_->outline.class_names.at(parts_[t].labels.at(0))));
    }
  }

  // Adds the images of one class to the task. If the data does not mark test images, draws a share
  // of them for testing.
  void add(Part& part, const std::vector<std::uint32_t>& rows, Rng rng) const {
    if (data_->outline.has_split) {
      for (const std::uint32_t row : rows) {
        const bool is_test = data_->outline.splits[row] == Split::test;
        (is_test ? part.test : part.train).push_back(row);
      }
      return;
    }
    if (rows.size() == 1) {
      part.train.push_back(rows.front());
      return;
    }
    const std::size_t held_out = test_examples(rows.size(), options_.own->test_fraction);
    const auto order = rng.permutation(rows.size());
    for (std::size_t k = 0; k < rows.size(); ++k)
      (k < held_out ? part.test : part.train).push_back(rows[order[k]]);
  }

  std::shared_ptr<const OwnData> data_;
  BenchmarkOptions options_;
  Rng rng_;
  std::vector<Part> parts_;
};

}  // namespace

std::vector<std::vector<ChannelSums>> channel_sums(const Dataset& images, const LoadHooks& hooks) {
  std::vector<std::vector<ChannelSums>> sums(images.size());
  const std::size_t pixels = images.shape().pixels();
  const LoadHooks quiet{.executor = hooks.executor, .stop = hooks.stop};
  for_each_part(images.size(), "", quiet, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint8_t* image = images.image(i, {});
      for (int c = 0; c < images.shape().channels; ++c, image += pixels) {
        sums[i].emplace_back();
        sums[i].back().add({image, pixels});
      }
    }
  });
  return sums;
}

std::unique_ptr<Benchmark> make_own_benchmark(std::shared_ptr<const OwnData> data,
                                              BenchmarkOptions options, const Rng& rng) {
  return std::make_unique<OwnBenchmark>(std::move(data), std::move(options), rng);
}

}  // namespace gps
