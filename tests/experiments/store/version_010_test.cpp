// Results and stores that version 0.1.0 wrote are read, and what they have is not done again.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "gps/experiments/store/store.h"
#include "support/temporary_folder.h"
#include "support/version_010.h"

namespace gps {
namespace store_of_010_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class StoreOf010 : public ::testing::Test {
 protected:
  StoreOf010() { testing::write_store_010(file_); }

  static StoredRun run(Store& store, std::int64_t id) {
    return store
        .find({.ids = {id}, .benchmark = {}, .learner = {}, .policy = {}, .status = {}},
              /*with_results=*/true)
        .at(0);
  }

  testing::TemporaryFolder folder_{testing::in_memory()};
  std::filesystem::path file_ = folder_.path() / "runs.sqlite";
};

TEST_F(StoreOf010, HasItsRunsForReadersToo) {
  Store store(file_, {.read_only = true});
  for (const StoredRun& each : store.find(RunFilter())) EXPECT_EQ(each.damage, "") << each.id;
  EXPECT_EQ(run(store, 1).status, RunStatus::done);
  EXPECT_EQ(run(store, 1).label, "gps:permutation");
  EXPECT_EQ(run(store, 2).learner, "der");
  EXPECT_EQ(run(store, 3).status, RunStatus::failed);
  EXPECT_THAT(run(store, 3).error, HasSubstr("the loss is no longer a finite number"));
  ASSERT_EQ(store.analyses("ring-size").size(), 1u);
  EXPECT_EQ(store.analyses("ring-size")[0].damage, "");
}

TEST_F(StoreOf010, GivesResultsWithAllThatTheySay) {
  Store store(file_, {.read_only = true});
  const RunResult result = result_from(run(store, 1));
  EXPECT_THAT(result.accuracy, ElementsAre(ElementsAre(0.1, 0.1), ElementsAre(0.1002, 0.098)));
  EXPECT_DOUBLE_EQ(result.metrics.average_accuracy(), 0.0991);
  ASSERT_EQ(result.decisions.size(), 2u);
  EXPECT_EQ(result.decisions[0].plan.ring_size, 4u);
  EXPECT_EQ(result.decisions[0].quota, 10u);
  ASSERT_EQ(result.decisions[0].trials.size(), 3u);
  EXPECT_EQ(result.decisions[0].trials[0].plan.ring_size, 5u);
  EXPECT_EQ(result.spec.memory, 10);
  EXPECT_EQ(*result.spec.learner.settings.find("er_loss"), OptionValue("sum"));
  const RunResult split = result_from(run(store, 2));
  ASSERT_TRUE(split.class_incremental);
  EXPECT_DOUBLE_EQ(split.class_incremental->metrics.average_accuracy(), 0.0446);
}

TEST_F(StoreOf010, NamesItsSpecsAsThisVersionDoes) {
  Store store(file_);
  for (const std::int64_t id : {1, 2, 3}) {
    const StoredRun each = run(store, id);
    const Spec spec = spec_from_json(nlohmann::json::parse(each.spec));
    EXPECT_EQ(to_json(spec).dump(), each.spec);
    EXPECT_EQ(spec_hash(spec), each.hash);
    EXPECT_EQ(store.claim(spec, 0, {}, this_process(), 1700000002.0),
              id == 3 ? Claim::failed : Claim::done);
  }
}

}  // namespace store_of_010_test
}  // namespace gps
