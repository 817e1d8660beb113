// Learns one more task: new classes, or new examples of known classes. Changes the state and
// returns a report. Uses no clock and no file: the same state, task and build give the same bits
// with any executor.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gps/core/work/executor.h"
#include "gps/core/work/stop.h"
#include "gps/deployment/learn_state.h"
#include "gps/experiments/planning/plan_record.h"

namespace gps {

struct NewTask {
  std::string name = {};
  std::vector<std::string> classes = {};  // by label: the state's classes, then the new ones
  Dataset train = {};
  Dataset test = {};  // test images; empty: some of `train` are held out
  std::int64_t when = 0;
  // What is planned for this task: learning rate and length ("lr,length"), one of them, or nothing.
  // Several are tried on the images first, and the best is used (experiments/planning).
  std::string planned = {};
};

// Share of correct predictions: among the classes of the task, and among all known classes.
struct Tested {
  double accuracy = 0;
  double among_all = 0;
  std::vector<std::size_t> predicted = {};            // images by answer, among the task's classes
  std::vector<std::size_t> predicted_among_all = {};  // the same among all classes
};

// Test results of one task, or of a group of merged tasks (merge_tasks.h). `before` and `now` are
// for the same examples.
struct TaskStanding {
  int task = 0;
  int last = 0;  // last task of the group; `task` if it is not merged
  std::size_t examples = 0;
  std::optional<Tested> before = {};  // before this call; empty for a task with new classes
  Tested now;
  std::vector<std::size_t> labels = {};  // test images by label
};

struct LearnReport {
  int task = 0;
  std::size_t trained = 0;  // examples
  std::size_t steps = 0;
  std::size_t not_trained = 0;  // images left out of training (divide.h)
  std::size_t not_tested = 0;
  std::size_t erased = 0;  // images left out because they were erased (stored/erased_images.h)
  std::size_t trained_before = 0;  // of the images to train on, those of earlier calls
  std::vector<std::string> new_classes = {};
  std::vector<TaskStanding> scores = {};  // of tasks with test examples, the new one last
  std::optional<Decision> decision = {};
  std::optional<RecipeChoice> plan = {};  // if something was planned
  // Why the new version should not be used, one clause each; empty if it seems alive
  // (check_learnt.h).
  std::vector<std::string> problems = {};
};

struct LearnProgress {
  std::size_t steps_done = 0;
  std::size_t steps_expected = 0;
  bool is_planning = false;    // whether it is trying settings
  bool is_choosing = false;    // whether it is choosing which examples to keep
  std::size_t tried = 0;       // candidates simulated for that
  std::size_t most_tried = 0;  // at most so many will be; 0: nothing is simulated
  bool is_testing = false;     // whether it answers test images
};

// What a call is about to do, before it does it.
struct LearnWork {
  const Learner& learner;
  const Memory& memory;
  const Task& task;
  const TrainOptions& training;
  std::size_t steps = 0;            // of training
  std::size_t candidates = 0;       // that are simulated afterwards, at most
  std::size_t candidate_steps = 0;  // of each of them, at most
};

struct LearnHooks {
  const StopFlag* stop = nullptr;
  // Is never called twice at the same time, but possibly on different threads.
  std::function<void(const LearnProgress&)> progress = {};
  // Called once, before training. It cannot change the result.
  std::function<void(const LearnWork&)> begins = {};
};

// Checks that the state can learn a task with these classes (NewTask::classes) and with training
// images of `labels`. Throws UsageError if not. Can be called before any image is read.
void check_classes(const LearnState& state, const std::vector<std::string>& classes,
                   std::span<const Label> labels);

// Images that were erased are left out, and stored ones that are older than options.keep_days at
// the time of the task leave the memory. Throws what check_classes() and train_task() throw, and
// DataError for a task without examples to learn from. The state must not be used after an
// exception.
LearnReport learn(LearnState& state, const NewTask& task, Executor& executor,
                  const LearnHooks& hooks = {});

// Tests every task, or group of merged tasks, that has test examples left. `before` is empty in
// all.
std::vector<TaskStanding> test_tasks(LearnState& state, const StopFlag* stop = nullptr);

// Tests a task among its own classes, `labels`, and among all classes that the state knows.
// REQUIRES: there are examples.
Tested test(LearnState& state, const Dataset& examples, std::span<const Label> labels,
            const StopFlag* stop = nullptr);

// Returns a fingerprint of the images of a task and their classes.
std::string fingerprint(const NewTask& task);

// Returns the last task that had the same images with the same classes, or nothing.
std::optional<int> learnt_as(const LearnState& state, const NewTask& task);

// Returns the labels that occur in the data, ascending.
std::vector<Label> labels_in(const Dataset& data);

}  // namespace gps
