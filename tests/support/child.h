// Work in a process of its own.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <functional>

namespace gps::testing {

// A forked process that does `work` and ends; with a status other than 0 if that throws.
// REQUIRES: no other thread is running.
inline pid_t start_child(const std::function<void()>& work) {
  std::fflush(nullptr);  // or the child might write what waits in this process's buffers once more
  const pid_t child = fork();
  if (child != 0) return child;
  try {
    work();
  } catch (...) {
    _exit(1);
  }
  _exit(0);
}

// The exit status of a process that has ended, or minus the signal that ended it.
inline int end_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

// Waits for the process to end; returns how it did, as end_of().
inline int wait_for(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return end_of(status);
}

}  // namespace gps::testing
