// Runs gpscl as a user or a script would: arguments in; exit code, standard output and standard
// error out.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "gps/core/text/text.h"

namespace gps::testing {

struct Outcome {
  int exit_code = -1;  // -1: ended by a signal
  std::string out;
  std::string err;
};

struct ProgramOptions {
  std::filesystem::path folder{};          // to start in; empty: this one
  std::filesystem::path data{};            // $GPSCL_DATA; empty: not set
  std::filesystem::path cache{};           // $XDG_CACHE_HOME; empty: not set
  std::filesystem::path out{};             // a file for standard output instead of a pipe
  std::vector<std::string> launcher{};     // what starts the program, with its arguments
  std::vector<std::string> environment{};  // NAME=value
  // $GPSCL_HALT (apps/gpscl/halt.h); empty: not set. Stop points are counted over all workers, so
  // the arguments must say how many there are.
  std::string halt{};
  std::string patience = "86400";   // $GPSCL_PATIENCE (apps/gpscl/patience.h): a day is no limit
  bool err_is_terminal = false;     // of 80 columns
  std::function<bool()> prepare{};  // in the child, before the program starts; false: exit code 126
  std::size_t memory = 0;           // bytes of address space that it may have; 0: no limit
  std::size_t file_size = 0;        // bytes that a file may have; 0: no limit
};

class Program {
 public:
  explicit Program(const std::vector<std::string>& arguments, const ProgramOptions& options = {}) {
    if (!options.halt.empty() &&
        std::find(arguments.begin(), arguments.end(), "--jobs") == arguments.end())
      throw std::logic_error("a test with GPSCL_HALT must name --jobs");
    std::array<int, 2> out{};
    std::array<int, 2> err{};
    if (pipe2(out.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    if (options.err_is_terminal) {
      const winsize size{.ws_row = 24, .ws_col = 80, .ws_xpixel = 0, .ws_ypixel = 0};
      if (openpty(&err[0], &err[1], nullptr, nullptr, &size) != 0)
        throw std::runtime_error("no terminal");
    } else if (pipe2(err.data(), O_CLOEXEC) != 0) {
      throw std::runtime_error("no pipe");
    }
    if (!options.out.empty()) {
      close(out[1]);
      out[1] = open(options.out.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    }
    // All that the child needs is made before the fork. It must not find data of this machine.
    std::vector<std::string> words = options.launcher;
    words.emplace_back(GPSCL_PROGRAM);
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<std::string> environment = {"HOME=/nonexistent"};
    for (char** variable = environ; *variable != nullptr; ++variable) {
      const std::string text = *variable;
      const std::string name = text.substr(0, text.find('='));
      if (name != "HOME" && name != "GPSCL_DATA" && name != "GPSCL_MIRROR" &&
          name != "GPSCL_HALT" && name != "GPSCL_PATIENCE" && name != "XDG_CACHE_HOME")
        environment.push_back(text);
    }
    if (!options.data.empty()) environment.push_back("GPSCL_DATA=" + options.data.string());
    if (!options.cache.empty()) environment.push_back("XDG_CACHE_HOME=" + options.cache.string());
    environment.push_back("GPSCL_PATIENCE=" + options.patience);
    if (!options.halt.empty()) environment.push_back("GPSCL_HALT=" + options.halt);
    environment.insert(environment.end(), options.environment.begin(), options.environment.end());
    const std::vector<char*> argv = pointers_to(words);
    const std::vector<char*> envp = pointers_to(environment);
    pid_ = fork();
    if (pid_ == 0) {
      dup2(out[1], STDOUT_FILENO);
      dup2(err[1], STDERR_FILENO);
      if (options.prepare && !options.prepare()) _exit(126);
      if (!options.folder.empty() && chdir(options.folder.c_str()) != 0) _exit(127);
      limit(RLIMIT_AS, options.memory);
      limit(RLIMIT_FSIZE, options.file_size);
      std::signal(SIGXFSZ, SIG_IGN);  // an error of write() instead
      execve(argv[0], argv.data(), envp.data());
      _exit(127);
    }
    close(out[1]);
    close(err[1]);
    streams_ = {{{out[0], {}}, {err[0], {}}}};
  }
  ~Program() {
    for (const Stream& stream : streams_) close(stream.descriptor);
    if (is_running_) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // Reads on until standard error contains `text` this many times. False if it ends without.
  bool wait_for(std::string_view text, std::size_t times) {
    while (count(streams_[1].text, text) < times) {
      if (!read_some()) return false;
    }
    return true;
  }

  pid_t pid() const { return pid_; }

  // Returns whether it still runs. After its end it is a zombie until finish(), to which signals
  // can be sent.
  bool is_running() const {
    siginfo_t how{};
    return waitid(P_PID, static_cast<id_t>(pid_), &how, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           how.si_pid == 0;
  }
  void send(int signal_number) const { kill(pid_, signal_number); }

  // REQUIRES: it was started with `halt` = pause@N. Waits until it stands still there. False if it
  // ends without.
  bool wait_until_paused() {
    if (!wait_for("gpscl: paused at stop point ", 1)) return false;
    siginfo_t how{};
    return waitid(P_PID, static_cast<id_t>(pid_), &how, WSTOPPED | WEXITED | WNOWAIT) == 0 &&
           how.si_code == CLD_STOPPED;
  }

  // Ends a pause with a signal that finds the program where it stands, or without one.
  void continue_with(int signal_number = 0) const {
    if (signal_number != 0) send(signal_number);
    send(SIGCONT);
  }

  Outcome finish() {
    while (read_some()) {
    }
    int status = 0;
    waitpid(pid_, &status, 0);
    is_running_ = false;
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, streams_[0].text, streams_[1].text};
  }

 private:
  struct Stream {
    int descriptor = -1;
    std::string text;
    bool is_open = true;
  };

  static void limit(__rlimit_resource_t what, std::size_t most) {
    const rlimit limits{most, most};
    if (most > 0 && setrlimit(what, &limits) != 0) _exit(127);
  }

  static std::vector<char*> pointers_to(std::vector<std::string>& words) {
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    return pointers;
  }

  static std::size_t count(std::string_view text, std::string_view what) {
    std::size_t times = 0;
    for (std::size_t at = text.find(what); at != std::string_view::npos;
         at = text.find(what, at + what.size())) {
      ++times;
    }
    return times;
  }

  // Waits for something on either stream. False once both have ended. The limit is a guard against
  // hanging: no call takes more than seconds on an idle core.
  bool read_some() {
    std::vector<pollfd> waiting;
    for (const Stream& stream : streams_) {
      if (stream.is_open) waiting.push_back({stream.descriptor, POLLIN, 0});
    }
    if (waiting.empty()) return false;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline_ - std::chrono::steady_clock::now());
    if (left.count() <= 0 ||
        poll(waiting.data(), waiting.size(), static_cast<int>(left.count())) <= 0) {
      ADD_FAILURE() << "gpscl hangs; standard error so far:\n" << streams_[1].text;
      kill(pid_, SIGKILL);
      return false;
    }
    for (const pollfd& ready : waiting) {
      if (ready.revents == 0) continue;
      Stream& stream = streams_[0].descriptor == ready.fd ? streams_[0] : streams_[1];
      std::array<char, 4096> buffer{};
      const ssize_t got = read(ready.fd, buffer.data(), buffer.size());
      if (got > 0) {
        stream.text.append(buffer.data(), static_cast<std::size_t>(got));
      } else {
        stream.is_open = false;  // a terminal ends with an error, a pipe with nothing
      }
    }
    return true;
  }

  pid_t pid_ = -1;
  bool is_running_ = true;
  std::array<Stream, 2> streams_;  // output, error
  std::chrono::steady_clock::time_point deadline_ =
      std::chrono::steady_clock::now() + std::chrono::minutes(25);
};

inline Outcome gpscl(const std::vector<std::string>& arguments,
                     const ProgramOptions& options = {}) {
  return Program(arguments, options).finish();
}

// How many stop points this call has (apps/gpscl/halt.h).
inline std::uint64_t stop_points_of(const std::vector<std::string>& arguments,
                                    ProgramOptions options = {}) {
  options.halt = "count";
  const Outcome outcome = gpscl(arguments, options);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::size_t end = outcome.err.rfind(" stop points");
  const std::size_t begin = outcome.err.rfind("gpscl: ", end);
  if (end == std::string::npos || begin == std::string::npos)
    throw std::runtime_error("gpscl does not tell its stop points: " + outcome.err);
  return std::stoull(outcome.err.substr(begin + 7, end - begin - 7));
}

// Lines without their ends; what follows the last end counts only if there is something.
inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines = split(text, '\n');
  if (lines.back().empty()) lines.pop_back();
  return lines;
}

// Columns that a UTF-8 text takes: the bytes that start a character.
inline std::size_t columns_of(const std::string& text) {
  std::size_t columns = 0;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xC0u) != 0x80u) ++columns;
  }
  return columns;
}

}  // namespace gps::testing
