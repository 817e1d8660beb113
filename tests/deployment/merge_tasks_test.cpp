#include "gps/deployment/merge_tasks.h"

#include <gmock/gmock.h>

#include <map>
#include <set>

namespace gps {
namespace merge_tasks_test {

using ::testing::ElementsAre;

Example example(int task, Label label, Part part = Part::ring) {
  static constexpr std::uint8_t kPixel = 1;
  return {.image = store_image({&kPixel, 1}), .label = label, .part = part, .task = task};
}

std::vector<int> groups_of(const Memory& memory) {
  std::set<int> firsts;
  for (const Example& each : memory.examples()) firsts.insert(each.task);
  return {firsts.begin(), firsts.end()};
}

TEST(MergeTasks, LetsNoGroupStandForMoreThanTwiceTheMean) {
  for (const std::size_t capacity : {20u, 40u, 160u}) {
    Memory memory(capacity, 1);
    for (int now = 1; now <= 300; ++now) {
      merge_tasks(memory, now, kLeastShare);
      // As policies do: all shrink to an equal share, and the new task takes one.
      const std::size_t share = capacity / (groups_of(memory).size() + 1);
      std::map<int, std::size_t> kept;
      memory.retain([&](const Example& each) { return kept[each.task]++ < share; });
      while (static_cast<std::size_t>(memory.count(now)) < share)
        memory.add(example(now, static_cast<Label>(2 * now + static_cast<int>(memory.size() % 2))));
      std::vector<int> firsts = groups_of(memory);
      EXPECT_LE(firsts.size(), capacity / kLeastShare);
      firsts.push_back(now + 1);
      for (std::size_t k = 0; k + 1 < firsts.size(); ++k)
        EXPECT_LE((firsts[k + 1] - firsts[k]) * static_cast<int>(firsts.size() - 1), 2 * now + 4)
            << "group " << k << " of " << firsts.size() - 1 << " after task " << now;
    }
  }
}

TEST(MergeTasks, PutsEveryClassBeforeTheSecondOfAny) {
  Memory memory(10, 1);
  for (const Label label : std::initializer_list<Label>{0, 0, 0, 1, 1})
    memory.add(example(1, label, Part::reservoir));
  for (const Label label : std::initializer_list<Label>{2, 3, 2, 3, 2})
    memory.add(example(2, label));
  merge_tasks(memory, 3, kLeastShare);
  std::vector<Label> labels;
  for (const Example& each : memory.examples()) {
    EXPECT_EQ(each.task, 1);
    EXPECT_EQ(each.part, Part::ring) << "neither task's goes before the other's";
    labels.push_back(each.label);
  }
  EXPECT_THAT(labels, ElementsAre(0, 2, 3, 1, 0, 2, 3, 1, 0, 2));
}

}  // namespace merge_tasks_test
}  // namespace gps
