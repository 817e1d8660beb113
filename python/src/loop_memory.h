// A memory for a training loop that is not ours: the library's policies and its memory, driven by
// calls instead of by train_task(). For the same seed and order it makes the same choices as a run
// of `gpscl run`: streams are named as in experiments/run.cpp and training/trainer.cpp.
//
// Rows are bytes of one size, whatever they mean; a memory may also hold indices alone. Selection
// looks at labels only, so the policies that choose when a task ends work on labels and ids, and
// the rows of what they chose are supplied afterwards.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "asked_gps.h"
#include "gps/core/text/byte_count.h"
#include "gps/memory/memory.h"
#include "gps/policies/policy.h"

namespace gps::python {

struct LoopOptions {
  std::size_t examples = 0;  // the budget as a number of examples; 0: in bytes
  std::uint64_t bytes = 0;
  PolicyOptions policy = {};
  std::uint64_t seed = 0;
  int classes = 0;            // of the whole stream; 0: as many as were seen
  int tasks = 0;              // T, for gps; 0: unknown
  int batch = 10;             // examples in each step
  std::size_t row_bytes = 0;  // of the rows that the indices stand for, for a budget in bytes
};

// Whether the memory holds rows. Unknown until the first row is given or missed.
enum class Holds : std::uint8_t { unknown, indices, rows };

// A batch as it comes from outside. `rows` is null if there are none.
struct Offered {
  std::span<const std::uint32_t> ids;
  std::span<const Label> labels;
  const std::uint8_t* rows = nullptr;
  std::size_t row_bytes = 0;
};

// Not safe for several threads at once: the caller locks.
class LoopMemory {
 public:
  // Throws UsageError for a policy that looks at the network, and for options that are unknown, out
  // of range or impossible together.
  explicit LoopMemory(LoopOptions options);

  // All of these throw UsageError before they change anything.

  // Throws if a task is about to end.
  void check_can_change() const;
  // Begins a task whose examples have these labels and ids.
  void begin_task(std::vector<Label> labels, std::vector<std::uint32_t> ids);
  void observe(const Offered& batch);
  void end_epoch();

  // Ends the task, in two steps, because rows of chosen examples may have to be fetched by the
  // caller. choose() makes the choice and returns the ids of the chosen examples of the task that
  // lack a row. After that, finish() takes these rows in that order and makes the choice count.
  // cancel() undoes it. `holds` and `row_bytes` settle what is unknown so far. `ask` may be empty
  // if no search follows. If choose() throws, nothing has changed.
  std::vector<std::uint32_t> choose(Holds holds, std::size_t row_bytes, const AskOutcome& ask);
  void finish(std::span<const std::uint8_t> rows);
  void cancel();

  // Draws at most n slots without replacement, from the stream that ER draws from in a run.
  std::vector<std::uint32_t> draw(std::size_t n);
  // Copies the rows of these slots to `out`. REQUIRES: out has room for them. Throws UsageError for
  // a slot that the memory does not have.
  void gather(std::span<const std::int64_t> slots, std::span<std::uint8_t> out) const;
  // Copies rows of the current task that were given to observe(). Throws UsageError if one was not.
  void gather_staged(std::span<const std::uint32_t> ids, std::span<std::uint8_t> out) const;

  const LoopOptions& options() const { return options_; }
  std::string policy_text() const;
  Holds holds() const { return holds_; }
  std::size_t row_bytes() const { return row_bytes_; }
  std::optional<std::size_t> capacity() const;
  std::size_t size() const { return memory_ ? memory_->size() : 0; }
  std::uint64_t bytes() const;
  std::uint64_t staged_bytes() const { return staged_.size() * row_bytes_; }
  const std::vector<Example>& examples() const;
  int task() const { return task_; }
  int epoch() const { return epoch_; }
  bool has_begun() const { return has_begun_; }
  std::uint64_t observed() const { return observed_; }
  bool chooses_at_end() const { return rebuilds_; }
  bool searches() const { return asked_ != nullptr && asked_->searches_after(task_); }
  std::vector<Decision> decisions() const { return policy_->decisions(); }
  std::vector<std::uint32_t> order(std::size_t n) const;
  // The first id of the current task, for whoever needs to look at a row of it. Throws UsageError
  // if the task has no example.
  std::uint32_t first_id() const;

  // All that the next call depends on. Reading throws UsageError if it was written with other
  // options, and DataError if it is damaged.
  std::string save() const;
  static LoopMemory restored(const LoopOptions& options, const std::string& bytes);

 private:
  struct Ending {
    Memory memory;
    std::vector<std::size_t> missing;  // slots
    std::string policy_before;
    bool was_open;  // whether there was a memory before
  };

  Rng task_rng() const { return rng_.fork("task", task_); }
  void begin_epoch();
  int classes() const;
  void open(Holds holds, std::size_t row_bytes);
  // Tells the policy that the task begins.
  void begin(Memory& memory);
  void check_labels(std::span<const Label> labels) const;
  void check_rows(const Offered& batch) const;
  void check_known(const Offered& batch) const;
  void record(const Offered& batch);
  void make_room_for(std::span<const Label> labels);
  Task task_so_far() const;
  Task known_task() const;
  Task growing_task() const;
  void undo(const Ending& ending);
  void persist(Archive& archive);

  LoopOptions options_;
  Rng rng_;
  std::unique_ptr<MemoryPolicy> policy_;
  AskedGps* asked_ = nullptr;        // the policy, if it is gps
  bool has_usual_examples_ = false;  // whether its pseudo-tasks have as many as the memory holds
  bool rebuilds_ = false;            // chooses among all examples of a task when it ends
  bool watches_steps_ = true;        // edits the memory after each step
  bool grows_ = false;  // must know the classes of a task, and can learn of them on the way

  Holds holds_ = Holds::unknown;
  std::size_t row_bytes_ = 0;
  std::optional<Memory> memory_;
  int task_ = 1;
  int epoch_ = 1;
  Rng for_learner_;
  Rng for_policy_;
  bool has_begun_ = false;
  bool has_started_ = false;       // whether the policy knows that the task has begun
  std::uint64_t observed_ = 0;     // examples of this task, over all epochs
  std::uint32_t labels_seen_ = 0;  // the largest label so far, plus one
  // The examples of the current task: all of them from the start, or those observed so far.
  bool is_known_ = false;
  std::vector<std::uint32_t> ids_;
  std::vector<Label> labels_;
  std::unordered_map<std::uint32_t, std::size_t> row_of_;  // by id; only if the policy rebuilds
  std::vector<bool> is_class_of_task_;
  std::unordered_map<std::uint32_t, StoredImage> staged_;
  bool is_choosing_ = false;  // while a search asks its questions
  std::optional<Ending> ending_;
};

// Returns the budget that a text such as "2MB" or "784kB" names. Throws UsageError.
std::uint64_t budget_in_bytes(const std::string& text);

}  // namespace gps::python
