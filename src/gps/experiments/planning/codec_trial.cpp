#include "gps/experiments/planning/codec_trial.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "gps/core/errors.h"
#include "gps/data/features.h"
#include "gps/experiments/method_memory.h"
#include "gps/policies/policy.h"
#include "gps/simulation/global_sim.h"
#include "gps/training/evaluate.h"
#include "gps/training/trainer.h"

namespace gps {
namespace {

constexpr std::size_t kDraws = 4;  // even: each half is in the memory as often as the other
constexpr std::size_t kMostHeldBack = 1000;
constexpr std::size_t kMostStored = 1000;
constexpr std::size_t kMostSteps = 600;

// A task as one draw divides it. Stored classes take turns, so that the first n examples are
// balanced for any n.
struct Draw {
  std::vector<std::uint32_t> stored;
  std::vector<std::uint32_t> current;
  std::vector<std::uint32_t> tested;
};

Draw draw_from(const Task& task, std::size_t number, const Rng& rng) {
  const Dataset& all = task.train;
  std::vector<Label> labels = task.labels;
  Rng shuffled = rng.fork("halves", number / 2);
  shuffled.shuffle(std::span(labels));
  if (number % 2 == 1) std::reverse(labels.begin(), labels.end());
  const std::set<Label> in_memory(labels.begin(),
                                  labels.begin() + static_cast<std::ptrdiff_t>(labels.size() / 2));
  const Rng drawn = rng.fork("draw", number);
  const auto is_held_back = hold_back(all, Score::balanced, kMostHeldBack, drawn.fork("held back"));
  Draw draw;
  std::map<Label, std::vector<std::uint32_t>> by_class;
  for (const std::uint32_t row : drawn.fork("order").permutation(all.size())) {
    if (is_held_back[row]) {
      draw.tested.push_back(row);
    } else if (in_memory.contains(all.label(row))) {
      by_class[all.label(row)].push_back(row);
    } else {
      draw.current.push_back(row);
    }
  }
  const std::size_t outside = draw.tested.size() + draw.current.size();
  for (std::size_t turn = 0; draw.stored.size() + outside < all.size(); ++turn) {
    for (const auto& [label, rows] : by_class) {
      if (turn < rows.size()) draw.stored.push_back(rows[turn]);
    }
  }
  return draw;
}

// What will be left of these classes in the memory when the stream ends. REQUIRES: the budget is in
// examples.
Memory memory_of(const Draw& draw, const Task& task, const Method& method,
                 const PlanningNeeds& needs) {
  const std::size_t share = static_cast<std::size_t>(method.memory / needs.tasks) *
                            (task.labels.size() / 2) / task.labels.size();
  Memory memory(std::min({share, draw.stored.size(), kMostStored}), task.train.shape(),
                task.augmentation, example_format(method));
  Batch batch;
  for (std::size_t k = 0; k < memory.capacity(); ++k) {
    batch.gather(task, {&draw.stored[k], 1});
    memory.add(memory.make_example(batch, 0, Part::reservoir));
  }
  return memory;
}

// Logits of a network without training teach nothing, so that all learners are tried as er. Logits
// take room all the same.
Method method_for(const Recipe& recipe, const Task& task, const PlanningNeeds& needs) {
  Method planned = for_trial(needs.method, recipe);
  count_in_examples(planned, task.train.shape(), needs.classes);
  Recipe tried = recipe;
  tried.learner = "er";
  Method method = for_trial(needs.method, tried);
  method.memory = planned.memory;
  method.memory_bytes = 0;
  method.training.steps =
      static_cast<int>(std::min(kMostSteps, steps_for(task.train.size(), method.training)));
  return method;
}

double accuracy_with(const Method& method, const Task& task, std::size_t number,
                     const PlanningNeeds& needs, const Rng& rng) try {
  const Draw draw = draw_from(task, number, rng);
  Memory memory = memory_of(draw, task, method, needs);
  if (memory.is_empty() || draw.current.empty() || draw.tested.empty()) return 0;
  Task current = task;
  current.train = task.train.subset(draw.current);
  const Rng drawn = rng.fork("trial", number);
  const auto learner = make_learner(method.learner, needs.make_network(drawn.fork("network")));
  const auto policy = make_no_memory();
  train_task(*learner, *policy, memory, current, method.training, drawn.fork("train"),
             {.stop = needs.stop, .progress = {}});
  return evaluate(*learner, task.train.subset(draw.tested), task.labels, needs.stop).class_accuracy;
} catch (const Diverged&) {
  return 0;
}

// REQUIRES: the trials go from fine to coarse.
Recipe middle_of_the_best(const std::vector<RecipeTrial>& trials, std::size_t tested) {
  double best = 0;
  for (const RecipeTrial& trial : trials) best = std::max(best, trial.score);
  if (best == 0) return trials.front().recipe;
  const double error = std::sqrt(best * (1 - best) / static_cast<double>(kDraws * tested));
  std::vector<Recipe> equal;
  for (const RecipeTrial& trial : trials) {
    if (trial.score >= best - error) equal.push_back(trial.recipe);
  }
  return equal[(equal.size() - 1) / 2];
}

// Returns the text of the codec `pack` with the most bytes up to this; empty if it has none.
std::string largest_pack_within(std::size_t bytes) {
  std::string largest;
  for (const std::string& text : codec_texts()) {  // from few to many bytes
    if (text.starts_with("pack:") && make_codec(text)->stored_bytes({}) <= bytes) largest = text;
  }
  return largest;
}

}  // namespace

std::vector<std::string> codecs_for(const ImageShape& shape) {
  if (are_features(shape)) return {"raw"};
  std::vector<std::string> codecs = {"raw", "bits:4", "bits:2", "bits:1"};
  const bool is_photograph = shape.channels == 3 || std::max(shape.height, shape.width) > 32;
  if (!is_photograph) {
    for (const std::size_t part : {8U, 16U, 32U}) {
      const std::string text = largest_pack_within(shape.bytes() / part);
      if (!text.empty() && text != codecs.back()) codecs.push_back(text);
    }
  } else {
    codecs.emplace_back("down:2");
    for (const std::string& text : codec_texts()) {
      if (text.starts_with("webp:")) codecs.push_back(text);
    }
    std::erase_if(codecs, [&](const std::string& text) {
      try {
        const SharedCodec codec = make_codec(text);
        codec->check(shape);
        const std::size_t bytes = codec->stored_bytes(shape);
        return text != "raw" && (2 * bytes > shape.bytes() || 24 * bytes < shape.bytes());
      } catch (const OptionError&) {
        return true;
      }
    });
  }
  std::stable_sort(codecs.begin(), codecs.end(), [&](const auto& a, const auto& b) {
    return make_codec(a)->stored_bytes(shape) > make_codec(b)->stored_bytes(shape);
  });
  return codecs;
}

RecipeChoice choose_codec(const Recipe& recipe, const std::vector<std::string>& codecs,
                          const Task& task, const PlanningNeeds& needs, Executor& executor,
                          const Rng& rng) {
  RecipeChoice choice;
  for (const std::string& codec : codecs) {
    choice.trials.push_back({.recipe = recipe});
    choice.trials.back().recipe.codec = codec;
  }
  choice.recipe = choice.trials.front().recipe;
  if (task.labels.size() < 2) {
    choice.trials.clear();
    return choice;
  }
  std::vector<double> scores(codecs.size() * kDraws);
  executor.for_each(scores.size(), [&](std::size_t k) {
    try {
      const Method method = method_for(choice.trials[k / kDraws].recipe, task, needs);
      scores[k] = accuracy_with(method, task, k % kDraws, needs, rng);
    } catch (const OptionError&) {
      scores[k] = 0;  // not even one example fits
    }
  });
  for (std::size_t k = 0; k < codecs.size(); ++k) {
    RecipeTrial& trial = choice.trials[k];
    for (std::size_t draw = 0; draw < kDraws; ++draw)
      trial.score += scores[k * kDraws + draw] / kDraws;
    trial.work = static_cast<double>(
        kDraws * std::min(kMostSteps, steps_of(recipe, needs.method, task.train.size())));
    choice.work += trial.work;
    if (needs.tried) needs.tried(trial.recipe);
  }
  const std::size_t tested = draw_from(task, 0, rng).tested.size();
  choice.recipe = middle_of_the_best(choice.trials, tested);
  std::stable_sort(choice.trials.begin(), choice.trials.end(),
                   [](const RecipeTrial& a, const RecipeTrial& b) { return a.score > b.score; });
  return choice;
}

}  // namespace gps
