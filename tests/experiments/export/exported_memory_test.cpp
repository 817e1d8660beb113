// What --export memory leaves, read back for people to look at.
#include <gmock/gmock.h>

#include <set>

#include "experiments/tiny_run.h"
#include "gps/experiments/export/export.h"
#include "gps/nn/safetensors.h"
#include "support/temporary_folder.h"

namespace gps {
namespace exported_memory_test {

using ::testing::HasSubstr;

class ExportedMemoryFile : public ::testing::Test {
 protected:
  // A run that leaves its memory in the folder; `memory` is a copy of it.
  void run_with_export(const Spec& spec) {
    RunHooks hooks;
    hooks.finished = [&](const RunResult& result, const Learner& learner, const Memory& held,
                         const ImageShape& shape) {
      ExportOptions options;
      options.memory = true;
      export_run(result, learner, held, shape, options, folder.path());
      for (const Example& example : held.examples()) memory.push_back(example);
    };
    testing::tiny_run(spec, /*seed=*/3, hooks);
  }

  testing::TemporaryFolder folder;
  std::vector<Example> memory;
};

TEST_F(ExportedMemoryFile, IsReadBackWithTasksLabelsAndParts) {
  const Spec spec = testing::tiny_spec("mixed:0.5");
  run_with_export(spec);
  const ExportedMemory read = read_exported_memory(spec, 3, folder.path());
  ASSERT_EQ(read.tasks.size(), memory.size());
  EXPECT_EQ(read.images.size(), memory.size() * read.shape.bytes());
  for (std::size_t k = 0; k < memory.size(); ++k) {
    EXPECT_EQ(read.tasks[k], memory[k].task);
    EXPECT_EQ(read.labels[k], memory[k].label);
    EXPECT_EQ(read.is_in_ring[k], memory[k].part == Part::ring);
  }
}

TEST_F(ExportedMemoryFile, HasThePixelsOfPermutedTasksInTheirPlaces) {
  const Spec spec = testing::tiny_spec("reservoir");
  run_with_export(spec);
  const ExportedMemory read = read_exported_memory(spec, 3, folder.path());
  EXPECT_TRUE(read.is_put_back);
  // Every image is then one of the data before any permutation, which is what task 1 is.
  const Dataset data = testing::TinySource(spec.benchmark).stream(3)->task(1).train;
  std::set<std::vector<std::uint8_t>> known;
  std::vector<std::uint8_t> scratch(data.shape().bytes());
  for (std::size_t i = 0; i < data.size(); ++i) {
    const std::uint8_t* image = data.image(i, scratch);
    known.emplace(image, image + scratch.size());
  }
  bool has_later_task = false;
  for (std::size_t k = 0; k < read.tasks.size(); ++k) {
    const auto first = read.images.begin() + static_cast<std::ptrdiff_t>(k * scratch.size());
    EXPECT_TRUE(known.contains({first, first + static_cast<std::ptrdiff_t>(scratch.size())}))
        << "image " << k << " of task " << read.tasks[k];
    has_later_task = has_later_task || read.tasks[k] > 1;
  }
  EXPECT_TRUE(has_later_task);
}

TEST_F(ExportedMemoryFile, HasDecodedImagesWhateverTheCodec) {
  Spec spec = testing::tiny_spec("reservoir");
  spec.codec = "bits:1";
  run_with_export(spec);
  const ExportedMemory read = read_exported_memory(spec, 3, folder.path());
  EXPECT_EQ(read.images.size(), memory.size() * 36);
  const std::set<std::uint8_t> values(read.images.begin(), read.images.end());
  EXPECT_EQ(values, (std::set<std::uint8_t>{0, 255}));
}

// The file has images as the network sees them; put back, they are blocks of 2 x 2 equal pixels.
TEST_F(ExportedMemoryFile, HasPermutedImagesWhereTheMemoryHasPictures) {
  Spec spec = testing::tiny_spec("reservoir");
  spec.codec = "down:2";
  run_with_export(spec);
  const ExportedMemory read = read_exported_memory(spec, 3, folder.path());
  ASSERT_EQ(read.images.size(), memory.size() * 36);
  EXPECT_TRUE(read.is_put_back);
  for (std::size_t at = 0; at < read.images.size(); ++at) {
    const std::size_t y = at % 36 / 6, x = at % 6;
    const std::size_t corner = at - y % 2 * 6 - x % 2;
    ASSERT_EQ(read.images[at], read.images[corner]) << "task " << read.tasks[at / 36];
  }
}

TEST_F(ExportedMemoryFile, ThatIsMissingOrOfSomethingElseIsADataError) {
  const Spec spec = testing::tiny_spec("reservoir");
  EXPECT_THROW(read_exported_memory(spec, 3, folder.path()), DataError);
  const auto file = exported_memory_file(spec, 3, folder.path());
  const std::vector<std::uint8_t> bytes(8);
  write_safetensors(file, {stored("images", "U8", {2, 1, 2, 2}, bytes)});
  EXPECT_THROW(read_exported_memory(spec, 3, folder.path()), DataError) << "no labels";
  const std::vector<std::int64_t> one = {1};
  write_safetensors(file, {stored("images", "U8", {2, 1, 2, 2}, bytes),
                           stored("tasks", "I64", {1}, one), stored("labels", "I64", {1}, one),
                           stored("parts", "U8", {1}, std::vector<std::uint8_t>{0})});
  EXPECT_THROW(read_exported_memory(spec, 3, folder.path()), DataError) << "of two lengths";
}

// One image of this shape, task and label.
std::vector<StoredTensor> one_image(const std::vector<std::int64_t>& shape, std::size_t bytes,
                                    std::int64_t task = 1, std::int64_t label = 0) {
  return {stored("images", "U8", shape, std::vector<std::uint8_t>(bytes)),
          stored("tasks", "I64", {1}, std::vector<std::int64_t>{task}),
          stored("labels", "I64", {1}, std::vector<std::int64_t>{label}),
          stored("parts", "U8", {1}, std::vector<std::uint8_t>{0})};
}

TEST_F(ExportedMemoryFile, WithImpossibleShapesTasksOrLabelsIsADataError) {
  const Spec spec = testing::tiny_spec("reservoir");  // three tasks
  const auto file = exported_memory_file(spec, 3, folder.path());
  const auto refusal = [&](const std::vector<StoredTensor>& tensors) -> std::string {
    write_safetensors(file, tensors);
    try {
      read_exported_memory(spec, 3, folder.path());
    } catch (const DataError& error) {
      return error.what();
    }
    return "(read)";
  };
  EXPECT_EQ(refusal(one_image({1, 1, 2, 5}, 10)), "(read)");
  EXPECT_EQ(refusal(one_image({1, 1, 2, 5}, 10, /*task=*/3, /*label=*/65535)), "(read)");
  EXPECT_THAT(refusal(one_image({1, 1, 0, 5}, 0)), HasSubstr("'images' has the size 0"));
  EXPECT_THAT(refusal(one_image({1, 16, 1 << 30, 1 << 30}, 0)), HasSubstr("is too large"));
  EXPECT_THAT(refusal(one_image({0, 1, 4294967297, 1}, 0)),
              HasSubstr("'images' has the size 4294967297"));
  EXPECT_THAT(refusal(one_image({2, 1, 1, 5}, 10)), HasSubstr("of different lengths"));
  EXPECT_THAT(refusal(one_image({1, 1, 2, 5}, 10, /*task=*/0)), HasSubstr("'tasks'"));
  EXPECT_THAT(refusal(one_image({1, 1, 2, 5}, 10, /*task=*/4)),
              HasSubstr("'tasks' has the value 4; expected 1 to 3"));
  EXPECT_THAT(refusal(one_image({1, 1, 2, 5}, 10, /*task=*/4294967297)), HasSubstr("'tasks'"));
  EXPECT_THAT(refusal(one_image({1, 1, 2, 5}, 10, 1, /*label=*/-1)), HasSubstr("'labels'"));
}

}  // namespace exported_memory_test
}  // namespace gps
