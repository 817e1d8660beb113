#include "gps/memory/decoded_rows.h"

#include <gtest/gtest.h>

#include <numeric>

#include "support/tiny_data.h"

namespace gps {
namespace decoded_rows_test {

Memory filled(const SharedCodec& codec, std::uint32_t count) {
  const Task task{1, testing::tiny_dataset(4, 150)};
  Memory memory(count, task.train.shape(), {}, {codec});
  Batch batch;
  for (std::uint32_t row = 0; row < count; ++row) {
    batch.gather(task, {&row, 1});
    memory.add(memory.make_example(batch, 0, Part::ring));
  }
  return memory;
}

TEST(DecodedRows, AreTheStoredOnesIfTheMemoryKeepsPixels) {
  const Memory memory = filled(raw_codec(), 3);
  DecodedRows rows;
  rows.add(memory, memory[2]);
  rows.add(memory, memory[0]);
  ASSERT_EQ(rows.rows().size(), 2u);
  EXPECT_EQ(rows.rows()[0], memory[2].image.get());
  EXPECT_EQ(rows.rows()[1], memory[0].image.get());
}

TEST(ForDecoded, PassesEverySlotOnceInOrder) {
  for (const char* codec : {"raw", "bits:4"}) {
    const Memory memory = filled(make_codec(codec), 600);
    std::vector<std::size_t> slots(memory.size());
    std::iota(slots.begin(), slots.end(), std::size_t{0});
    std::vector<std::uint8_t> scratch(memory.image_bytes());
    std::size_t next = 0;
    int calls = 0;
    for_decoded(memory, slots, [&](std::size_t first, auto rows) {
      EXPECT_EQ(first, next);
      for (const std::uint8_t* row : rows) {
        const std::uint8_t* image = memory.image(next++, scratch);
        EXPECT_TRUE(std::equal(image, image + scratch.size(), row));
      }
      ++calls;
    });
    EXPECT_EQ(next, 600u);
    EXPECT_EQ(calls, memory.keeps_pixels() ? 1 : 3) << codec;
  }
}

TEST(ForDecoded, DoesNothingWithoutSlots) {
  const Memory memory = filled(raw_codec(), 1);
  for_decoded(memory, {}, [](std::size_t, auto) { ADD_FAILURE(); });
}

}  // namespace decoded_rows_test
}  // namespace gps
