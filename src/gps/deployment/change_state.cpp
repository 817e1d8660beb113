#include "gps/deployment/change_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "gps/core/text/nearest.h"
#include "gps/core/text/normal_form.h"
#include "gps/core/text/printable.h"
#include "gps/deployment/grow.h"
#include "gps/deployment/held_out.h"
#include "gps/deployment/stored/image_hash.h"
#include "gps/experiments/method_memory.h"
#include "gps/learners/stored_logits.h"
#include "gps/policies/parts/follows_memory.h"

namespace gps {
namespace {

using Slots = std::vector<std::size_t>;

std::string images_text(std::size_t count) {
  return fmt::format("{} image{}", count, count == 1 ? "" : "s");
}

std::string budget_text(const LearnOptions& options) {
  if (options.memory_bytes > 0) return text_of(ByteCount{options.memory_bytes});
  return images_text(static_cast<std::size_t>(options.memory));
}

std::string policy_text(const PolicyOptions& policy) {
  return policy.name == "none" ? policy.name : policy_label(policy);
}

// Returns all slots of a memory, if it has no more than `capacity`, or those that stay. `by_share`:
// every task shrinks to its share; otherwise images are drawn.
Slots kept_slots(const Memory& memory, std::size_t capacity, bool by_share, Rng rng) {
  Slots slots(memory.size());
  for (std::size_t k = 0; k < slots.size(); ++k) slots[k] = k;
  if (slots.size() <= capacity) return slots;
  if (!by_share) {
    const auto order = rng.permutation(slots.size());
    slots.assign(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(capacity));
    std::sort(slots.begin(), slots.end());
    return slots;
  }
  Memory left = memory;
  shrink_to(left, capacity);
  slots.clear();
  std::size_t next = 0;  // shrink_to() keeps the order
  for (std::size_t slot = 0; slot < memory.size() && next < left.size(); ++slot) {
    if (!(memory[slot] == left[next])) continue;
    slots.push_back(slot);
    ++next;
  }
  return slots;
}

// Returns a memory of these options with some examples of another one. Logits of `outputs` classes
// are stored in the new format, if there are any and they are of use.
Memory with_examples(const LearnOptions& options, const Memory& from, const Slots& slots,
                     std::size_t outputs) {
  Memory memory(budget_of(options, outputs).replay, options.rows(), Augmentation{},
                example_format(options.method));
  const bool keeps_logits = stored_logits_format(options.method.learner).has_value();
  const bool is_same_format = memory.format().logits == from.format().logits;
  std::vector<float> logits(outputs);
  for (const std::size_t slot : slots) {
    Example example = from[slot];
    if (!keeps_logits) {
      example.logits = nullptr;
    } else if (example.logits && !is_same_format) {
      from.read_logits(example, logits);
      example.logits = store_logits(logits, memory.format().logits);
    }
    memory.add(std::move(example));
  }
  return memory;
}

// Calls `change` for the state's policy, if it remembers something about the memory's slots.
// `knows_it`: it has been the policy so far.
template <typename Change>
void change_policy(LearnState& state, bool knows_it, const Change& change) {
  const Method& method = state.options.method;
  if (!has_lasting_state(method.policy)) {
    state.policy.clear();
    return;
  }
  Executor executor(1);
  const auto policy = make_policy(method, kLearnOutlook, nullptr, executor, {});
  auto* const follower = dynamic_cast<FollowsMemory*>(policy.get());
  if (follower == nullptr) return;
  if (knows_it && !state.policy.empty()) {
    Archive saved(state.policy);
    policy->persist(saved);
    saved.finish();
  }
  change(*follower);
  Archive saved;
  policy->persist(saved);
  state.policy = saved.bytes();
}

EarlierTasks earlier_tasks(const LearnState& state) {
  EarlierTasks earlier{.tasks = state.tasks.size()};
  const auto epochs = static_cast<std::uint64_t>(state.options.method.training.epochs);
  for (const TaskRecord& task : state.tasks) earlier.examples += epochs * task.examples;
  return earlier;
}

void check_can_answer(const LearnState& state, const Memory& memory, const std::string& learner) {
  if (!predicts_by_memory(learner)) return;
  std::set<Label> stored;
  for (const Example& example : memory.examples()) stored.insert(example.label);
  for (std::size_t label = 0; label < state.classes.size(); ++label) {
    if (stored.contains(static_cast<Label>(label))) continue;
    throw UsageError(
        fmt::format("learner '{}' answers by stored images, and none of class '{}' would be stored",
                    learner, printable(state.classes[label])));
  }
}

std::size_t outputs_of(const LearnState& state) {
  return state.learner ? state.learner->classes() : 0;
}

// Makes the memory, the tests, the policy and the learner that these options want of those that
// there are.
void rebuild(LearnState& state, const LearnOptions& changed, bool is_same_policy) {
  const Method& method = changed.method;
  const std::size_t outputs = outputs_of(state);
  const Budget budget = budget_of(changed, outputs);
  const Slots kept = kept_slots(state.memory, budget.replay, !has_lasting_state(method.policy),
                                state.rng().fork("shrink", state.tasks.size()));
  Memory memory = with_examples(changed, state.memory, kept, outputs);
  check_can_answer(state, memory, method.learner.name);
  state.options = changed;
  state.memory = std::move(memory);
  state.tests = resized_tests(state.tests, budget.test);
  change_policy(state, is_same_policy, [&](FollowsMemory& policy) {
    if (is_same_policy) {
      policy.follow(state.memory, kept);
    } else {
      policy.take_over(state.memory, earlier_tasks(state));
    }
  });
  if (!state.learner) return;
  renew_learner(state, network_of(*state.learner).clone());
  store_missing_logits(state.memory, *state.learner);
}

Label label_of(const LearnState& state, std::string_view name) {
  const std::string wanted = normal_form(name);
  const auto at = std::find(state.classes.begin(), state.classes.end(), wanted);
  if (at == state.classes.end())
    throw UsageError(unknown_name_text("class", std::string(name), state.classes));
  return static_cast<Label>(at - state.classes.begin());
}

// Returns the logits without those of a class.
StoredLogits without_class(const Memory& memory, const Example& example, Label label,
                           std::size_t outputs) {
  if (!example.logits) return nullptr;
  std::vector<float> logits(outputs);
  memory.read_logits(example, logits);
  logits.erase(logits.begin() + static_cast<std::ptrdiff_t>(label));
  return store_logits(logits, memory.format().logits);
}

// Removes the examples of a class and gives those behind it their new labels. Returns the slots
// that the others had.
Slots remove_examples(Memory& memory, Label label, std::size_t outputs) {
  Slots kept;
  for (std::size_t slot = 0; slot < memory.size(); ++slot) {
    if (memory[slot].label != label) kept.push_back(slot);
  }
  memory.retain([label](const Example& example) { return example.label != label; });
  for (std::size_t slot = 0; slot < memory.size(); ++slot) {
    Example example = memory[slot];
    example.logits = without_class(memory, example, label, outputs);
    if (example.label > label) --example.label;
    memory.replace(slot, std::move(example));
  }
  return kept;
}

void remove_from_records(std::vector<TaskRecord>& tasks, Label label) {
  bool is_first = true;  // whether no task before had the class
  for (TaskRecord& task : tasks) {
    const auto at = std::find(task.labels.begin(), task.labels.end(), label);
    if (at != task.labels.end()) {
      task.labels.erase(at);
      if (is_first && task.new_classes > 0) --task.new_classes;
      is_first = false;
      if (task.labels.empty()) task.tested = 0;  // nothing of it can be tested any more
    }
    for (Label& other : task.labels) {
      if (other > label) --other;
    }
  }
}

}  // namespace

std::vector<std::string> adopt(LearnState& state, const LearnOptions& changed) {
  const Method before = state.options.method;
  const Method& after = changed.method;
  const std::string old_budget = budget_text(state.options);
  const Budget budget = budget_of(changed, outputs_of(state));
  const bool is_same_policy = before.policy.name == after.policy.name;
  const bool is_same_learner = before.learner.name == after.learner.name;
  const bool is_same_size =
      budget.replay == state.memory.capacity() && budget.test == state.tests.capacity();
  const bool is_same_format =
      stored_logits_format(before.learner) == stored_logits_format(after.learner);

  const std::size_t replayed = state.memory.size();
  const std::size_t tests = state.tests.size();
  if (is_same_policy && is_same_learner && is_same_size && is_same_format) {
    state.options = changed;
  } else {
    rebuild(state, changed, is_same_policy);
  }
  if (changed.memory_bytes > 0)  // stored logits count, too
    state.options.method.memory = static_cast<int>(std::max<std::size_t>(1, budget.replay));
  const std::size_t dropped = replayed - state.memory.size();
  const std::size_t tests_dropped = tests - state.tests.size();

  std::vector<std::string> lines;
  if (!is_same_learner) {
    lines.push_back(fmt::format("learner: {} instead of {}; the network stays as it is{}",
                                after.learner.name, before.learner.name,
                                !is_same_format && stored_logits_format(after.learner)
                                    ? ", and its logits now are stored with the images"
                                    : ""));
  }
  if (policy_text(before.policy) != policy_text(after.policy)) {
    lines.push_back(fmt::format("policy: {} instead of {}; it chooses from the next task on",
                                policy_text(after.policy), policy_text(before.policy)));
  }
  if (!is_same_size || old_budget != budget_text(changed)) {
    const std::string budgets =
        old_budget == budget_text(changed)
            ? ""
            : fmt::format("{} instead of {}; ", budget_text(changed), old_budget);
    lines.push_back(
        fmt::format("memory: {}{}", budgets,
                    dropped + tests_dropped == 0
                        ? "all stored images stay"
                        : fmt::format("{} for replay and {} for testing are dropped",
                                      images_text(dropped), images_text(tests_dropped))));
  }
  return lines;
}

std::string rename_class(LearnState& state, std::string_view name, std::string_view new_name) {
  const Label label = label_of(state, name);
  if (!is_utf8(new_name))
    throw UsageError(fmt::format("the new name '{}' is not in UTF-8", printable(new_name)));
  std::string wanted = normal_form(new_name);
  if (wanted.empty()) throw UsageError("the new name of a class must not be empty");
  for (std::size_t other = 0; other < state.classes.size(); ++other) {
    if (other == label || state.classes[other] != wanted) continue;
    throw UsageError(fmt::format("there is already a class '{}'", printable(wanted)));
  }
  state.classes[label] = wanted;
  return wanted;
}

RemovedImages remove_class(LearnState& state, std::string_view name) {
  const Label label = label_of(state, name);
  const NetworkOptions& network = state.options.method.network;
  if (state.classes.size() == 1) {
    throw UsageError(fmt::format("'{}' is the only class of this state; remove the folder instead",
                                 printable(state.classes.front())));
  }
  if (is_file(network.model)) {
    throw UsageError(
        "the model of this state is your own, whose outputs cannot be removed; start a new state");
  }
  const std::size_t outputs = state.learner->classes();
  RemovedImages removed{state.memory.size(), state.tests.size()};
  std::unique_ptr<Network> smaller =
      without_output(network_of(*state.learner), network, state.options.rows(),
                     state.options.normalisation, label);
  const Slots kept = remove_examples(state.memory, label, outputs);
  remove_examples(state.tests, label, outputs);
  removed.replayed -= state.memory.size();
  removed.tests -= state.tests.size();
  change_policy(state, /*knows_it=*/true,
                [&](FollowsMemory& policy) { policy.follow(state.memory, kept); });
  state.classes.erase(state.classes.begin() + static_cast<std::ptrdiff_t>(label));
  remove_from_records(state.tasks, label);
  renew_learner(state, std::move(smaller));
  return removed;
}

RemovedImages remove_images(LearnState& state, const std::vector<std::uint64_t>& hashes) {
  const ImageHashes meant = in_order(hashes);
  if (meant.empty()) return {};
  Slots kept;
  Memory left(state.memory);
  for (std::size_t slot = 0; slot < state.memory.size(); ++slot) {
    if (!has_hash(meant, hash_of(state.memory, state.memory[slot]))) kept.push_back(slot);
  }
  left.retain([&](const Example& example) { return !has_hash(meant, hash_of(left, example)); });
  check_can_answer(state, left, state.options.method.learner.name);
  RemovedImages removed{state.memory.size() - left.size(), state.tests.size()};
  state.memory = std::move(left);
  state.tests.retain(
      [&](const Example& example) { return !has_hash(meant, hash_of(state.tests, example)); });
  removed.tests -= state.tests.size();
  if (removed.replayed + removed.tests == 0) return removed;
  change_policy(state, /*knows_it=*/true,
                [&](FollowsMemory& policy) { policy.follow(state.memory, kept); });
  state.first_seen.follow(state.memory, state.tests);
  if (state.learner) renew_learner(state, network_of(*state.learner).clone());
  return removed;
}

bool has_class(const LearnState& state, std::string_view name) {
  return std::find(state.classes.begin(), state.classes.end(), normal_form(name)) !=
         state.classes.end();
}

}  // namespace gps
