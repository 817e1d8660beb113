#include "gps/nn/torch/torch_backend.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef __x86_64__
#include <cpuid.h>
#endif

#include <cstdlib>

#include "gps/core/errors.h"

namespace gps {

#ifdef GPSCL_TORCH_MODULE

namespace {

namespace fs = std::filesystem;

// Beside the program, where it was installed, or where it was built.
fs::path module_path() {
  const fs::path built = GPSCL_TORCH_MODULE;
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& candidate :
       {folder / built.filename(), folder / ".." / "lib" / "gpscl" / built.filename()}) {
    if (fs::exists(candidate, error)) return candidate;
  }
  return built;
}

// May AMX be used? A process has to ask Linux for the tile registers, which oneDNN 2 does not do,
// and the processor has to say how large they are: some virtual machines hide that (CPUID leaf
// 0x1D).
bool tiles_work() {
#ifdef __x86_64__
  constexpr long kRequestPermission = 0x1023;
  constexpr long kTileData = 18;
  unsigned palettes = 0;
  unsigned unused = 0;
  return __get_cpuid_count(0x1D, 0, &palettes, &unused, &unused, &unused) != 0 && palettes > 0 &&
         syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
  return false;
#endif
}

const TorchBackend* load() {
  // Our workers are the threads; OpenBLAS, which LibTorch multiplies with, reads this as it is
  // loaded, and its own threads would make results depend on the machine.
  setenv("OPENBLAS_NUM_THREADS", "1", /*overwrite=*/1);
  // oneDNN's AMX kernels would die of an illegal instruction. The user may know better.
  if (!tiles_work()) setenv("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16", /*overwrite=*/0);
  void* module = dlopen(module_path().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr)
    throw UsageError(
        fmt::format("LibTorch cannot be loaded, which this model needs: {}", dlerror()));
  using Maker = const TorchBackend* (*)();
  const auto make = reinterpret_cast<Maker>(dlsym(module, "gps_torch_backend"));
  if (make == nullptr)
    throw UsageError(fmt::format("{}: not a module of this gpscl", module_path().string()));
  return make();
}

}  // namespace

const TorchBackend& torch_backend() {
  static const TorchBackend* const backend = load();
  return *backend;
}

#else

const TorchBackend& torch_backend() {
  throw UsageError(
      "this gpscl was built without LibTorch, so it has the models mlp and, with `backend` own, "
      "resnet18 only, and no TorchScript; "
      "build it with -DGPSCL_TORCH=ON");
}

#endif

}  // namespace gps
