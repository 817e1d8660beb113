#include "gps/core/simd_target.h"

#include <fmt/format.h>

// The same as in the kernel files, so that HWY_TARGETS lists the targets that they are compiled
// for.
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include <hwy/targets.h>

#include <cctype>
#include <cstdlib>
#include <vector>

#include "gps/core/errors.h"
#include "gps/core/text/text.h"

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace gps {
namespace {

constexpr const char* kVariable = "GPSCL_SIMD";

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

// Highway gives better targets lower bits.
std::int64_t best_of(std::int64_t targets) { return targets & -targets; }

// The condition is the same as in amx_products.cpp, which uses the tiles. It excludes clang, which
// knows neither these feature names nor the pragmas of that file.
bool request_tiles() {
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long kTileData = 18;
  __builtin_cpu_init();
  return __builtin_cpu_supports("amx-bf16") && __builtin_cpu_supports("amx-tile") &&
         __builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512bw") &&
         syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
  return false;
#endif
}

bool has_bf16_pairs() {
#if defined(__x86_64__) && defined(__GNUC__)
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512bw");
#else
  return false;
#endif
}

struct Choice {
  std::string cpu;
  std::string name;
  bool has_tiles = false;
  bool has_pairs = false;
};

Choice choose() {
  const std::int64_t cpu = hwy::SupportedTargets();
  const std::int64_t compiled = cpu & HWY_TARGETS;
  const char* limit = std::getenv(kVariable);
  const bool is_limited = limit != nullptr && *limit != '\0';
  const std::int64_t allowed = is_limited ? targets_up_to(limit, compiled) : compiled;
  // DisableTargets does not work here: whenever SupportedTargets is called, Highway 1.0 briefly
  // forgets the disabled targets, and another thread could then choose a disabled kernel.
  if (allowed != compiled) hwy::SetSupportedTargetsForTest(allowed);
  Choice choice{.cpu = hwy::TargetName(best_of(cpu)), .name = hwy::TargetName(best_of(allowed))};
  choice.has_tiles = !is_limited && request_tiles();
  choice.has_pairs =
      !is_limited && !choice.has_tiles && choice.name.starts_with("AVX3") && has_bf16_pairs();
  if (choice.has_tiles) choice.name += "+AMX";
  if (choice.has_pairs) choice.name += "+BF16";
  return choice;
}

const Choice& choice() {
  static const Choice made = choose();
  return made;
}

// Runs before main, and so before the first call of any kernel. An invalid variable is reported
// later, by the functions below, whose callers can handle the exception.
[[maybe_unused]] const bool is_chosen_early = [] {
  try {
    choice();
  } catch (const UsageError&) {
    return false;
  }
  return true;
}();

}  // namespace

std::string simd_target() { return choice().name; }

bool may_use_tiles() { return choice().has_tiles; }

bool may_use_bf16_pairs() { return choice().has_pairs; }

std::string cpu_target() { return choice().cpu; }

std::int64_t targets_up_to(std::string_view name, std::int64_t available) {
  std::vector<std::string> known;
  for (std::int64_t rest = available; rest != 0; rest &= rest - 1) {
    known.push_back(in_lower_case(hwy::TargetName(best_of(rest))));
    if (known.back() == in_lower_case(name)) return rest;
  }
  throw UsageError(fmt::format("{} must be one of {} with this build on this CPU, got '{}'",
                               kVariable, join(known, ", "), name));
}

}  // namespace gps
