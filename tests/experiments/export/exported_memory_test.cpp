// What --export memory leaves, read back for people to look at.
#include <gtest/gtest.h>

#include <set>

#include "experiments/tiny_run.h"
#include "gps/experiments/export/export.h"
#include "gps/nn/safetensors.h"
#include "support/temporary_folder.h"

namespace gps {
namespace exported_memory_test {

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

}  // namespace exported_memory_test
}  // namespace gps
