#include "gps/experiments/planning/planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "gps/experiments/planning/codec_trial.h"
#include "gps/experiments/planning/race.h"
#include "gps/experiments/planning/transition.h"
#include "gps/memory/codecs/codec.h"

namespace gps {
namespace {

constexpr int kUsualBudget = 50;         // percent
constexpr int kShortestExamples = 1000;  // of a task, in the opening of a search
constexpr int kMostEpochs = 5;
constexpr int kLongestOfSmallTasks = 1000;  // steps: a few images need many passes
constexpr int kSafeSteps = 200;             // likewise, of the safe length
constexpr double kSureTrials = 40;  // trials of the shortest length that are always affordable
constexpr double kRunsOfSmallStreams = 12;
constexpr double kStepsOfSmallStreams = 300'000;
constexpr double kForConfirmation = 0.25;  // share of the budget
constexpr std::size_t kConfirmed = 3;      // recipes that are rehearsed a second time

int steps_in(double examples, const Method& method) {
  return std::max(1, static_cast<int>(std::ceil(examples / method.training.batch)));
}

// Returns the steps of one pass over the task.
int pass_of(const Task& task, const PlanningNeeds& needs) {
  return steps_in(static_cast<double>(task.train.size()), needs.method);
}

RecipeScope scope_for(const Task& task, const PlanningNeeds& needs) {
  RecipeScope scope;
  scope.knobs = knobs_from(needs.options.knobs);
  const auto examples = static_cast<double>(task.train.size());
  scope.shortest = steps_in(std::min<double>(kShortestExamples, examples), needs.method);
  scope.longest = std::max(
      {scope.shortest, steps_in(kMostEpochs * examples, needs.method), kLongestOfSmallTasks});
  scope.counts_bytes = needs.method.memory_bytes > 0;
  scope.codecs = codecs_for(task.train.shape());
  return scope;
}

// Returns the work that planning may take: a share of that of the run as it was given, but enough
// for a search at all.
double budget_of(const Task& task, const PlanningNeeds& needs, const RecipeScope& scope) {
  // A long stream without a plan takes so long that a smaller share is enough.
  const double usual = std::clamp(1500.0 / needs.tasks, 75.0, 150.0);
  const double share = (needs.options.budget > 0 ? needs.options.budget : usual) / 100;
  const double given =
      static_cast<double>(steps_for(task.train.size(), needs.method.training)) * needs.tasks;
  const double sure = kSureTrials * scope.shortest * needs.tasks;
  // A short run of the mlp takes a second or two: a search of several seconds is no burden.
  const bool is_fast = needs.method.network.model == "mlp" && needs.options.budget == 0;
  const double small = is_fast ? std::min(kRunsOfSmallStreams * given, kStepsOfSmallStreams) : 0;
  return std::max({share * given, sure, small});
}

std::size_t tested_for(int tasks) {
  return static_cast<std::size_t>(std::clamp(10000 / tasks, 250, 1000));
}

// Returns the steps of a task with which the budget is enough to rehearse every codec; 0, which
// stands for the length as given, if it is enough for that. A codec that is not tried cannot be
// chosen, and the length matters less for the choice.
int steps_for_codecs(const Recipe& base, double cost, double budget, const RecipeScope& scope,
                     std::size_t examples, const PlanningNeeds& needs) {
  const double share = budget / (cost * static_cast<double>(scope.codecs.size() + 1));
  if (share >= 1) return base.steps;
  const auto given = static_cast<double>(steps_of(base, needs.method, examples));
  return static_cast<int>(
      std::clamp(given * share, std::min<double>(scope.shortest, given), given));
}

// Rehearses recipes on one imagined stream.
class Imagination {
 public:
  Imagination(const Task& first, const PlanningNeeds& needs, Executor& executor, const Rng& rng)
      : stream_(first, needs.tasks, tested_for(needs.tasks), rng),
        stage_{stream_,   needs.method, needs.classes, needs.make_network, rng.fork("rehearsal"),
               needs.stop},
        race_(stage_, executor, [this, &needs](const Recipe& recipe, const Finish& finish) {
          work_ += finish.work;
          if (needs.tried) needs.tried(recipe);
        }) {}

  std::vector<RecipeTrial> score(std::span<const Recipe> recipes) {
    const std::vector<Finish> ends = race_.run(recipes);
    std::vector<RecipeTrial> trials;
    for (std::size_t k = 0; k < recipes.size(); ++k)
      trials.push_back({recipes[k], ends[k].accuracy, ends[k].is_complete, ends[k].work});
    return trials;
  }
  double cost(const Recipe& recipe) const {
    return work_of(recipe, stage_.method, stream_.examples()) * stream_.tasks();
  }
  double work() const { return work_; }
  std::size_t examples() const { return stream_.examples(); }

 private:
  ImaginedStream stream_;
  Stage stage_;
  double work_ = 0;
  Race race_;
};

// The interval comes from what differs between two imagined streams: the real stream is one more.
Expected expected_from(std::span<const double> first, std::span<const double> second,
                       double accuracy) {
  double sum = 0;
  for (std::size_t k = 0; k < first.size(); ++k) sum += std::pow(first[k] - second[k], 2) / 2;
  const double spread = std::sqrt(sum / static_cast<double>(first.size()));
  constexpr double kLeastSpread = 0.007;  // of seeds, where two streams happen to agree
  const double half = 2 * std::max(spread, kLeastSpread);
  return {accuracy, std::max(0.0, accuracy - half), std::min(1.0, accuracy + half)};
}

RecipeChoice plan_imagined(const Task& first, const PlanningNeeds& asked, Executor& executor,
                           const Rng& rng) {
  PlanningNeeds needs = asked;
  if (needs.options.horizon > 0) needs.tasks = std::min(needs.tasks, needs.options.horizon);
  const RecipeScope scope = scope_for(first, needs);
  const double budget = budget_of(first, needs, scope);
  Recipe base = recipe_of(needs.method);
  if (scope.may_change("length") && base.steps == 0) base.steps = scope.shortest;
  Imagination one(first, needs, executor, rng.fork("plan", 1));
  const int given = base.steps;
  const bool is_codec_alone =
      scope.counts_bytes && scope.knobs == std::vector<std::string>{"codec"};
  if (is_codec_alone) {
    base.steps = steps_for_codecs(base, one.cost(base), budget * (1 - kForConfirmation), scope,
                                  one.examples(), needs);
  }
  RecipeChoice choice;
  choice.pass = pass_of(first, needs);
  choice.trials = search_recipes(
      base, scope, [&](const Recipe& recipe) { return one.cost(recipe); },
      budget * (1 - kForConfirmation),
      [&](std::span<const Recipe> recipes) { return one.score(recipes); }, needs.is_over);

  // A second look at the best: the highest of many noisy scores is too high.
  std::vector<Recipe> best;
  std::vector<double> before;
  double left = budget * kForConfirmation;
  for (const RecipeTrial& trial : choice.trials) {
    const double cost = one.cost(trial.recipe);
    const bool is_possible = best.empty() || (trial.is_complete && cost <= left);
    if (best.size() == kConfirmed || !is_possible) continue;
    left -= cost;
    best.push_back(trial.recipe);
    before.push_back(trial.score);
  }
  Imagination two(first, needs, executor, rng.fork("plan", 2));
  const std::vector<RecipeTrial> again = two.score(best);
  std::vector<double> after;
  std::size_t chosen = 0;
  for (std::size_t k = 0; k < best.size(); ++k) {
    after.push_back(again[k].score);
    if (before[k] + after[k] > before[chosen] + after[chosen]) chosen = k;
  }
  choice.recipe = best[chosen];
  // What shorter rehearsals reach is not what the run will.
  if (choice.recipe.steps == given || !is_codec_alone)
    choice.expected = expected_from(before, after, (before[chosen] + after[chosen]) / 2);
  if (is_codec_alone) {
    choice.recipe.steps = given;
    for (RecipeTrial& trial : choice.trials) trial.recipe.steps = given;
  }
  choice.work = one.work() + two.work();
  return choice;
}

// Settings that learn every split stream that was tried, and diverge on none.
Recipe safe_recipe(const Task& task, const PlanningNeeds& needs, const RecipeScope& scope) {
  Recipe recipe = recipe_of(needs.method);
  if (scope.may_change("learner")) {
    recipe.learner = "der++";
    recipe.alpha = 0.5;
    recipe.beta = 0.5;
  }
  if (scope.may_change("lr")) recipe.learning_rate = 0.01;
  if (scope.may_change("length")) recipe.steps = std::max(pass_of(task, needs), kSafeSteps);
  if (scope.may_change("policy")) {
    recipe.policy = "mixed:1";
    recipe.replays_current = true;
  }
  return recipe;
}

// The recipes that are tried before a task: other rates and lengths around the safe ones.
std::vector<Recipe> transition_recipes(const Recipe& safe, const RecipeScope& scope) {
  std::vector<Recipe> all;
  for (const double length : {0.33, 1.0, 3.0}) {
    for (const double rate : {0.1, 0.3, 1.0, 3.0}) {
      Recipe recipe = safe;
      if (scope.may_change("length")) {
        recipe.steps = static_cast<int>(
            std::clamp<double>(std::round(safe.steps * length), scope.shortest, scope.longest));
      }
      if (scope.may_change("lr")) recipe.learning_rate = safe.learning_rate * rate;
      if (std::find(all.begin(), all.end(), recipe) == all.end()) all.push_back(recipe);
    }
  }
  return all;
}

// Two recipes are the same choice in different tasks if they differ only in what follows from the
// number of examples.
std::string key_of(const Recipe& recipe, int pass) {
  Recipe key = recipe;
  key.steps = 0;
  return fmt::format("{} x {:.1f}", label_of(key), static_cast<double>(recipe.steps) / pass);
}

}  // namespace

RecipeChoice plan_stream(const Task& first, const PlanningNeeds& needs, Executor& executor,
                         const Rng& rng) {
  if (!needs.is_split) return plan_imagined(first, needs, executor, rng);
  RecipeChoice choice;
  const RecipeScope scope = scope_for(first, needs);
  choice.recipe = safe_recipe(first, needs, scope);
  choice.pass = pass_of(first, needs);
  if (scope.may_change("codec") && scope.counts_bytes) {
    choice = choose_codec(choice.recipe, codecs_for(first.train.shape()), first, needs, executor,
                          rng.fork("plan", 1));
    choice.pass = pass_of(first, needs);
  }
  return choice;
}

RecipeChoice plan_task(const Task& task, const Learner& learner, const Memory& memory,
                       std::span<const RecipeChoice> before, const PlanningNeeds& needs,
                       Executor& executor, const Rng& rng) {
  const RecipeScope scope = scope_for(task, needs);
  Recipe safe = safe_recipe(task, needs, scope);
  if (!before.empty()) {  // what is stored cannot be stored in another way later
    safe.learner = before.front().recipe.learner;
    safe.alpha = before.front().recipe.alpha;
    safe.beta = before.front().recipe.beta;
    safe.codec = before.front().recipe.codec;
  }
  const std::vector<Recipe> recipes = transition_recipes(safe, scope);
  const Transition transition{.task = task,
                              .learner = learner,
                              .memory = memory,
                              .method = needs.method,
                              .among_all = needs.options.judged_by == JudgedBy::classes,
                              .rng = rng.fork("transition"),
                              .stop = needs.stop};
  RecipeChoice choice;
  choice.task = task.number;
  choice.pass = pass_of(task, needs);
  choice.recipe = safe;
  if (recipes.size() == 1) return choice;  // nothing can be chosen
  std::vector<double> scores(recipes.size());
  executor.for_each(recipes.size(),
                    [&](std::size_t k) { scores[k] = try_transition(recipes[k], transition); });
  // The evidence of earlier tasks: how far a choice was from the mean of all choices there.
  std::map<std::string, std::pair<double, int>> evidence;
  const auto note = [&](const RecipeChoice& made) {
    double mean = 0;
    for (const RecipeTrial& trial : made.trials) mean += trial.score;
    mean /= static_cast<double>(std::max<std::size_t>(1, made.trials.size()));
    for (const RecipeTrial& trial : made.trials) {
      auto& [sum, count] = evidence[key_of(trial.recipe, made.pass)];
      sum += trial.score - mean;
      ++count;
    }
  };
  for (const RecipeChoice& earlier : before) {
    if (earlier.task > 1) note(earlier);  // before the first task, only codecs are compared
  }
  for (std::size_t k = 0; k < recipes.size(); ++k) {
    const double work = work_of(recipes[k], needs.method, task.train.size());
    choice.trials.push_back({recipes[k], scores[k], true, work});
    choice.work += work;
    if (needs.tried) needs.tried(recipes[k]);
  }
  note(choice);
  const auto standing = [&](const Recipe& recipe) {
    const auto& [sum, count] = evidence.at(key_of(recipe, choice.pass));
    return sum / count;
  };
  double best = -std::numeric_limits<double>::infinity();
  for (const RecipeTrial& trial : choice.trials) {
    if (trial.score <= 0 || standing(trial.recipe) <= best) continue;
    best = standing(trial.recipe);
    choice.recipe = trial.recipe;
  }
  std::stable_sort(choice.trials.begin(), choice.trials.end(),
                   [](const RecipeTrial& a, const RecipeTrial& b) { return a.score > b.score; });
  return choice;
}

}  // namespace gps
