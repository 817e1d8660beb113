// Several processes, on one machine or many, that do one piece of work together. Each does the same
// steps with the same bits, so nothing of what they know needs to be sent; where work can be
// divided, each does a share and tells the others what came out.
//
// All members call the same functions in the same order. A member whose work ends early says so in
// place of the next exchange. The work of the others ends there too, so no member waits for one
// that is gone.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "gps/core/errors.h"

namespace gps {

// The members do not do the same any more, or the work of one of them has failed. Names it.
class TeamError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Team {
 public:
  using Words = std::vector<std::uint64_t>;

  virtual ~Team() = default;
  virtual std::size_t rank() const = 0;  // of this member: 0, …, size() - 1
  virtual std::size_t size() const = 0;
  // "rank 1 on node7"
  virtual std::string name_of(std::size_t member) const = 0;

  // What each member says, by rank. Throws Interrupted or TeamError if one of them has ended.
  std::vector<Words> gather(const Words& mine);

  // Throws TeamError, naming the first member whose `fingerprint` is not that of rank 0: "the
  // weights after task 3 are not the same on …".
  void agree(std::uint64_t fingerprint, const std::string& what);

  // What rank 0 says; the others need not say anything.
  std::string tell(const std::string& text = "") { return exchange(text).front(); }

  // Does work() in all members, and returns what it returns. If it throws in some members only, all
  // of them throw: Interrupted, or a TeamError that names the member. Calls of gather() and agree()
  // belong into such work.
  template <typename Work>
  auto together(const Work& work) {
    is_over_ = false;
    std::optional<decltype(work())> result;
    std::exception_ptr error;
    std::string reason;
    try {
      result = work();
    } catch (const Interrupted& interrupted) {
      error = std::current_exception();
      reason = interrupted.what();
    } catch (const std::exception& failure) {
      error = std::current_exception();
      reason = failure.what();
    }
    if (!is_over_) leave(reason);
    if (error) std::rethrow_exception(error);
    return std::move(*result);
  }

 protected:
  // The texts of all members, by rank.
  virtual std::vector<std::string> exchange(const std::string& mine) = 0;

 private:
  std::vector<std::string> exchange(char kind, const std::string& content);
  void leave(const std::string& reason);  // "": all is done

  bool is_over_ = false;  // the work, and all members know
};

// Whom each of `items` equal pieces of work goes to, if member r has workers[r] workers: to the one
// that has the least to do. REQUIRES: workers is not empty, and all of them are at least 1.
std::vector<std::size_t> assign(std::size_t items, std::span<const std::uint64_t> workers);

// In the manner of FNV-1a: equal for equal values, and different, with all likelihood, for others.
std::uint64_t fingerprint_of(std::span<const float> values);

}  // namespace gps
