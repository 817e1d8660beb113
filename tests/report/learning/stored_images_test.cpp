#include "gps/report/learning/stored_images.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "deployment/weeks.h"

namespace gps {
namespace stored_images_test {

using ::testing::HasSubstr;

TEST(MemoryText, NamesTheClassesWithoutAnImageForReplay) {
  Executor executor(1);
  LearnState state(testing::tiny_options("er", "mixed:1"));
  learn(state, testing::week(1), executor);
  state.memory.retain([](const Example& example) { return example.label == 1; });
  EXPECT_THAT(memory_text(state), HasSubstr("  no image for replay of 1 class: 'class 0'\n"));
  LearnState without(testing::tiny_options("sgd"));
  learn(without, testing::week(1), executor);
  EXPECT_THAT(memory_text(without), ::testing::Not(HasSubstr("for replay of")))
      << "it replays nothing";
}

TEST(MemoryText, CountsEveryImageOnce) {
  Executor executor(1);
  LearnState state(testing::tiny_options("er", "mixed:1"));
  learn(state, testing::week(1), executor);
  EXPECT_EQ(memory_text(state),
            "memory: 50 images = 40 for replay + 10 for testing (0.00 MB; limits: 40 + 10)\n"
            "  task 1 week1: 20 of 'class 0', 20 of 'class 1'; 10 for testing\n");
}

}  // namespace stored_images_test
}  // namespace gps
