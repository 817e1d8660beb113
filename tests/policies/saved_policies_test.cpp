// Policies read only what fits their memory: bytes with a right checksum may have been made by
// anybody.
#include <gmock/gmock.h>

#include "gps/policies/policy.h"
#include "support/tiny_data.h"

namespace gps {
namespace saved_policies_test {

using ::testing::HasSubstr;

constexpr std::size_t kBytes = 36;
constexpr std::size_t kHalfOfAll = std::size_t{1} << 63;

Task some_task() { return {1, testing::tiny_dataset(2, 4)}; }

// A memory of four slots with two examples.
Memory some_memory() {
  Memory memory(4, kBytes);
  Batch batch;
  const Task task = some_task();  // the batch points to its images
  batch.gather(task, std::vector<std::uint32_t>{0, 1});
  for (std::size_t row = 0; row < 2; ++row) memory.add(memory.make_example(batch, row, Part::ring));
  return memory;
}

std::string complaint(MemoryPolicy& policy, const std::string& bytes) {
  Archive archive(bytes);
  try {
    policy.persist(archive);
    archive.finish();
    policy.check_fits(some_memory());
  } catch (const DataError& error) {
    return error.what();
  }
  return "(fine)";
}

std::string saved_reservoir(std::size_t first, std::size_t capacity, double fraction = 0) {
  std::uint64_t seen = 9;
  Archive archive;
  archive(first, capacity, seen, fraction);
  return archive.bytes();
}

TEST(SavedPolicies, HaveNoReservoirBeyondTheMemory) {
  for (const auto& policy : {make_reservoir(), make_one_batch(2)}) {
    EXPECT_EQ(complaint(*policy, saved_reservoir(0, 4)), "(fine)");
    EXPECT_EQ(complaint(*policy, saved_reservoir(3, 1)), "(fine)");
    for (const auto& [first, capacity] : std::vector<std::pair<std::size_t, std::size_t>>{
             {0, 5}, {4, 1}, {5, 0}, {kHalfOfAll, kHalfOfAll}}) {
      EXPECT_THAT(complaint(*policy, saved_reservoir(first, capacity)),
                  HasSubstr("a reservoir is larger than the memory"))
          << first << " " << capacity;
    }
    EXPECT_THAT(complaint(*policy, saved_reservoir(0, 4, 1e300)), HasSubstr("fraction"));
  }
}

struct SavedRing {
  std::size_t quota = 0;
  std::vector<std::size_t> slots;
  std::size_t oldest = 0;
  void persist(Archive& archive) { archive(quota, slots, oldest); }
};

std::string saved_rings(std::vector<SavedRing> rings, std::size_t keys = 2) {
  Archive archive;
  archive(keys, rings);
  return archive.bytes();
}

TEST(SavedPolicies, HaveNoRingsBeyondTheMemory) {
  const auto policy = make_ring_full(RingQuota::deal);
  EXPECT_EQ(complaint(*policy, saved_rings({})), "(fine)");
  EXPECT_EQ(complaint(*policy, saved_rings({{2, {0, 1}, 1}, {0, {}, 0}})), "(fine)");
  for (const SavedRing& ring : std::vector<SavedRing>{
           {2, {0, 2}, 0}, {2, {0, kHalfOfAll}, 0}, {1, {0, 1}, 0}, {2, {0, 1}, 2}, {5, {}, 0}}) {
    EXPECT_THAT(complaint(*policy, saved_rings({ring})), HasSubstr("ring of a class"))
        << ring.quota << " " << ring.oldest;
  }
  EXPECT_THAT(complaint(*policy, saved_rings({}, /*keys=*/kHalfOfAll)),
              HasSubstr("number of classes"));
}

TEST(SavedPolicies, RefuseALabelForWhichNoRingWasSaved) {
  const auto policy = make_ring_full(RingQuota::deal);
  EXPECT_EQ(complaint(*policy, saved_rings({})), "(fine)");
  Memory memory = some_memory();
  Batch batch;
  batch.gather(some_task(), std::vector<std::uint32_t>{2});
  Rng rng(1);
  EXPECT_THROW(policy->observe(memory, batch, rng), DataError);
}

TEST(SavedPolicies, RefuseTheLearningOfAnotherTask) {
  const auto restored = [](std::size_t examples, std::size_t losses) {
    int checks = 1;
    std::vector<int> learned(examples, 1);
    std::vector<double> of_each(losses, 0.5);
    Archive written;
    written(checks, learned, of_each);
    Archive archive(written.bytes());
    LearningHistory history;
    history.persist(archive);
    return history;
  };
  const Dataset train = some_task().train;
  EXPECT_EQ(restored(8, 8).easy_in_class(train, 1), std::vector<bool>(8, true));
  EXPECT_THROW(restored(9, 9).easy_in_class(train, 1), DataError);
  EXPECT_THROW(restored(7, 7).easy_in_class(train, 1), DataError);
  EXPECT_THROW(restored(8, 7), DataError);
}

}  // namespace saved_policies_test
}  // namespace gps
