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
  double seconds = 300;   // within a task: this long after the last one; 0: at task ends only
  std::size_t steps = 0;  // if not 0: after so many steps instead
  Clock clock = steady_seconds;
  // Told, one line each: what a run goes on from, what was refused, what could not be written.
  std::function<void(const std::string&)> tell = nullptr;
};

// Whose checkpoint it is. Any other's is foreign.
struct RunIdentity {
  std::string spec;  // canonical JSON
  std::uint64_t seed = 0;
  std::uint32_t data = 0;  // a checksum
  std::string build;
};

class Checkpoints {
 public:
  explicit Checkpoints(std::filesystem::path file, CheckpointOptions options = {});

  const std::filesystem::path& file() const { return file_; }
  const CheckpointOptions& options() const { return options_; }

  // Is there one, or the one before it?
  bool exists() const;

  // What was kept last for this run. A file that is damaged or foreign is refused, and the one
  // before it is taken where there is one; tells so.
  std::optional<std::string> load(const RunIdentity& run);

  // Keeps the state, and the one before it. A run that could go on does not end because this fails:
  // it is told, once. Returns whether it was written.
  bool save(const RunIdentity& run, const std::string& state);

  // Tells why there is none, once until the next one is written.
  void tell_failure(const std::string& reason);

  // Once the result is safe.
  void remove();

  // Called once a step: is it time for the next one?
  bool is_due();

  // At the end of a task: yes, unless the last one was less than a second ago (or than `seconds`,
  // if that is less): so little work costs less than keeping it.
  bool is_due_at_task_end() const;

  void tell(const std::string& line) const {
    if (options_.tell) options_.tell(line);
  }

 private:
  std::filesystem::path file_;
  std::filesystem::path previous_;
  CheckpointOptions options_;
  double last_ = 0;             // when it was saved
  std::size_t steps_ = 0;       // since then
  bool keeps_previous_ = true;  // false: the newest one is damaged
  bool has_told_failure_ = false;
};

}  // namespace gps
