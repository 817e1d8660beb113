#include "gps/experiments/planning/transition.h"

#include <algorithm>
#include <map>
#include <set>

#include "gps/learners/stored_logits.h"
#include "gps/memory/decoded_rows.h"
#include "gps/simulation/global_sim.h"
#include "gps/training/evaluate.h"
#include "gps/training/health.h"

namespace gps {
namespace {

constexpr std::size_t kEach = 5;           // one stored example in so many is held back
constexpr std::size_t kMostTested = 1000;  // of the new task

using TaskClass = std::pair<int, Label>;

// Returns the slots that are held back: in every task and class one of five, at least one if there
// are two.
std::vector<std::size_t> judges_in(const Memory& memory, Rng rng) {
  std::map<TaskClass, std::vector<std::size_t>> slots;
  for (std::size_t slot = 0; slot < memory.size(); ++slot)
    slots[{memory[slot].task, memory[slot].label}].push_back(slot);
  std::vector<std::size_t> judges;
  for (auto& [key, all] : slots) {
    if (all.size() < 2) continue;
    rng.shuffle(std::span(all));
    const std::size_t held = std::max<std::size_t>(1, all.size() / kEach);
    judges.insert(judges.end(), all.begin(), all.begin() + static_cast<std::ptrdiff_t>(held));
  }
  std::sort(judges.begin(), judges.end());
  return judges;
}

// The accuracy on stored examples, by task and averaged over its classes.
std::vector<double> accuracies_of(Learner& learner, const Memory& memory,
                                  std::span<const std::size_t> judges, bool among_all) {
  const std::size_t classes = learner.classes();
  std::map<int, std::set<Label>> labels;
  for (const Example& example : memory.examples()) labels[example.task].insert(example.label);
  std::vector<float> scores(judges.size() * classes);
  const std::vector<std::size_t> slots(judges.begin(), judges.end());
  for_decoded(memory, slots, [&](std::size_t first, ImageRows images) {
    learner.scores(images, std::span(scores).subspan(first * classes, images.size() * classes));
  });
  std::map<TaskClass, std::pair<double, double>> counts;  // right, all
  for (std::size_t k = 0; k < judges.size(); ++k) {
    const Example& example = memory[judges[k]];
    const auto row = std::span(scores).subspan(k * classes, classes);
    bool is_right = true;
    for (Label other = 0; other < classes; ++other) {
      const bool counts_here = among_all || labels[example.task].contains(other);
      if (counts_here && other != example.label && row[other] >= row[example.label])
        is_right = false;
    }
    auto& [right, all] = counts[{example.task, example.label}];
    right += is_right ? 1 : 0;
    all += 1;
  }
  std::map<int, std::pair<double, double>> tasks;
  for (const auto& [key, count] : counts) {
    tasks[key.first].first += count.first / count.second;
    tasks[key.first].second += 1;
  }
  std::vector<double> accuracies;
  for (const auto& [task, sum] : tasks) accuracies.push_back(sum.first / sum.second);
  return accuracies;
}

}  // namespace

std::unique_ptr<Learner> retuned(const LearnerOptions& options, const Learner& learner) {
  return make_learner(options, network_of(learner).clone());
}

double try_transition(const Recipe& recipe, const Transition& transition) try {
  const Method method = for_trial(transition.method, recipe);
  const std::unique_ptr<Learner> learner = retuned(method.learner, transition.learner);
  const auto policy = make_policy(method.policy, {method.training.batch, nullptr});
  const std::vector<std::size_t> judges =
      judges_in(transition.memory, transition.rng.fork("judges"));

  Memory memory = transition.memory;
  std::size_t slot = 0;
  memory.retain(
      [&](const Example&) { return !std::binary_search(judges.begin(), judges.end(), slot++); });
  store_missing_logits(memory, *learner);
  const auto is_held_back = hold_back(transition.task.train, Score::balanced, kMostTested,
                                      transition.rng.fork("hold back"));
  std::vector<std::uint32_t> held;
  std::vector<std::uint32_t> rest;
  for (std::uint32_t row = 0; row < is_held_back.size(); ++row)
    (is_held_back[row] ? held : rest).push_back(row);
  Task task = transition.task;
  task.train = transition.task.train.subset(rest);
  const Dataset test = transition.task.train.subset(held);

  train_task(*learner, *policy, memory, task, method.training, transition.rng.fork("train"),
             {.stop = transition.stop, .progress = {}});
  const Evaluation now = evaluate(*learner, test, task.labels, transition.stop);
  const GuessedTest guess = guessed(test);
  if (is_at_chance(now.accuracy, guess) || gives_one_answer(now.predicted, guess)) return 0;
  std::vector<double> all =
      accuracies_of(*learner, transition.memory, judges, transition.among_all);
  if (transition.among_all) {
    all.push_back(evaluate(*learner, test, {}, transition.stop).class_accuracy);
  } else {
    all.push_back(now.class_accuracy);
  }
  double sum = 0;
  for (const double each : all) sum += each;
  return sum / static_cast<double>(all.size());
} catch (const Diverged&) {
  return 0;
}

}  // namespace gps
