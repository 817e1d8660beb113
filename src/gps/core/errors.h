// The exceptions that end work early. A message is one line: the thing, its value, and what would
// be right.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>

namespace gps {

// The caller asked for something impossible or unknown. The program exits with 2, before any work
// has started.
class UsageError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

// A name that no member of a family has.
class UnknownName : public UsageError {
 public:
  UnknownName(std::string family, std::string name, const std::string& message)
      : UsageError(message), family_(std::move(family)), name_(std::move(name)) {}
  const std::string& family() const { return family_; }  // "policy"
  const std::string& name() const { return name_; }

 private:
  std::string family_;
  std::string name_;
};

// A file is missing, damaged or not what it should be. The program exits with 1.
class DataError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A DataError whose message has more lines, each of which begins with two blanks. All that comes
// from outside in it must be printable().
class ManyProblems : public DataError {
 public:
  using DataError::DataError;
};

// Throws a DataError about this file.
[[noreturn]] inline void refuse(const std::filesystem::path& path, const std::string& reason) {
  throw DataError(path.string() + ": " + reason);
}

// The loss or the weights are no longer finite numbers. The program exits with 1.
class Diverged : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The user asked to stop (see stop.h). The program exits with 130.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

}  // namespace gps
