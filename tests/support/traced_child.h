// Work that is watched, or killed, between one system call and the next. What a process does to
// files it does by system calls, so these are all the moments at which another process can see, or
// a kill can leave, something different: no clock, no luck, and none is left out.
#pragma once

#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

#include <csignal>
#include <string>

#include "support/child.h"

namespace gps::testing {

// Does this machine let a process trace its own child? A test that needs it says otherwise
//   GTEST_SKIP() << not_traced("what it would have checked");
inline bool can_trace() {
  const pid_t child = start_child([] {
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(1);
  });
  return wait_for(child) == 0;
}

inline std::string not_traced(const std::string& what) {
  return "not checked: " + what +
         "; to check: run the test where a process may trace its child: with 0 or 1 in "
         "/proc/sys/kernel/yama/ptrace_scope, not under a debugger or strace, and in a container "
         "only with the capability SYS_PTRACE";
}

// Is the call that the child is about to make one for memory alone? Allocators make them at other
// places in every process (AddressSanitizer's does), and no file depends on them.
inline bool is_about_memory(long call) {
  switch (call) {
    case SYS_brk:
    case SYS_madvise:
    case SYS_mmap:
    case SYS_mprotect:
    case SYS_mremap:
    case SYS_munmap:
      return true;
    default:
      return false;
  }
}

// The number of the call that the child is about to make; -1 if that is not known.
inline long next_call_of(pid_t child) {
  __ptrace_syscall_info info{};
  if (ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof(info), &info) <= 0) return -1;
  return static_cast<long>(info.entry.nr);
}

// Does `work` in a child. Before each of its system calls, but those for memory, or before those
// for which matters() is true, the child stands still, and before_call() is called here; where that
// returns false, the child is killed, and the call is not made. `work` may become another program
// (execv). The last call is the one by which the child ends. Returns how it ended, as
// wait_for() does. REQUIRES: can_trace(), no other thread is running, and `work` starts neither
// threads nor processes.
inline int trace_child(const std::function<void()>& work, const std::function<bool()>& before_call,
                       const std::function<bool(long call)>& matters = {}) {
  const pid_t child = start_child([&] {
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(1);
    std::raise(SIGSTOP);  // until the parent is ready
    work();
  });
  constexpr int kSystemCall = SIGTRAP | 0x80;  // what PTRACE_O_TRACESYSGOOD makes of the signal
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFSTOPPED(status)) return end_of(status);
  ptrace(PTRACE_SETOPTIONS, child, nullptr,
         PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC);
  bool is_before = true;  // a call, not after it: the child stops at both
  long signal = 0;        // that the child would have got
  while (true) {
    ptrace(PTRACE_SYSCALL, child, nullptr, signal);
    waitpid(child, &status, 0);
    if (!WIFSTOPPED(status)) return end_of(status);
    signal = 0;
    if (status >> 8 == (SIGTRAP | (PTRACE_EVENT_EXEC << 8))) continue;
    if (WSTOPSIG(status) != kSystemCall) {
      signal = WSTOPSIG(status);
      continue;
    }
    const long call = is_before ? next_call_of(child) : -1;
    const bool counts = is_before && (matters ? matters(call) : !is_about_memory(call));
    if (counts && !before_call()) {
      kill(child, SIGKILL);
      return wait_for(child);
    }
    is_before = !is_before;
  }
}

// Kills `work` before its first system call, then, in another child, before its second, and so on
// to its last, before which all is done. `prepare` is called before each child, `check` after each
// kill; the first call of `check` follows a kill that came before anything was done.
// REQUIRES: what trace_child() does.
inline void kill_before_each_call(const std::function<void()>& prepare,
                                  const std::function<void()>& work,
                                  const std::function<void()>& check) {
  for (std::size_t calls = 0;; ++calls) {
    prepare();
    std::size_t made = 0;
    const int end = trace_child(work, [&] { return made++ < calls; });
    if (end != -SIGKILL) {
      EXPECT_EQ(end, 0) << "the work fails even where it is not killed";
      EXPECT_GT(calls, 0u);
      return;
    }
    check();
  }
}

}  // namespace gps::testing
