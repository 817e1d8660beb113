// S-MNIST, S-CIFAR-10, TinyImageNet and similar streams (Zenke et al. 2017; section 6.1 of the
// paper): the classes are divided equally among the tasks, in natural order (A25) or another.
// Task-incremental if a task is evaluated among its own classes only; class-incremental if among
// all.
#pragma once

#include "gps/benchmarks/benchmark.h"
#include "gps/core/rng.h"
#include "gps/data/sets/locate.h"

namespace gps {

class SplitBenchmark final : public Benchmark {
 public:
  // Draws everything random from forks of `rng`. Throws DataError if a task has no training or no
  // test examples, and the exceptions of class_order(). REQUIRES: the number of tasks divides the
  // number of classes.
  SplitBenchmark(TrainTest data, BenchmarkOptions options, const Rng& rng);

  int tasks() const override { return options_.tasks; }
  int classes() const override { return data_.train.classes(); }
  const ImageShape& shape() const override { return data_.train.shape(); }
  Task task(int i) const override;
  Dataset test(int i) const override;
  std::vector<Label> labels_of(int task) const override;
  // Colour images are cropped with a border of four pixels and flipped, as is common practice.
  Augmentation augmentation() const override;
  Normalisation normalisation() const override;

 private:
  // Returns the examples of this task's labels.
  Dataset part(const Dataset& data, int task) const;

  TrainTest data_;
  BenchmarkOptions options_;
  Rng rng_;
  std::vector<Label> order_;  // all classes; task 1 has the first ones
};

}  // namespace gps
