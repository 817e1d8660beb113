// What happened to a state, for those who must account for it: one line of JSON for each call of
// gpscl learn that holds the lock (docs/learn.md lists the keys).
//
//   STATE/log.jsonl
//
// Lines are only added, also by --rollback. Each has a checksum, and that of the line before it, so
// that lines that were changed or taken out are noticed. A line that announces a change is written
// before the change is made; it names the version that is the newest afterwards, and the checksum
// of that version's file. So no change is without its line, and settle() finds out whether the
// last one was made, or ends it.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gps/deployment/state_folder.h"
#include "gps/deployment/stored/erase.h"

namespace gps {

inline constexpr const char* kLogFile = "log.jsonl";

// Who does it, and with what.
struct LogAuthor {
  std::string user = {};
  std::string host = {};
  std::string command = {};
  std::string folder = {};  // in which the command was called
  std::string build = {};
};

// Returns this process, as the system knows it.
LogAuthor this_process(const std::string& command);

struct LogLines {
  std::vector<nlohmann::json> lines = {};
  std::vector<std::size_t> damaged = {};  // numbers of lines, from 1, that are not as written
};

class StateLog {
 public:
  // `clock` gives seconds since 1970.
  StateLog(const StateFolder& folder, LogAuthor author, std::function<std::int64_t()> clock);

  // Returns all whole lines that are as they were written. Needs no lock.
  LogLines read() const;

  // Puts right what a call that was killed left: removes a torn line, ends an erasure, and adds a
  // line if the last announced change was not made, or if the state was changed without a line.
  // Returns what a user should know, one clause each. Throws DataError if that cannot be done.
  // REQUIRES: the lock of the folder.
  std::vector<std::string> settle();

  // Adds a line. REQUIRES: the lock of the folder; settle() was called.
  void add(const std::string& event, const nlohmann::json& what);

  // Returns a function that adds a line when a version is about to become the newest.
  BeforeKept announcing(const std::string& event, const nlohmann::json& what);

  // Announces an erasure, makes it, and adds a line with what was done. Throws what
  // erase_for_good() throws.
  Erasure erase(const ImageHashes& hashes);

  // Lets old images go as expire_for_good() does, and adds a line if there were any.
  Erasure expire(std::int64_t now);

 private:
  void add_erased(const std::string& event, const Erasure& erasure);
  std::filesystem::path file() const { return folder_.path() / kLogFile; }

  const StateFolder& folder_;
  LogAuthor author_;
  std::function<std::int64_t()> clock_;
};

}  // namespace gps
