// Several processes, on one machine or many, that do one piece of work together. Each does the same
// steps with the same bits, so they need not send each other their state. Where work can be
// divided, each does a share and sends its results to the others.
//
// All members call the same functions in the same order. A member whose work ends early says so in
// place of its next exchange. The work of the others then ends too, so that no member waits for one
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

// The members no longer do the same steps, or the work of one of them has failed. The message names
// that member.
class TeamError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Team {
 public:
  using Words = std::vector<std::uint64_t>;

  virtual ~Team() = default;
  virtual std::size_t rank() const = 0;  // this member's rank: 0, …, size() - 1
  virtual std::size_t size() const = 0;
  // "rank 1 on node7"
  virtual std::string name_of(std::size_t member) const = 0;

  // Returns the words of all members, by rank. Throws Interrupted or TeamError if a member has
  // ended.
  std::vector<Words> gather(const Words& mine);

  // Throws TeamError that names the first member whose `fingerprint` differs from that of rank 0:
  // "the weights after task 3 are not the same on …".
  void agree(std::uint64_t fingerprint, const std::string& what);

  // Returns the text that rank 0 passes. The texts of the other members are ignored.
  std::string tell(const std::string& text = "") { return exchange(text).front(); }

  // Calls work() in all members and returns its result. If it throws in some members only, all
  // members throw: Interrupted, or a TeamError that names the member. gather() and agree() must be
  // called inside such work.
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
  // Returns the texts of all members, by rank.
  virtual std::vector<std::string> exchange(const std::string& mine) = 0;

 private:
  std::vector<std::string> exchange(char kind, const std::string& content);
  void leave(const std::string& reason);  // "" if the work is complete

  bool is_over_ = false;  // the work has ended and all members know it
};

// Assigns `items` equal pieces of work to members, where member r has workers[r] workers: each
// piece goes to the member with the least work per worker. REQUIRES: workers is not empty, and all
// of them are at least 1.
std::vector<std::size_t> assign(std::size_t items, std::span<const std::uint64_t> workers);

// Hashes the bits of the values in the manner of FNV-1a. Equal values have equal fingerprints;
// different values almost certainly have different ones.
std::uint64_t fingerprint_of(std::span<const float> values);

}  // namespace gps
