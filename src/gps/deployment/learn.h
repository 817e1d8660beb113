// Learns one more task: new classes, or new examples of known classes. Takes the state and the
// task; gives the state after it and a report. Uses no clock and no file: the same state, task and
// build give the same bits with any executor.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gps/core/work/executor.h"
#include "gps/core/work/stop.h"
#include "gps/deployment/learn_state.h"

namespace gps {

struct NewTask {
  std::string name = {};
  std::vector<std::string> classes = {};  // the state's, and after them the new ones; by label
  Dataset train = {};
  Dataset test = {};  // to test on; empty: some of `train` are held out
  std::int64_t when = 0;
};

// Shares of right answers: among the classes of the task, and among all classes known.
struct Tested {
  double accuracy = 0;
  double among_all = 0;
};

// How one task stands, or a group of them that share as one (merge_tasks.h). Before and now are of
// the same examples.
struct TaskStanding {
  int task = 0;
  int last = 0;  // of the group; the task itself where it is by itself
  std::size_t examples = 0;
  std::optional<Tested> before = {};  // this call; none where it brings new classes
  Tested now;
};

struct LearnReport {
  int task = 0;
  std::size_t trained = 0;  // examples
  std::size_t steps = 0;
  std::size_t not_trained = 0;  // images left out (divide.h)
  std::size_t not_tested = 0;
  std::vector<std::string> new_classes = {};
  std::vector<TaskStanding> scores = {};  // of tasks with examples to test on, the new one last
  std::optional<Decision> decision = {};
};

struct LearnProgress {
  std::size_t steps_done = 0;
  std::size_t steps_expected = 0;
  bool is_choosing = false;  // what to keep
};

struct LearnHooks {
  const StopFlag* stop = nullptr;
  std::function<void(const LearnProgress&)> progress = {};
};

// Can the state learn a task of these classes (NewTask::classes), of which it has training images
// of `labels`? Throws UsageError; before anything is read or trained.
void check_classes(const LearnState& state, const std::vector<std::string>& classes,
                   std::span<const Label> labels);

// Throws what check_classes() and train_task() throw, and DataError for a task without examples to
// learn from. The state is of no use then.
LearnReport learn(LearnState& state, const NewTask& task, Executor& executor,
                  const LearnHooks& hooks = {});

// The task among its own classes and among all that the state knows. REQUIRES: examples.
Tested test(LearnState& state, const Dataset& examples, std::span<const Label> labels,
            const StopFlag* stop = nullptr);

// Tells the images of a task and their classes from those of another one.
std::string fingerprint(const NewTask& task);

// The labels that the data has, ascending.
std::vector<Label> labels_in(const Dataset& data);

}  // namespace gps
