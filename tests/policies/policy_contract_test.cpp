#include "policies/policy_contract.h"

#include <functional>
#include <ostream>

#include "gps/experiments/spec/spec.h"
#include "gps/policies/mixed.h"

namespace gps {
namespace policy_contract_test {

using testing::Record;
using testing::Stream;

struct PolicyCase {
  std::string name;
  std::function<std::unique_ptr<MemoryPolicy>()> make;
};

std::ostream& operator<<(std::ostream& out, const PolicyCase& policy) { return out << policy.name; }

class PolicyContract : public ::testing::TestWithParam<PolicyCase> {
 protected:
  // Drives the policy over all streams with all memories, and calls check(records, tasks) for each.
  template <typename Check>
  static void for_all(const Check& check) {
    for (const std::size_t classes : {1U, 2U, 4U, 10U}) {
      for (const Stream& stream : testing::streams(classes, /*tasks=*/6)) {
        for (const std::size_t capacity : {1U, 3U, 7U, 10U, 25U, 60U}) {
          SCOPED_TRACE(::testing::Message() << stream.name << ", |M| " << capacity);
          const auto policy = GetParam().make();
          check(testing::drive(*policy, stream.tasks, capacity), stream.tasks);
          if (HasFailure()) return;  // one failure says enough
        }
      }
    }
  }
};

TEST_P(PolicyContract, StaysWithinCapacityAtEveryStep) {
  for_all([](const std::vector<Record>& records, const std::vector<Task>&) {
    testing::expect_within_capacity(records);
  });
}

// Budgets that one example just fills, that leave some bytes over, and that hold many. Every codec
// that can store images of 16 pixels.
TEST_P(PolicyContract, StaysWithinABudgetInBytesAtEveryStep) {
  const Stream stream = testing::streams(4, 6)[1];
  const ImageShape& shape = stream.tasks.front().train.shape();
  for (const std::string& codec : codec_texts()) {
    const ExampleFormat format{make_codec(codec)};
    try {
      format.codec->check(shape);
    } catch (const OptionError&) {
      continue;
    }
    const std::size_t each = bytes_an_example(format, shape, 0);
    for (const std::size_t budget : {each, 3 * each - 1, std::size_t{100}, std::size_t{600}}) {
      const std::size_t capacity = examples_within(budget, format, shape, 0);
      const auto policy = GetParam().make();
      const auto records =
          testing::drive(*policy, stream.tasks, Memory(capacity, shape, {}, format));
      for (const Record& record : records) {
        EXPECT_LE(record.most_bytes, budget) << codec;
        EXPECT_EQ(record.after.bytes(0), record.after.size() * each) << codec;
      }
    }
  }
}

TEST_P(PolicyContract, StoresSeenExamplesOnce) {
  for_all([](const std::vector<Record>& records, const std::vector<Task>&) {
    testing::expect_seen_examples_once(records);
  });
}

// Of all but ring-full's floor and one-batch, which waste slots by design.
class FullPolicyContract : public PolicyContract {};

TEST_P(FullPolicyContract, FillsTheMemory) {
  for_all([](const std::vector<Record>& records, const std::vector<Task>& tasks) {
    testing::expect_full(records, tasks);
    for (const Record& record : records) {
      // Only hybrid may open its rings in the middle of a task, and be excused for once.
      EXPECT_TRUE(!record.has_late_rings || GetParam().name == "hybrid");
    }
  });
}

TEST_P(PolicyContract, KeepsOfEarlierTasksSubsetsPartByPart) {
  for_all([](const std::vector<Record>& records, const std::vector<Task>&) {
    testing::expect_subsets_of_before(records);
  });
}

TEST_P(PolicyContract, StoresTheTasksOwnImagesAndLabels) {
  for_all([](const std::vector<Record>& records, const std::vector<Task>& tasks) {
    testing::expect_true_images(records, tasks);
  });
}

TEST_P(PolicyContract, IsTheSameForTheSameRng) {
  const Stream stream = testing::streams(4, 6)[1];
  for (const std::size_t capacity : {7U, 60U}) {
    const auto one = GetParam().make();
    const auto other = GetParam().make();
    const auto a = testing::drive(*one, stream.tasks, capacity);
    const auto b = testing::drive(*other, stream.tasks, capacity);
    for (std::size_t i = 0; i < a.size(); ++i) testing::expect_same(a[i].after, b[i].after);
  }
}

TEST_P(PolicyContract, MakesOneDecisionATaskOrNone) {
  const Stream stream = testing::streams(4, 6)[1];
  const auto policy = GetParam().make();
  const auto records = testing::drive(*policy, stream.tasks, 25);
  const std::vector<Decision> decisions = policy->decisions();
  if (decisions.empty()) return;
  ASSERT_EQ(decisions.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(decisions[i].task, static_cast<int>(i) + 1);
    EXPECT_EQ(decisions[i].quota, records[i].after.count(decisions[i].task));
    EXPECT_LE(decisions[i].plan.ring_size, decisions[i].quota);
  }
}

// As the program makes it.
std::unique_ptr<MemoryPolicy> by_name(const std::string& policy) {
  static const auto benchmark = testing::TinySource(BenchmarkOptions{}).stream(1);  // gps's only
  static Executor executor(1);
  Spec spec;
  set_policy(spec.policy, policy);
  return make_policy(spec, outlook_of(spec.benchmark), benchmark.get(), executor, {});
}

PolicyCase named(const std::string& policy) {
  std::string name = policy;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(c) == 0; }, '_');
  return {name, [policy] { return by_name(policy); }};
}

// Every policy of the catalog but gps, which has its own test (simulation/gps_contract_test.cpp),
// and their variants.
std::vector<PolicyCase> full_policies() {
  std::vector<PolicyCase> cases = {
      {"mixed_running", [] { return make_mixed({0.3}, InTask::running); }},
      {"mixed_all_running", [] { return make_mixed({1}, InTask::running); }},
      {"mixed_by_task",
       [] {
         return make_mixed({1, 0, 0.4, 0.7}, InTask::running);
       }},
      {"mixed_running_curriculum",
       [] {
         return make_mixed({0.4}, InTask::running, {Base::curriculum, {0.3}});
       }},
      {"cur_res_all_easy", [] { return make_cur_res(1); }},
      {"cur_res_few_easy", [] { return make_cur_res(0.01); }},
      {"cur_ring_full_all_easy", [] { return make_cur_ring_full(1); }},
      {"gradient_one_reference", [] { return make_gradient(GssVariant::mammoth, 1); }},
  };
  for (const char* variant :
       {"mixed:0", "mixed:0.3", "mixed:1", "mixed:0.3/cur", "gradient:greedy"})
    cases.push_back(named(variant));
  for (const std::string& policy : names(policy_catalog())) {
    if (policy != "gps" && policy != "one-batch") cases.push_back(named(policy));
  }
  return cases;
}

std::vector<PolicyCase> wasteful_policies() {
  return {named("ring-full:floor"), named("one-batch")};
}

std::string name_of(const ::testing::TestParamInfo<PolicyCase>& policy) {
  return policy.param.name;
}

INSTANTIATE_TEST_SUITE_P(Full, PolicyContract, ::testing::ValuesIn(full_policies()), name_of);
INSTANTIATE_TEST_SUITE_P(Wasteful, PolicyContract, ::testing::ValuesIn(wasteful_policies()),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Full, FullPolicyContract, ::testing::ValuesIn(full_policies()), name_of);

}  // namespace policy_contract_test
}  // namespace gps
