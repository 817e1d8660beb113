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

// Its boot and the clock ticks from there to its start, or "" if there is no such process.
std::string start_of(std::int64_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const std::size_t name_end = text.rfind(')');  // the name may hold blanks and brackets
  if (name_end == std::string::npos) return "";
  std::istringstream fields(text.substr(name_end + 1));
  std::string field;
  fields >> field;
  if (field == "Z" || field == "X") return "";  // dead, and not yet asked about by its parent
  constexpr int kStart = 22;                    // of proc(5); the state is the third
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
