#include "gps/deployment/state_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "gps/core/files/files.h"
#include "gps/core/files/framed.h"
#include "gps/core/text/numbers.h"
#include "gps/deployment/state_models.h"

namespace gps {
namespace {

namespace fs = std::filesystem;

constexpr FileKind kKind = {"a state", "gpscl state\n", kStateFormat, /*checked_from=*/4};
constexpr const char* kEnding = ".state";
constexpr const char* kLock = "lock";
constexpr const char* kCandidate = "candidate.state";
constexpr const char* kLog = "log.jsonl";

// Returns the version number of a file, or 0 if the file is not a version.
int version_of(const fs::path& file) {
  if (file.extension() != kEnding) return 0;
  return std::max(0, parse_number<int>(file.stem().string()).value_or(0));
}

// Whether the error says that the folder does not exist. Other errors must be reported: a folder
// that cannot be read may contain a state.
bool is_absence(const std::error_code& error) {
  return error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory;
}

[[noreturn]] void refuse_unreadable(const fs::path& folder, const std::error_code& error) {
  throw DataError(fmt::format("{}: cannot be read: {}", folder.string(), error.message()));
}

bool is_leftover(const fs::path& file) { return file.extension() == ".tmp"; }

}  // namespace

fs::path StateFolder::file(int version) const {
  return folder_ / fmt::format("{:06}{}", version, kEnding);
}

fs::path StateFolder::candidate_file() const { return folder_ / kCandidate; }

std::vector<int> StateFolder::versions() const {
  std::vector<int> found;
  std::error_code error;
  for (fs::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
    if (const int version = version_of(at->path()); version > 0) found.push_back(version);
  }
  if (error && !is_absence(error)) refuse_unreadable(folder_, error);
  std::sort(found.begin(), found.end());
  return found;
}

std::uintmax_t StateFolder::bytes() const {
  std::uintmax_t sum = 0;
  std::error_code error;
  for (fs::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
    std::error_code gone;
    const std::uintmax_t size = at->is_regular_file(gone) ? at->file_size(gone) : 0;
    if (!gone) sum += size;
  }
  return sum;
}

int StateFolder::newest() const {
  const std::vector<int> all = versions();
  std::error_code error;
  if (all.empty() && fs::exists(candidate_file(), error)) {
    throw UsageError(
        fmt::format("{}: contains no state, but a candidate; keep it with: gpscl learn {} --accept",
                    folder_.string(), folder_.string()));
  }
  if (all.empty()) {
    throw UsageError(fmt::format("{}: contains no state; make one with: gpscl learn {} NEW_DATA",
                                 folder_.string(), folder_.string()));
  }
  return all.back();
}

void StateFolder::check_is_free() const {
  std::error_code error;
  if (fs::exists(folder_, error) && !fs::is_directory(folder_, error))
    throw UsageError(fmt::format("{}: is a file, but a state is a folder", folder_.string()));
  for (fs::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
    const fs::path name = at->path().filename();
    if (name == kLock || name == kCandidate || name == kLog || name == kModelFile ||
        name == kBackboneFile || is_leftover(name))
      continue;
    throw UsageError(
        fmt::format("{}: contains {} but no state; use a new or empty folder for a new state",
                    folder_.string(), name.string()));
  }
  if (error && !is_absence(error)) refuse_unreadable(folder_, error);
}

LearnState StateFolder::read(int version) const {
  try {
    Unframed state = unframed(kKind, read_file(file(version)));
    return state_from(std::move(state.body), folder_, state.format);
  } catch (const NewerFormat& error) {
    throw NewerFormat(fmt::format("{} {}", file(version).string(), error.what()));
  } catch (const DataError& error) {
    const std::string what = error.what();
    const std::string name = file(version).string();
    throw DataError(what.starts_with(folder_.string()) ? what : fmt::format("{} {}", name, what));
  }
}

LearnState StateFolder::load() const {
  for (int last = 0;;) {
    const int version = newest();
    try {
      return read(version);
    } catch (const NewerFormat&) {
      throw;
    } catch (const DataError& error) {
      // Another process may have written a newer version and removed this one in the meantime.
      if (newest() != version && last != version) {
        last = version;
        continue;
      }
      const std::vector<int> all = versions();
      if (all.size() < 2)
        throw DataError(fmt::format("{}; no older version is kept", error.what()));
      const int before = all[all.size() - 2];
      std::string advice;
      try {
        read(before);
        advice = fmt::format("gpscl learn {} --rollback returns to version {}, which is intact",
                             folder_.string(), before);
      } catch (const std::exception&) {
        advice = fmt::format("version {} cannot be used either", before);
      }
      throw DataError(fmt::format("{}; {}", error.what(), advice));
    }
  }
}

Committed StateFolder::commit(LearnState& state, const BeforeKept& before) {
  const std::vector<int> all = versions();
  if (!all.empty() && state.tasks.size() == 1) {
    throw DataError(fmt::format("{}: already has version {}, so a new state cannot be written here",
                                folder_.string(), all.back()));
  }
  return write_next(state, all, before);
}

Committed StateFolder::commit_change(LearnState& state, const BeforeKept& before) {
  newest();  // throws if there is none
  return write_next(state, versions(), before);
}

std::string StateFolder::bytes_of(LearnState& state) { return framed(kKind, to_bytes(state)); }

void StateFolder::rewrite(int version, LearnState& state) const {
  write_file(file(version), bytes_of(state));
  sync_folder(folder_);
}

void StateFolder::remove(int version) const {
  std::error_code error;
  fs::remove(file(version), error);
  if (error) {
    throw DataError(
        fmt::format("{}: cannot be removed: {}", file(version).string(), error.message()));
  }
  sync_folder(folder_);
}

// `all` are the versions that there are.
Committed StateFolder::write_next(LearnState& state, const std::vector<int>& all,
                                  const BeforeKept& before) {
  Committed result{.version = all.empty() ? 1 : all.back() + 1};
  const std::string bytes = bytes_of(state);
  std::vector<fs::path> copied;
  try {
    if (before) before(result.version, checksum(bytes));
    if (all.empty()) copied = copy_models(state.options, folder_);
    write_file(file(result.version), bytes);
  } catch (const DataError& error) {
    std::error_code ignored;
    for (const fs::path& copy : copied) fs::remove(copy, ignored);
    throw DataError(
        fmt::format("{}; {}", error.what(),
                    all.empty() ? "there is no state yet"
                                : fmt::format("the state is unchanged at version {}", all.back())));
  }
  for (const int version : all) {
    if (version >= result.version - state.options.keep) continue;
    std::error_code error;
    fs::remove(file(version), error);
    if (error)
      result.not_removed.push_back(
          fmt::format("{}: cannot be removed: {}", file(version).string(), error.message()));
  }
  remove_candidate(result.not_removed);
  sync_folder(folder_);
  return result;
}

// It was made from a version that is not the newest any more.
void StateFolder::remove_candidate(std::vector<std::string>& not_removed) const {
  std::error_code error;
  fs::remove(candidate_file(), error);
  if (error)
    not_removed.push_back(
        fmt::format("{}: cannot be removed: {}", candidate_file().string(), error.message()));
}

int StateFolder::rollback(const BeforeKept& announce) {
  const std::vector<int> all = versions();
  const int last = newest();
  if (all.size() < 2) {
    throw UsageError(
        fmt::format("{}: version {} is the only one, so there is no earlier version; `keep` N sets "
                    "how many are kept",
                    folder_.string(), last));
  }
  const int before = all[all.size() - 2];
  try {
    read(before);
  } catch (const UsageError&) {  // intact, but this machine lacks what its network needs
  }
  try {
    read(last);
  } catch (const NewerFormat&) {  // intact, so it is not removed
    throw;
  } catch (const std::exception&) {  // damaged, or of no use here, so it can be removed
  }
  if (announce) announce(before, checksum(read_file(file(before))));
  remove(last);
  std::vector<std::string> not_removed;
  remove_candidate(not_removed);
  return before;
}

void StateFolder::clean() const {
  std::error_code error;
  std::vector<fs::path> leftovers;
  for (fs::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
    if (is_leftover(at->path())) leftovers.push_back(at->path());
  }
  for (const fs::path& leftover : leftovers) fs::remove(leftover, error);
}

FileLock lock_state(const fs::path& folder, const std::function<void()>& wait,
                    const StopFlag& stop) {
  bool has_told = false;
  const auto busy = [&] {
    if (!wait) {
      throw DataError(fmt::format(
          "{}: another gpscl learn is changing this state; try again later, or without `no-wait`",
          folder.string()));
    }
    if (!has_told) wait();
    has_told = true;
    stop.check();
  };
  try {
    return FileLock(folder / kLock, busy);
  } catch (const fs::filesystem_error& error) {
    throw DataError(
        fmt::format("{}: cannot be made: {}", error.path1().string(), error.code().message()));
  }
}

}  // namespace gps
