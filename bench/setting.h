// The setting of the benchmarks: the paper's P-MNIST. The images are the set named by
// GPSCL_BENCH_SET; without it MNIST if it is found, and Fashion-MNIST otherwise.
#pragma once

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gps/benchmarks/permuted.h"
#include "gps/core/errors.h"
#include "gps/learners/stored_logits.h"
#include "gps/memory/build.h"
#include "gps/nn/mlp/fused_mlp.h"
#include "gps/policies/mixed.h"
#include "gps/training/trainer.h"

namespace gps::bench {

struct Images {
  std::string set;
  TrainTest data;
};

inline const Images& images() {
  static const Images found = [] {
    if (const char* chosen = std::getenv("GPSCL_BENCH_SET")) {
      return Images{chosen, load_mnist_like(chosen, "")};
    }
    try {
      return Images{"mnist", load_mnist_like("mnist", "")};
    } catch (const DataError&) {
      return Images{"fashion-mnist", load_mnist_like("fashion-mnist", "")};
    }
  }();
  return found;
}

inline Task permuted_task(int number) {
  const PermutedBenchmark benchmark(images().data, {.name = "p-mnist", .tasks = number},
                                    Rng(0).fork("benchmark"));
  return {number, benchmark.task(number).train.materialised()};
}

inline std::unique_ptr<Learner> paper_learner(std::vector<std::size_t> sizes = {784, 100, 100, 10},
                                              const std::string& name = "er") {
  LearnerOptions options;
  options.name = name;
  return make_learner(options,
                      std::make_unique<FusedMlp>(std::move(sizes), Initialisation::xavier, Rng(0)));
}

inline Memory filled_memory(std::size_t capacity, int tasks,
                            const SharedCodec& codec = raw_codec()) {
  Memory memory(capacity, images().data.train.shape(), {}, {codec});
  for (int i = 1; i <= tasks; ++i) {
    const Task task = permuted_task(i);
    build_memory(memory, task, selection_orders(task.train, Rng(0).fork("orders", i)),
                 Plan{.ring_size = 0});
  }
  return memory;
}

// A thousand images, as a codec stores them.
class CodedImages {
 public:
  explicit CodedImages(SharedCodec codec) : codec_(std::move(codec)) {
    std::vector<std::uint8_t> scratch(shape_.bytes());
    for (std::size_t k = 0; k < kImages; ++k) {
      const std::uint8_t* const image = images().data.train.image(k, scratch);
      images_.emplace_back(image, image + shape_.bytes());
      rows_.emplace_back(codec_->stored_bytes(shape_));
      store_next();
    }
  }

  void store_next() {
    at_ = (at_ + 1) % images_.size();
    codec_->encode(images_[at_], shape_, rows_[at_]);
  }
  void read_next() {
    at_ = (at_ + 1) % images_.size();
    codec_->decode(rows_[at_], shape_, images_[at_]);
  }

 private:
  static constexpr std::size_t kImages = 1000;

  SharedCodec codec_;
  ImageShape shape_ = images().data.train.shape();
  std::vector<std::vector<std::uint8_t>> images_, rows_;
  std::size_t at_ = kImages - 1;
};

// The sixth task during training. A step does everything: gather 10 rows, draw 10 from the memory,
// forward, backward, update, memory policy. The learner has finished five tasks: it has 50 anchors,
// 500 directions or an importance for each weight, depending on the method. Learners whose default
// policy is none, ring-full or gradient use that one. All others use `mixed` with ratio 0.5 and a
// running reservoir (section 5.4).
class LearnerSteps {
 public:
  explicit LearnerSteps(std::vector<std::size_t> sizes, const std::string& name = "er")
      : LearnerSteps(std::move(sizes), name, filled_memory(1000, 5)) {}

  LearnerSteps(std::vector<std::size_t> sizes, const std::string& name, Memory memory,
               InTask in_task = InTask::running)
      : memory_(std::move(memory)),
        learner_(paper_learner(std::move(sizes), name)),
        policy_(make_mixed({0.5}, in_task)) {
    store_missing_logits(memory_, *learner_);
    for (int i = 1; i <= 5; ++i) {
      const auto rows = Rng(0).fork("few", i).permutation(1000);
      learner_->end_task({i, permuted_task(i).train.subset(rows)}, memory_, Rng(0).fork("end", i));
    }
    if (default_policy(name) == "none") policy_ = make_no_memory();
    if (default_policy(name) == "ring-full") policy_ = make_ring_full(RingQuota::deal);
    if (default_policy(name) == "gradient") policy_ = make_gradient(GssVariant::mammoth, 10);
    policy_->begin_task(memory_, task_, Rng(1));
    learner_->begin_task(task_, memory_, Rng(1));
  }

  double step() {
    if (at_ + 20 > order_.size()) at_ = 0;
    const std::span<const std::uint32_t> rows = order_;
    batch_.gather(task_, rows.subspan(at_, 10), rows.subspan(at_ + 10, 10));
    at_ += 10;
    const double loss = learner_->observe(batch_, memory_, for_learner_);
    if (learner_->stores_logits()) learner_->batch_logits(batch_.logits);
    tell_step(*policy_, memory_, batch_, *learner_, for_policy_);
    return loss;
  }

  const Task& task() const { return task_; }
  const Memory& memory() const { return memory_; }
  Network& network() { return network_of(*learner_); }

 private:
  Task task_ = permuted_task(6);
  Memory memory_;
  std::unique_ptr<Learner> learner_;
  std::unique_ptr<MemoryPolicy> policy_;
  std::vector<std::uint32_t> order_ = Rng(2).permutation(task_.train.size());
  Rng for_learner_{3};
  Rng for_policy_{4};
  Batch batch_;
  std::size_t at_ = 0;
};

}  // namespace gps::bench
