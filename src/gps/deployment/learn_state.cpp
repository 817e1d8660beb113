#include "gps/deployment/learn_state.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "gps/deployment/grow.h"

namespace gps {
namespace {

std::unique_ptr<Network> new_network(const LearnState& state, const NetworkOptions& options,
                                     std::size_t classes) {
  return make_network(options, state.options.shape, static_cast<int>(classes),
                      state.options.normalisation, state.rng().fork("network"));
}

// Returns a task with one blank example of every class, for learners that need to know which
// classes they have learnt.
Task past_task(const LearnState& state) {
  const std::size_t count = state.classes.size();
  return {static_cast<int>(state.tasks.size()),
          {state.options.shape, std::vector<std::uint8_t>(count * state.options.shape.bytes()),
           state.labels(), static_cast<int>(count)}};
}

void persist_tasks(Archive& archive, std::vector<TaskRecord>& tasks, std::uint32_t format) {
  tasks.resize(archive.count(tasks.size(), /*least=*/1));
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
  archive(outputs);
  std::unique_ptr<Network> network;
  if (archive.is_reading()) {
    NetworkOptions options = state.options.method.network;
    if (outputs < state.classes.size() || outputs > std::numeric_limits<Label>::max())
      throw DataError("saved state: more classes than outputs");
    network = new_network(state, options, outputs);
    network->persist(archive);
  } else {
    network_of(*state.learner).persist(archive);
  }
  state.memory.persist(archive, outputs);
  state.tests.persist(archive, outputs);
  archive.section("policy");
  archive(state.policy);
  if (archive.is_reading()) renew_learner(state, std::move(network));
}

}  // namespace

void TaskRecord::persist(Archive& archive, std::uint32_t format) {
  archive(name, when, examples, labels, new_classes, tested, accuracy, among_all);
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
      memory(budget_of(settled).replay, settled.shape, Augmentation{}),
      tests(budget_of(settled).test, settled.shape.bytes()) {}

std::vector<Label> LearnState::labels() const {
  std::vector<Label> all(classes.size());
  std::iota(all.begin(), all.end(), Label{0});
  return all;
}

void renew_learner(LearnState& state, std::unique_ptr<Network> network) {
  state.learner = make_learner(state.options.method.learner, std::move(network));
  if (state.options.method.learner.name == "icarl" && !state.tasks.empty())
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
                  : grown(network_of(*state.learner), options, state.options.shape,
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
  const auto json = nlohmann::json::parse(options, nullptr, /*allow_exceptions=*/false);
  LearnState state(learn_options_from(json, folder.string()));
  const NetworkOptions& network = state.options.method.network;
  if (is_file(network.model) && fingerprint(network.model) != network.model_fingerprint)
    throw DataError(
        fmt::format("{}: is not the model that this state was made with", network.model));
  persist_all(archive, state, format);
  archive.finish();
  return state;
}

}  // namespace gps
