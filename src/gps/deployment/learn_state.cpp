#include "gps/deployment/learn_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "gps/deployment/grow.h"
#include "gps/experiments/method_memory.h"
#include "gps/nn/backbone.h"

namespace gps {
namespace {

std::unique_ptr<Network> new_network(const LearnState& state, const NetworkOptions& options,
                                     std::size_t classes) {
  return make_network(options, state.options.rows(), static_cast<int>(classes),
                      state.options.normalisation, state.rng().fork("network"));
}

// Returns a task with one example of every class, a pixel each, for learners that need to know
// which classes they have learnt.
Task past_task(const LearnState& state) {
  const std::size_t count = state.classes.size();
  return {static_cast<int>(state.tasks.size()),
          {{.channels = 1, .height = 1, .width = 1},
           std::vector<std::uint8_t>(count),
           state.labels(),
           static_cast<int>(count)}};
}

// Counts the logits of so many outputs where the budget is in bytes: fewer examples may fit then,
// and every group of tasks gives up its part.
void fit_memory(LearnState& state, std::size_t outputs) {
  if (state.options.memory_bytes == 0) return;
  const std::size_t capacity = budget_of(state.options, outputs).replay;
  if (capacity < state.memory.capacity()) shrink_to(state.memory, capacity);
  state.options.method.memory = static_cast<int>(std::max<std::size_t>(1, capacity));
}

void check_tasks(const LearnState& state) {
  Archive::require(!state.tasks.empty(), "it has learnt no task");
  for (const TaskRecord& task : state.tasks) {
    const bool is_of_state = task.new_classes <= state.classes.size() &&
                             std::all_of(task.labels.begin(), task.labels.end(),
                                         [&](Label label) { return label < state.classes.size(); });
    Archive::require(is_of_state, "a task has classes that the state does not have");
  }
}

void persist_tasks(Archive& archive, std::vector<TaskRecord>& tasks, std::uint32_t format) {
  constexpr std::size_t kLeastBytes = 76;  // of a record, in format 1
  tasks.resize(archive.count(tasks.size(), kLeastBytes));
  for (TaskRecord& task : tasks) task.persist(archive, format);
  if (format == 2) {
    for (TaskRecord& task : tasks) archive(task.data);
  }
}

void persist_all(Archive& archive, LearnState& state, std::uint32_t format) {
  archive.section("classes");
  archive(state.classes);
  archive.section("tasks");
  persist_tasks(archive, state.tasks, format);
  std::uint64_t outputs = state.learner ? state.learner->classes() : 0;
  archive.between(outputs, 1, std::numeric_limits<Label>::max(), "number of outputs");
  std::unique_ptr<Network> network;
  if (archive.is_reading()) {
    Archive::require(outputs >= state.classes.size(), "more classes than outputs");
    check_tasks(state);
    const NetworkOptions& options = state.options.method.network;
    archive.expect(least_weights(options, state.options.rows(), static_cast<int>(outputs)),
                   sizeof(float));
    network = new_network(state, options, outputs);
    Archive::require(network->classes() == outputs, "the network has another number of outputs");
    network->persist(archive);
  } else {
    network_of(*state.learner).persist(archive);
  }
  if (archive.is_reading()) {
    try {
      fit_memory(state, outputs);
    } catch (const OptionError& error) {
      throw DataError(fmt::format("its memory has no room for its logits: {}", error.what()));
    }
  }
  const ExampleLimits limits{.outputs = outputs,
                             .classes = state.classes.size(),
                             .tasks = static_cast<int>(state.tasks.size())};
  state.memory.persist(archive, limits);
  state.tests.persist(archive, limits);
  archive.section("policy");
  archive(state.policy);
  if (format >= 5) {
    archive(state.trained);
  } else if (archive.is_reading()) {
    state.trained.add(state.memory);
  }
  if (format >= 6) {
    state.first_seen.persist(archive, static_cast<int>(state.tasks.size()));
    archive(state.erased);
  } else if (archive.is_reading()) {
    state.first_seen.follow(state.memory, state.tests);
  }
  if (archive.is_reading()) renew_learner(state, std::move(network));
}

// Options are a few levels deep. Code that follows the levels of a text with very many of them
// would use up the stack.
bool check_is_shallow(int depth, nlohmann::json::parse_event_t /*event*/,
                      nlohmann::json& /*parsed*/) {
  constexpr int kMostLevels = 16;
  Archive::require(depth <= kMostLevels, "its options have too many levels");
  return true;
}

}  // namespace

void TaskRecord::persist(Archive& archive, std::uint32_t format) {
  constexpr std::int64_t kLastSecond = 253'402'300'799;  // of the year 9999
  archive(name);
  archive.between(when, 0, kLastSecond, "time of a task");
  archive(examples, labels, new_classes, tested);
  archive.between(accuracy, 0, 1, "accuracy of a task");
  archive.between(among_all, 0, 1, "accuracy of a task");
  if (format < 3) {
    archive(plan.ring_size, quota);
    return;
  }
  PlanValues values = values_by_key(plan);
  archive(values, quota, data);
  plan = plan_from(values);
}

LearnState::LearnState(const LearnOptions& settled)
    : options(settled),
      memory(budget_of(settled).replay, settled.rows(), Augmentation{},
             example_format(settled.method)),
      tests(budget_of(settled).test, settled.rows().bytes()) {}

std::vector<Label> LearnState::labels() const {
  std::vector<Label> all(classes.size());
  std::iota(all.begin(), all.end(), Label{0});
  return all;
}

void renew_learner(LearnState& state, std::unique_ptr<Network> network) {
  state.learner = make_learner(state.options.method.learner, std::move(network));
  if (predicts_by_memory(state.options.method.learner.name) && !state.tasks.empty())
    state.learner->end_task(past_task(state), state.memory, state.rng());
}

void add_classes(LearnState& state, const std::vector<std::string>& names) {
  if (names.empty()) {  // the options may have changed since the learner was made
    renew_learner(state, network_of(*state.learner).clone());
    return;
  }
  const NetworkOptions& options = state.options.method.network;
  const std::size_t wanted = state.classes.size() + names.size();
  std::unique_ptr<Network> network;
  std::size_t before = 0;
  if (state.learner) {
    before = state.learner->classes();
    network = is_file(options.model)
                  ? network_of(*state.learner).clone()
                  : grown(network_of(*state.learner), options, state.options.rows(),
                          static_cast<int>(wanted), state.options.normalisation,
                          state.rng().fork("new classes", state.classes.size()));
  } else {
    network = new_network(state, options, is_file(options.model) ? 1 : wanted);
  }
  if (network->classes() < wanted) {
    throw UsageError(
        fmt::format("{}: has {} outputs and uses {}, so {} cannot be added; start a new "
                    "state with a model of {} outputs or more",
                    options.model, network->classes(), state.classes.size(), join(names), wanted));
  }
  fit_memory(state, network->classes());
  if (before > 0 && before < network->classes()) grow_stored_logits(state.memory, *network, before);
  renew_learner(state, std::move(network));
  state.classes.insert(state.classes.end(), names.begin(), names.end());
}

std::string to_bytes(LearnState& state, std::uint32_t format) {
  Archive archive;
  std::string options = to_json(state.options).dump();
  archive(options);
  persist_all(archive, state, format);
  return archive.bytes();
}

LearnState state_from(std::string bytes, const std::filesystem::path& folder,
                      std::uint32_t format) {
  Archive archive(std::move(bytes));
  std::string options;
  archive(options);
  const auto json = nlohmann::json::parse(options, check_is_shallow, /*allow_exceptions=*/false);
  LearnState state(learn_options_from(json, folder.string()));
  const NetworkOptions& network = state.options.method.network;
  if (is_file(network.model) && fingerprint(network.model) != network.model_fingerprint)
    throw DataError(
        fmt::format("{}: is not the model that this state was made with", network.model));
  if (state.options.has_backbone()) check_backbone_file(network);
  persist_all(archive, state, format);
  archive.finish();
  return state;
}

}  // namespace gps
