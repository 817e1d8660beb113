// S-MNIST, S-CIFAR-10, TinyImageNet and kin (Zenke et al. 2017; section 6.1 of the paper): the
// classes are divided among the tasks, as many to each, in natural order (A25) or another.
// Task-incremental, if a task is evaluated among its own classes only; class-incremental, if among
// all.
#pragma once

#include "gps/benchmarks/benchmark.h"
#include "gps/core/rng.h"
#include "gps/data/sets/locate.h"

namespace gps {

class SplitBenchmark final : public Benchmark {
 public:
  // Everything random is drawn from forks of `rng`. Throws DataError if a task has no training or
  // no test examples, and what class_order() throws. REQUIRES: the tasks divide the classes.
  SplitBenchmark(TrainTest data, BenchmarkOptions options, const Rng& rng);

  int tasks() const override { return options_.tasks; }
  int classes() const override { return data_.train.classes(); }
  const ImageShape& shape() const override { return data_.train.shape(); }
  Task task(int i) const override;
  Dataset test(int i) const override;
  std::vector<Label> labels_of(int task) const override;
  // Natural images are cropped out of a border of four pixels and flipped, as everybody does.
  Augmentation augmentation() const override;
  Normalisation normalisation() const override { return normalisation_of(options_.name); }

 private:
  // The examples of the labels of this task.
  Dataset part(const Dataset& data, int task) const;

  TrainTest data_;
  BenchmarkOptions options_;
  Rng rng_;
  std::vector<Label> order_;  // of all classes: the first ones are task 1's
};

}  // namespace gps
