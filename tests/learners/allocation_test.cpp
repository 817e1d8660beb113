// Steps in full swing ask for no memory.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "gps/learners/stored_logits.h"
#include "gps/nn/mlp/fused_mlp.h"
#include "support/tiny_data.h"

namespace {
std::atomic<std::size_t> allocations{0};
}  // namespace

// Counts every `new` of this program. Sanitizers have a `new` of their own.
#ifndef GPSCL_SANITIZED
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
#endif

namespace gps {
namespace {

void expect_no_allocation(const ExampleFormat& format) {
#ifdef GPSCL_SANITIZED
  GTEST_SKIP() << "not checked: allocations; to check: run a build without sanitizers";
#endif
  const Task task{1, testing::tiny_dataset(4, 30, 1)};
  for (const char* name : {"er", "gss", "sgd", "der", "der++", "agem", "oewc"}) {
    LearnerOptions options;
    options.name = name;
    const auto learner =
        make_learner(options, std::make_unique<FusedMlp>(std::vector<std::size_t>{36, 12, 4},
                                                         Initialisation::xavier, Rng(1)));
    Memory memory(40, task.train.shape(), {}, format);
    Batch batch;
    for (std::uint32_t row = 0; row < 40; ++row) {
      batch.gather(task, {&row, 1});
      memory.add(memory.make_example(batch, 0, Part::reservoir));
    }
    store_missing_logits(memory, *learner);
    const auto order = Rng(2).permutation(task.train.size());
    Rng rng(3);
    std::size_t before = 0;
    for (std::size_t step = 0; step < 100; ++step) {
      if (step == 20) before = allocations;  // buffers have their sizes by then
      const std::size_t first = step % 11 * 10;
      batch.gather(task, std::span(order).subspan(first, 10), std::span(order).first(10));
      learner->observe(batch, memory, rng);
      if (learner->stores_logits()) learner->batch_logits(batch.logits);
    }
    EXPECT_EQ(allocations - before, 0u) << name << " " << format.codec->name();
  }
}

TEST(Allocation, DoesNotHappenInTheLoop) { expect_no_allocation({}); }

TEST(Allocation, DoesNotHappenWhereRowsAreDecoded) {
  expect_no_allocation({make_codec("bits:1"), LogitsFormat::int8});
  expect_no_allocation({make_codec("down:2"), LogitsFormat::float16});
}

}  // namespace
}  // namespace gps
