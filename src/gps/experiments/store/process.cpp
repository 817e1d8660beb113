#include "gps/experiments/store/process.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace gps {
namespace {

// Returns the boot id and the start of the process in clock ticks since the boot, or "" if there is
// no such process.
std::string start_of(std::int64_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const std::size_t name_end = text.rfind(')');  // the name may contain blanks and brackets
  if (name_end == std::string::npos) return "";
  std::istringstream fields(text.substr(name_end + 1));
  std::string field;
  fields >> field;
  if (field == "Z" || field == "X") return "";  // dead, but not yet waited for by its parent
  constexpr int kStart = 22;                    // field number in proc(5); the state is field 3
  for (int k = 3; k < kStart; ++k) fields >> field;
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  return boot + " " + field;
}

}  // namespace

ProcessId this_process() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) name = {"localhost"};
  std::error_code ignored;
  const auto pids = std::filesystem::read_symlink("/proc/self/ns/pid", ignored);
  return {fmt::format("{} {}", name.data(), pids.string()), getpid(), start_of(getpid())};
}

bool is_alive(const ProcessId& process) { return start_of(process.pid) == process.start; }

}  // namespace gps
