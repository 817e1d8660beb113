#include "gps/memory/memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>

#include "support/tiny_data.h"

namespace gps {
namespace memory_test {

constexpr std::size_t kBytes = 16;

Task tiny_task(int number) { return {number, testing::tiny_dataset(3, 4, 1, 4)}; }

Batch rows_of(const Task& task, const std::vector<std::uint32_t>& rows) {
  Batch batch;
  batch.gather(task, rows);
  return batch;
}

// A memory with rows 0, …, count - 1 of the task.
Memory memory_of(const Task& task, std::uint32_t count, std::size_t capacity = 10) {
  Memory memory(capacity, kBytes);
  for (std::uint32_t row = 0; row < count; ++row) {
    memory.add(memory.make_example(rows_of(task, {row}), 0, Part::ring));
  }
  return memory;
}

std::vector<std::uint32_t> ids(const Memory& memory) {
  std::vector<std::uint32_t> all;
  for (const Example& example : memory.examples()) all.push_back(example.id);
  return all;
}

TEST(Memory, StartsEmpty) {
  const Memory memory(10, kBytes);
  EXPECT_TRUE(memory.is_empty());
  EXPECT_EQ(memory.size(), 0u);
  EXPECT_EQ(memory.capacity(), 10u);
  EXPECT_EQ(memory.image_bytes(), kBytes);
}

TEST(Memory, MakesAnExampleOfARowOfABatch) {
  const Task task{7, tiny_task(7).train.subset(std::array<std::uint32_t, 3>{5, 2, 9})};
  const Batch batch = rows_of(task, {2, 0});
  const Memory memory(10, kBytes);
  const Example example = memory.make_example(batch, 1, Part::ring);
  EXPECT_EQ(example.task, 7);
  EXPECT_EQ(example.id, 5u);
  EXPECT_EQ(example.label, task.train.label(0));
  EXPECT_EQ(example.part, Part::ring);
  EXPECT_TRUE(std::equal(batch.images[1], batch.images[1] + kBytes, example.image.get()));
}

TEST(Memory, KeepsItsOwnCopyOfAnImage) {
  std::vector<std::uint8_t> pixels = {1, 2, 3};
  const StoredImage stored = store_image(pixels);
  pixels = {9, 9, 9};
  EXPECT_EQ(stored[0], 1);
  EXPECT_EQ(stored[2], 3);
}

TEST(Memory, CountsAndFindsExamplesByTaskAndId) {
  Memory memory = memory_of(tiny_task(1), 3);
  memory.add(memory.make_example(rows_of(tiny_task(2), {8}), 0, Part::reservoir));
  EXPECT_EQ(memory.count(1), 3u);
  EXPECT_EQ(memory.count(2), 1u);
  EXPECT_EQ(memory.count(3), 0u);
  EXPECT_TRUE(memory.contains(2, 8));
  EXPECT_FALSE(memory.contains(1, 8));
  EXPECT_FALSE(memory.contains(2, 0));
}

// The memory keeps an index once it has been asked. It must follow every change.
TEST(Memory, FindsTheSameExamplesAfterAnyChange) {
  const Task one = tiny_task(1);
  const Task two = tiny_task(2);
  Memory memory = memory_of(one, 4);
  const auto expect_that_it_finds_what_it_holds = [](Memory& changed) {
    for (const int task : {1, 2}) {
      for (std::uint32_t id = 0; id < 12; ++id) {
        const Memory& as_searched = changed;
        EXPECT_EQ(changed.contains(task, id), as_searched.contains(task, id)) << task << ", " << id;
      }
    }
  };
  expect_that_it_finds_what_it_holds(memory);
  const Example again = memory[1];
  const Example other = memory.make_example(rows_of(two, {8}), 0, Part::reservoir);
  memory.replace(0, other);
  expect_that_it_finds_what_it_holds(memory);
  memory.replace(0, again);  // stored twice
  expect_that_it_finds_what_it_holds(memory);
  memory.replace(1, other);  // and once again
  expect_that_it_finds_what_it_holds(memory);
  Memory copy = memory;
  copy.replace(0, other);
  expect_that_it_finds_what_it_holds(copy);
  expect_that_it_finds_what_it_holds(memory);
  memory.retain([](const Example& example) { return example.task == 1; });
  expect_that_it_finds_what_it_holds(memory);
  memory.add(other);
  expect_that_it_finds_what_it_holds(memory);
  memory = copy;
  expect_that_it_finds_what_it_holds(memory);
}

TEST(Memory, ReplacesOneSlot) {
  Memory memory = memory_of(tiny_task(1), 3);
  memory.replace(1, memory.make_example(rows_of(tiny_task(2), {8}), 0, Part::reservoir));
  EXPECT_EQ(ids(memory), (std::vector<std::uint32_t>{0, 8, 2}));
  EXPECT_EQ(memory[1].task, 2);
}

TEST(Memory, RetainsInOrder) {
  Memory memory = memory_of(tiny_task(1), 6);
  memory.retain([](const Example& example) { return example.id % 2 == 1; });
  EXPECT_EQ(ids(memory), (std::vector<std::uint32_t>{1, 3, 5}));
}

TEST(Memory, SharesImagesWithItsCopies) {
  const Memory memory = memory_of(tiny_task(1), 4);
  const Memory copy = memory;
  EXPECT_EQ(copy.examples(), memory.examples());
  for (std::size_t slot = 0; slot < memory.size(); ++slot) {
    EXPECT_EQ(copy[slot].image.get(), memory[slot].image.get());
  }
}

TEST(Memory, IsNotChangedByEditsOfItsCopies) {
  const Memory memory = memory_of(tiny_task(1), 4);
  const std::vector<Example> before = memory.examples();
  Memory copy = memory;
  copy.replace(0, copy.make_example(rows_of(tiny_task(2), {8}), 0, Part::reservoir));
  copy.add(copy.make_example(rows_of(tiny_task(2), {9}), 0, Part::reservoir));
  copy.retain([](const Example& example) { return example.task == 2; });
  EXPECT_EQ(memory.examples(), before);
  EXPECT_EQ(copy.size(), 2u);
}

// What reading says of a memory with examples of three classes and task 2, after `change`.
std::string memory_complaint(const ExampleLimits& limits,
                             const std::function<void(std::string&)>& change = nullptr) {
  Memory memory = memory_of(tiny_task(2), 10);  // of which at most four are of one class
  Archive written;
  memory.persist(written, {.outputs = 3, .classes = 3, .tasks = 2});
  std::string bytes = written.bytes();
  if (change) change(bytes);
  Memory read(10, kBytes);
  Archive archive(bytes);
  try {
    read.persist(archive, limits);
    archive.finish();
  } catch (const DataError& error) {
    return error.what();
  }
  EXPECT_EQ(ids(read), ids(memory));
  return "(fine)";
}

TEST(Memory, ReadsOnlyExamplesThatFitTheirRun) {
  EXPECT_EQ(memory_complaint({.outputs = 3, .classes = 3, .tasks = 2}), "(fine)");
  EXPECT_EQ(memory_complaint({.outputs = 9, .classes = 9, .tasks = 9}), "(fine)");
  EXPECT_EQ(memory_complaint({.outputs = 3, .classes = 1, .tasks = 2}),
            "saved state: a stored example has a label that no class has");
  EXPECT_EQ(memory_complaint({.outputs = 3, .classes = 3, .tasks = 1}),
            "saved state: task of a stored example is 2, must be between 1 and 1");
  // The section's name with its length, capacity, size of images, number of examples, label.
  constexpr std::size_t kPart = 14 + 8 + 8 + 8 + 2;
  const ExampleLimits limits{.outputs = 3, .classes = 3, .tasks = 2};
  EXPECT_EQ(memory_complaint(limits, [](std::string& bytes) { bytes[kPart] = 7; }),
            "saved state: part of a stored example is 7, must be between 0 and 1");
  EXPECT_EQ(memory_complaint(limits, [](std::string& bytes) { bytes[kPart + 1] = 0; }),
            "saved state: task of a stored example is 0, must be between 1 and 2");
  EXPECT_EQ(memory_complaint(limits, [](std::string& bytes) { bytes[kPart - 3] = 1; }),
            "saved state: cut short")
      << "2^56 examples";
}

TEST(Memory, OutlivesTheTaskItCameFrom) {
  auto task = std::make_unique<Task>(tiny_task(1));
  const Memory memory = memory_of(*task, 4);
  std::vector<std::vector<std::uint8_t>> images;
  for (const Example& example : memory.examples()) {
    images.emplace_back(example.image.get(), example.image.get() + kBytes);
  }
  task.reset();
  for (std::size_t slot = 0; slot < memory.size(); ++slot) {
    EXPECT_TRUE(std::equal(images[slot].begin(), images[slot].end(), memory[slot].image.get()));
  }
}

constexpr ExampleLimits kLimits{.outputs = 3, .classes = 3, .tasks = 1};

// A memory whose rows are coarse, with four rows of the task and logits.
Memory coarse_memory(const Task& task, LogitsFormat logits) {
  Memory memory(10, task.train.shape(), {}, {make_codec("bits:2"), logits});
  for (std::uint32_t row = 0; row < 4; ++row) {
    Batch batch = rows_of(task, {row});
    if (row > 0) batch.logits = {0.5f, -1.25f, 3.0f};
    memory.add(memory.make_example(batch, 0, Part::ring));
  }
  return memory;
}

TEST(Memory, GivesPixelsWithoutACopyIfItKeepsThem) {
  const Memory memory = memory_of(tiny_task(1), 2);
  EXPECT_TRUE(memory.keeps_pixels());
  EXPECT_EQ(memory.image(1, {}), memory[1].image.get());
}

TEST(Memory, DecodesWhatItsCodecStored) {
  const Task task = tiny_task(1);
  const Memory memory = coarse_memory(task, LogitsFormat::float32);
  EXPECT_FALSE(memory.keeps_pixels());
  EXPECT_EQ(memory.image_bytes(), kBytes);
  EXPECT_EQ(memory.stored_bytes(), kBytes / 4);
  std::vector<std::uint8_t> decoded(kBytes);
  for (std::uint32_t row = 0; row < 4; ++row) {
    ASSERT_EQ(memory.image(row, decoded), decoded.data());
    const std::uint8_t* pixels = task.train.image(row, {});
    for (std::size_t p = 0; p < kBytes; ++p)
      EXPECT_LE(std::abs(static_cast<int>(decoded[p]) - pixels[p]), 42) << "85 between two levels";
  }
}

TEST(Memory, CountsEverythingThatItKeeps) {
  EXPECT_EQ(memory_of(tiny_task(1), 3).bytes(3), 3 * (kBytes + 8));
  // Four rows of 4 + 8 bytes; three of them have logits.
  EXPECT_EQ(coarse_memory(tiny_task(1), LogitsFormat::float32).bytes(3), 4 * 12 + 3 * 12u);
  EXPECT_EQ(coarse_memory(tiny_task(1), LogitsFormat::float16).bytes(3), 4 * 12 + 3 * 6u);
  EXPECT_EQ(coarse_memory(tiny_task(1), LogitsFormat::int8).bytes(3), 4 * 12 + 3 * 11u);
}

TEST(Memory, IsReadBackAsItWasStored) {
  const Task task = tiny_task(1);
  for (const LogitsFormat format :
       {LogitsFormat::float32, LogitsFormat::float16, LogitsFormat::int8}) {
    Memory memory = coarse_memory(task, format);
    Archive written;
    memory.persist(written, kLimits);
    Memory again(10, task.train.shape(), {}, {make_codec("bits:2"), format});
    Archive archive(written.bytes());
    again.persist(archive, kLimits);
    archive.finish();
    ASSERT_EQ(again.size(), memory.size());
    EXPECT_EQ(again[0].logits, nullptr);
    for (std::size_t slot = 0; slot < memory.size(); ++slot) {
      EXPECT_TRUE(std::equal(memory[slot].image.get(), memory[slot].image.get() + 4,
                             again[slot].image.get()));
    }
    std::vector<float> before(3);
    std::vector<float> after(3);
    memory.read_logits(memory[2], before);
    again.read_logits(again[2], after);
    EXPECT_EQ(before, after);
    Archive rewritten;
    again.persist(rewritten, kLimits);
    EXPECT_EQ(rewritten.bytes(), written.bytes());
  }
}

TEST(Memory, RefusesRowsOfAnotherCodec) {
  const Task task = tiny_task(1);
  Memory memory = coarse_memory(task, LogitsFormat::float32);
  Archive written;
  memory.persist(written, kLimits);
  Memory other(10, task.train.shape(), {}, {make_codec("bits:1")});
  Archive archive(written.bytes());
  EXPECT_THROW(other.persist(archive, kLimits), DataError);
}

// What a memory that keeps pixels and floats writes has not changed since 0.1.0.
TEST(Memory, WritesPixelsAndFloatsAsBefore) {
  Memory memory(3, 2);
  const std::array<std::uint8_t, 2> pixels = {7, 9};
  memory.add({.image = store_image(pixels),
              .label = 5,
              .part = Part::ring,
              .task = 4,
              .id = 6,
              .logits = store_logits(std::array<float, 1>{1.5f})});
  Archive archive;
  memory.persist(archive, {.outputs = 1, .classes = 6, .tasks = 4});
  Archive expected;
  std::string section = "memory";
  std::uint64_t three = 3, two = 2, one = 1;
  Label label = 5;
  Part part = Part::ring;
  int task = 4;
  std::uint32_t id = 6;
  bool has_logits = true;
  float logit = 1.5f;
  std::uint8_t first = 7, second = 9;
  expected(section, three, two, one, label, part, task, id, has_logits, two, first, second, one,
           logit);
  EXPECT_EQ(archive.bytes(), expected.bytes());
}

TEST(Memory, MakesAnExampleWithoutAnImageOfABatchWithoutImages) {
  const Task task{7, Dataset::without_images(ImageShape{1, 4, 4}, std::array<Label, 2>{1, 2},
                                             std::array<std::uint32_t, 2>{40, 41}, 3)};
  const Example example = Memory(10, kBytes).make_example(rows_of(task, {1}), 0, Part::ring);
  EXPECT_EQ(example.image, nullptr);
  EXPECT_EQ(example.task, 7);
  EXPECT_EQ(example.id, 41u);
  EXPECT_EQ(example.label, 2);
}

// An image of 16 x 16 pixels with a bright square, which down:2 stores without loss.
Task square_task(int number) {
  const ImageShape shape{1, 16, 16};
  std::vector<std::uint8_t> bytes(shape.bytes());
  for (std::size_t p = 0; p < bytes.size(); ++p)
    bytes[p] = p / 16 >= 4 && p / 16 < 10 && p % 16 >= 2 && p % 16 < 12 ? 255 : 0;
  return {number, Dataset(shape, std::move(bytes), {0}, 1)};
}

std::vector<std::uint8_t> image_of(const Memory& memory, std::size_t slot) {
  std::vector<std::uint8_t> scratch(memory.image_bytes());
  const std::uint8_t* const image = memory.image(slot, scratch);
  return {image, image + memory.image_bytes()};
}

std::vector<std::uint8_t> image_of(const Dataset& data, std::size_t row) {
  std::vector<std::uint8_t> scratch(data.shape().bytes());
  const std::uint8_t* const image = data.image(row, scratch);
  return {image, image + scratch.size()};
}

TEST(Memory, StoresThePictureBeforeKnownMapsAndShowsTheImageThroughThem) {
  const Task plain = square_task(1);
  const PixelMap real = Rng(2).permutation(256);
  const PixelMap imagined = Rng(3).permutation(256);
  const std::vector<Task> tasks = {
      plain,
      {2, plain.train.rearranged(real).materialised()},
      {3, plain.train.rearranged(real).materialised().rearranged(imagined).materialised()}};
  for (const char* codec : {"down:2", "pack:24", "webp:64"}) {
    SCOPED_TRACE(codec);
    Memory memory(3, plain.train.shape(), {}, {make_codec(codec)});
    for (const Task& task : tasks)
      memory.add(memory.make_example(rows_of(task, {0}), 0, Part::ring));
    for (std::size_t slot = 0; slot < 3; ++slot) {
      EXPECT_EQ(image_of(memory, slot), image_of(tasks[slot].train, 0));
      EXPECT_EQ(image_of(memory, slot), image_of(tasks[slot].train, 0)) << "the second time";
      EXPECT_TRUE(std::equal(memory[slot].image.get(),
                             memory[slot].image.get() + memory.stored_bytes(),
                             memory[0].image.get()))
          << "the same picture";
    }
  }
}

TEST(Memory, StoresImagesAsTheyAreSeenIfTheCodecUsesNoNeighbours) {
  const Task plain = square_task(1);
  const Task moved{2, plain.train.rearranged(Rng(2).permutation(256))};
  for (const char* codec : {"raw", "bits:1"}) {
    Memory memory(3, plain.train.shape(), {}, {make_codec(codec)});
    memory.add(memory.make_example(rows_of(moved, {0}), 0, Part::ring));
    EXPECT_EQ(memory[0].decoded, nullptr);
    EXPECT_EQ(image_of(memory, 0), image_of(moved.train, 0));
  }
}

TEST(Memory, IsToldTheMapsWhenItIsRead) {
  const Task plain = square_task(1);
  const Task moved{2, plain.train.rearranged(Rng(2).permutation(256))};
  Memory memory(4, plain.train.shape(), {}, {make_codec("pack:24")});
  for (const Task& task : {plain, moved, moved})
    memory.add(memory.make_example(rows_of(task, {0}), 0, Part::ring));
  const ExampleLimits limits{.outputs = 1, .classes = 1, .tasks = 2};
  Archive written;
  memory.persist(written, limits);
  Memory again(4, plain.train.shape(), {}, {make_codec("pack:24")});
  Archive archive(written.bytes());
  std::vector<int> asked;
  again.persist(archive, limits, [&](int task) {
    asked.push_back(task);
    return task == 2 ? moved.train.seen_through() : nullptr;
  });
  EXPECT_EQ(asked, (std::vector<int>{1, 2})) << "once for each task";
  for (std::size_t slot = 0; slot < 3; ++slot)
    EXPECT_EQ(image_of(again, slot), image_of(memory, slot));
}

TEST(Memory, CopiesShareDecodedImages) {
  const Task task = square_task(1);
  Memory memory(1, task.train.shape(), {}, {make_codec("pack:24")});
  memory.add(memory.make_example(rows_of(task, {0}), 0, Part::ring));
  const Memory copy = memory;
  std::vector<std::uint8_t> scratch(memory.image_bytes());
  EXPECT_EQ(memory.image(0, scratch), scratch.data()) << "decoded";
  const std::uint8_t* const kept = copy.image(0, scratch);
  EXPECT_NE(kept, scratch.data());
  EXPECT_EQ(memory.image(0, scratch), kept);
}

}  // namespace memory_test
}  // namespace gps
