#include "gps/experiments/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "gps/core/files/archive.h"
#include "gps/core/files/files.h"
#include "gps/core/files/framed.h"
#include "gps/core/option.h"

namespace gps {
namespace {

namespace fs = std::filesystem;

constexpr FileKind kKind = {"a checkpoint", "gpscl checkpoint", 2, /*checked_from=*/2};

std::string to_bytes(RunIdentity run, std::string state) {
  Archive body;
  body(run.spec, run.seed, run.data, run.build, state);
  return framed(kKind, body.bytes());
}

// Throws DataError that says why the checkpoint cannot be used.
std::string state_in(const std::string& bytes, const RunIdentity& run) {
  Archive body(unframed(kKind, bytes).body);
  RunIdentity found;
  std::string state;
  body(found.spec, found.seed, found.data, found.build, state);
  if (found.spec != run.spec) throw DataError("belongs to a run with other options");
  if (found.seed != run.seed)
    throw DataError(fmt::format("belongs to seed {}, not {}", found.seed, run.seed));
  if (found.data != run.data) throw DataError("belongs to a run on other data");
  if (found.build != run.build)
    throw DataError(
        fmt::format("was made by another build ({}; this one is {})", found.build, run.build));
  return state;
}

}  // namespace

std::optional<CheckpointOptions> parse_checkpoints(const std::string& text) {
  constexpr const char* kFlag = "checkpoint-every";
  constexpr const char* kWhat = "a number of minutes, a number of steps such as 100steps, or off";
  if (text == "off") return std::nullopt;
  CheckpointOptions options;
  if (text.ends_with("steps")) {
    const int steps = parse_whole(kFlag, text.substr(0, text.size() - 5), kWhat);
    if (steps < 1) throw OptionError(kFlag, fmt::format("must be at least 1 step, got '{}'", text));
    options.steps = static_cast<std::size_t>(steps);
    return options;
  }
  options.seconds = 60 * parse_real(kFlag, text, kWhat);
  if (options.seconds < 0)
    throw OptionError(kFlag, fmt::format("must be at least 0 minutes, got {}", text));
  return options;
}

Checkpoints::Checkpoints(fs::path file, CheckpointOptions options)
    : file_(std::move(file)), previous_(file_), options_(std::move(options)) {
  previous_ += ".prev";
  last_ = options_.clock();
}

bool Checkpoints::exists() const {
  std::error_code ignored;
  return fs::exists(file_, ignored) || fs::exists(previous_, ignored);
}

std::optional<std::string> Checkpoints::load(const RunIdentity& run) {
  for (const fs::path& path : {file_, previous_}) {
    std::error_code ignored;
    if (!fs::exists(path, ignored)) continue;
    const bool has_other = path == file_ && fs::exists(previous_, ignored);
    try {
      return state_in(read_file(path), run);
    } catch (const DataError& error) {
      if (path == file_) keeps_previous_ = false;
      tell(fmt::format("{} {}; {}", path.string(), error.what(),
                       has_other ? "trying the previous one" : "starting from the beginning"));
    }
  }
  return std::nullopt;
}

void Checkpoints::begin() { begun_ = options_.clock(); }

bool Checkpoints::save(const RunIdentity& run, const std::string& state) {
  const double begun = begun_ ? *begun_ : options_.clock();
  const bool is_written = write(run, state);
  steps_ = 0;
  last_ = options_.clock();
  cost_ = last_ - begun;
  begun_.reset();
  return is_written;
}

bool Checkpoints::write(const RunIdentity& run, const std::string& state) {
  try {
    write_file(file_, to_bytes(run, state), keeps_previous_ ? previous_ : fs::path());
  } catch (const DataError& error) {
    tell_failure(error.what());
    return false;
  } catch (const std::bad_alloc&) {
    tell_failure("out of memory");
    return false;
  }
  keeps_previous_ = true;
  has_told_failure_ = false;
  return true;
}

void Checkpoints::tell_failure(const std::string& reason) {
  if (!has_told_failure_) tell("no checkpoint: " + reason);
  has_told_failure_ = true;
  begun_.reset();
}

void Checkpoints::remove() {
  // The leftovers first: after a kill in between, the file still shows that there is work to do.
  remove_leftovers(file_);
  std::error_code ignored;
  for (const fs::path& path : {previous_, file_}) fs::remove(path, ignored);
}

bool Checkpoints::is_due_at_task_end() const {
  if (options_.steps > 0 || options_.seconds <= 0) return true;
  return options_.clock() - last_ >=
         std::max(std::min(1.0, options_.seconds), kWorkPerSave * cost_);
}

bool Checkpoints::is_due() {
  if (options_.steps > 0) return ++steps_ >= options_.steps;
  return options_.seconds > 0 && options_.clock() - last_ >= options_.seconds;
}

}  // namespace gps
