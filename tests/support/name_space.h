// Disks of a few kilobytes, or read-only ones, that only one process and its children see. Call
// these between fork() and exec(). They work for root, and for everybody where user name spaces are
// allowed.
#pragma once

#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace gps::testing {

// Gives this process mounts of its own. Who is not root becomes it there: files of users that a
// name space does not know cannot be made.
inline bool enter_name_space() {
  if (unshare(CLONE_NEWNS) == 0) return true;
  const uid_t user = getuid();
  const gid_t group = getgid();
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  const auto write = [](const char* file, const std::string& text) {
    return static_cast<bool>(std::ofstream(file) << text << std::flush);
  };
  return write("/proc/self/setgroups", "deny") &&
         write("/proc/self/uid_map", "0 " + std::to_string(user) + " 1") &&
         write("/proc/self/gid_map", "0 " + std::to_string(group) + " 1");
}

// Puts an empty disk of so many bytes at `folder`.
inline bool mount_small_disk(const std::filesystem::path& folder, std::size_t bytes) {
  if (!enter_name_space()) return false;
  mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
  return mount("none", folder.c_str(), "tmpfs", 0, ("size=" + std::to_string(bytes)).c_str()) == 0;
}

// Puts an empty disk at `folder` that cannot be written to.
inline bool mount_read_only_disk(const std::filesystem::path& folder) {
  return mount_small_disk(folder, std::size_t{1} << 20) &&
         mount("none", folder.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, nullptr) == 0;
}

}  // namespace gps::testing
