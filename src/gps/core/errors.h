// The three ways in which work ends early. Messages are one line: the thing, its value, and what
// would be right.
#pragma once

#include <stdexcept>

namespace gps {

// The caller asked for something impossible or unknown. The program exits with 2, before any work
// has started.
class UsageError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

// A file is missing, damaged or not what it should be. The program exits with 1.
class DataError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The user asked to stop (see stop.h). The program exits with 130.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

}  // namespace gps
