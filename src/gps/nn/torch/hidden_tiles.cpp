// For virtual machines that have AMX but hide the size of its tiles (CPUID leaf 0x1D). oneDNN then
// assumes that the tiles are empty and dies of an illegal instruction. Preloaded,
//   LD_PRELOAD=build/release/libgps_tiles.so gpscl run … --precision bf16
// this library lets Linux trap CPUID, and answers for the two missing leaves like every processor
// with AMX: eight tiles of 16 rows of 64 bytes. It does nothing if nothing is hidden. It is
// independent of the rest of the program, and takes over SIGSEGV.
#include <cpuid.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include <csignal>

namespace {

constexpr unsigned kTileLeaf = 0x1D;
constexpr unsigned kMultiplierLeaf = 0x1E;

void trap_cpuid(bool on) {
  constexpr long kSetCpuid = 0x1012;
  syscall(SYS_arch_prctl, kSetCpuid, on ? 0L : 1L);
}

struct Registers {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
};

Registers cpuid(unsigned leaf, unsigned part) {
  Registers out;
  if (leaf == kTileLeaf) {
    if (part == 0) out.a = 1;                                             // one palette
    if (part == 1) out = {1024u << 16 | 8192u, 8u << 16 | 64u, 16u, 0u};  // bytes, tiles, rows
  } else if (leaf == kMultiplierLeaf) {
    if (part == 0) out.b = 64u << 8 | 16u;
  } else {
    __cpuid_count(leaf, part, out.a, out.b, out.c, out.d);
    if (leaf == 0 && out.a < kMultiplierLeaf) out.a = kMultiplierLeaf;
  }
  return out;
}

void answer(int /*signal*/, siginfo_t* /*info*/, void* context) {
  greg_t* const registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const auto* const code = reinterpret_cast<const unsigned char*>(registers[REG_RIP]);
  if (code[0] != 0x0F || code[1] != 0xA2) {  // not CPUID: an ordinary segmentation fault
    std::signal(SIGSEGV, SIG_DFL);
    return;
  }
  trap_cpuid(false);
  const Registers out =
      cpuid(static_cast<unsigned>(registers[REG_RAX]), static_cast<unsigned>(registers[REG_RCX]));
  trap_cpuid(true);
  registers[REG_RAX] = out.a;
  registers[REG_RBX] = out.b;
  registers[REG_RCX] = out.c;
  registers[REG_RDX] = out.d;
  registers[REG_RIP] += 2;
}

__attribute__((constructor)) void start() {
  constexpr unsigned kHasTiles = 1u << 24;
  Registers features;
  const bool has_tiles =
      __get_cpuid_count(7, 0, &features.a, &features.b, &features.c, &features.d) != 0 &&
      (features.d & kHasTiles) != 0;
  if (!has_tiles || __get_cpuid_max(0, nullptr) >= kTileLeaf) return;
  struct sigaction action = {};
  action.sa_sigaction = answer;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGSEGV, &action, nullptr);
  trap_cpuid(true);
}

}  // namespace
