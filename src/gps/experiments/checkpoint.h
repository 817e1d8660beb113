// Checkpoints of one run: its position and everything that the rest of the run depends on, in a
// file. A run that was killed continues from it and ends with the same bits (docs/result-format.md
// has the format).
//
//   Checkpoints checkpoints("results/some-run.ckpt");
//   RunResult result = run(spec, seed, source, executor, {.checkpoints = &checkpoints});
//   save(result, "results");
//   checkpoints.remove();
//
// run() continues from the checkpoint that it finds there, or starts from the beginning.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "gps/core/work/clock.h"

namespace gps {

struct CheckpointOptions {
  double seconds = 300;   // within a task: seconds since the last checkpoint; 0: only at task ends
  std::size_t steps = 0;  // if not 0: after this many steps instead
  Clock clock = steady_seconds;
  // Receives messages of one line: where a run continues, which file was refused, what could not be
  // written.
  std::function<void(const std::string&)> tell = nullptr;
};

// Parses the option `checkpoint-every`: "5" minutes, "0" for the ends of tasks only, "50steps", or
// "off". Returns nothing for "off". Throws OptionError.
std::optional<CheckpointOptions> parse_checkpoints(const std::string& text);

// Identifies the run that a checkpoint belongs to. Checkpoints of other runs are refused.
struct RunIdentity {
  std::string spec;  // canonical JSON
  std::uint64_t seed = 0;
  std::uint32_t data = 0;  // checksum
  std::string build;
};

class Checkpoints {
 public:
  explicit Checkpoints(std::filesystem::path file, CheckpointOptions options = {});

  const std::filesystem::path& file() const { return file_; }
  const CheckpointOptions& options() const { return options_; }

  // Returns whether the checkpoint or the previous one exists.
  bool exists() const;

  // Returns the state that was saved last for this run. Refuses a damaged file and one of another
  // run, says so through `tell`, and takes the previous one if there is one.
  std::optional<std::string> load(const RunIdentity& run);

  // Says that work on the next checkpoint begins, so that its cost contains more than the writing:
  // copying the state, for example. If this is not called, save() is all of the work.
  void begin();

  // Saves the state and keeps the previous one. A failure does not end the run; it is reported once
  // through `tell`. Returns whether the state was written.
  bool save(const RunIdentity& run, const std::string& state);

  // Reports why there is no checkpoint. Reports only once until the next one is written.
  void tell_failure(const std::string& reason);

  // Removes both checkpoints, and what killed programs left of others. To be called after the
  // result has been saved.
  void remove();

  // Returns whether the next checkpoint is due. To be called once per step.
  bool is_due();

  // Returns whether to save at the end of a task. Yes, unless the last checkpoint is less than a
  // second old (or less than `seconds`, if that is shorter), or less than kWorkPerSave times as old
  // as it took to make it: so little work costs less than saving it. If the user asked for
  // checkpoints by steps or at task ends only, always yes.
  bool is_due_at_task_end() const;

  // Checkpoints at task ends take at most one in so many seconds.
  static constexpr double kWorkPerSave = 20;

  void tell(const std::string& line) const {
    if (options_.tell) options_.tell(line);
  }

 private:
  bool write(const RunIdentity& run, const std::string& state);

  std::filesystem::path file_;
  std::filesystem::path previous_;
  CheckpointOptions options_;
  double last_ = 0;              // time when the last save was finished
  double cost_ = 0;              // seconds that it took
  std::optional<double> begun_;  // when work on the next one began
  std::size_t steps_ = 0;        // steps since then
  bool keeps_previous_ = true;   // false if the newest file was refused
  bool has_told_failure_ = false;
};

}  // namespace gps
