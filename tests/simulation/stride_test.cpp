#include <gtest/gtest.h>

#include "gps/simulation/switching_point.h"

namespace gps {
namespace stride_test {

TEST(StrideFor, IsThePapersForItsBenchmarks) {
  // P-MNIST, |M| = 1000: |M|/(5i) between 20 and 100.
  EXPECT_EQ(stride_for(1000, 1, 10, {}), 100u);
  EXPECT_EQ(stride_for(1000, 2, 10, {}), 100u);
  EXPECT_EQ(stride_for(1000, 3, 10, {}), 66u);
  EXPECT_EQ(stride_for(1000, 5, 10, {}), 40u);
  EXPECT_EQ(stride_for(1000, 10, 10, {}), 20u);
  // S-CIFAR-100 and TinyImageNet, |M| = 2000: between 40 and 200.
  EXPECT_EQ(stride_for(2000, 1, 10, {}), 200u);
  EXPECT_EQ(stride_for(2000, 4, 10, {}), 100u);
  EXPECT_EQ(stride_for(2000, 10, 10, {}), 40u);
}

TEST(StrideFor, IsAtLeastOneForSmallMemories) {
  for (std::size_t capacity = 1; capacity <= 60; ++capacity) {
    for (int tasks = 1; tasks <= 12; ++tasks) {
      for (int i = 1; i <= tasks; ++i) EXPECT_GE(stride_for(capacity, i, tasks, {}), 1u);
    }
  }
  EXPECT_EQ(stride_for(20, 1, 5, {}), 2u);     // 4, at most 20/10
  EXPECT_EQ(stride_for(100, 10, 10, {}), 2u);  // 100/50
}

TEST(StrideFor, TakesAStrideGivenByHandAsItIs) {
  for (const std::size_t stride : {1U, 5U, 33U, 500U}) {
    for (const int task : {1, 5, 10})
      EXPECT_EQ(stride_for(1000, task, 10, {.stride = stride}), stride);
  }
}

TEST(StrideFor, HeedsBoundsGivenByHand) {
  EXPECT_EQ(stride_for(1000, 1, 10, {.largest = 150}), 150u);
  EXPECT_EQ(stride_for(1000, 1, 10, {.largest = 5}), 5u);
  EXPECT_EQ(stride_for(1000, 10, 10, {.smallest = 50}), 50u);
  EXPECT_EQ(stride_for(1000, 1, 10, {.smallest = 300}), 300u);
  EXPECT_EQ(stride_for(1000, 1, 10, {.stride = 5, .smallest = 10}), 10u);
  EXPECT_EQ(stride_for(1000, 1, 10, {.stride = 50, .largest = 40}), 40u);
}

}  // namespace stride_test
}  // namespace gps
