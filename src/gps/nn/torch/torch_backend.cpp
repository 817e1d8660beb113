#include "gps/nn/torch/torch_backend.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef __x86_64__
#include <cpuid.h>
#endif

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include "gps/core/errors.h"
#include "gps/core/text/text.h"
#include "gps/core/version.h"

namespace gps {

#ifdef GPSCL_TORCH_MODULE

namespace {

namespace fs = std::filesystem;

// The folder of the program or shared library that contains this code.
fs::path image_folder() {
  Dl_info here{};
  std::error_code error;
  if (dladdr(reinterpret_cast<const void*>(&torch_backend), &here) == 0 ||
      here.dli_fname == nullptr)
    return {};
  return fs::weakly_canonical(here.dli_fname, error).parent_path();
}

fs::path program_folder() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path();
}

// Returns the possible places of the module, in the order of the search. A build comes before an
// installation, because programs of both may lie side by side.
std::vector<fs::path> module_places() {
  const fs::path built = GPSCL_TORCH_MODULE;
  const fs::path name = built.filename();
  std::vector<fs::path> all;
  const auto add = [&](const fs::path& file) {
    const fs::path place = file.lexically_normal();
    if (std::find(all.begin(), all.end(), place) == all.end()) all.push_back(place);
  };
  const std::array<fs::path, 2> folders = {image_folder(), program_folder()};
  for (const fs::path& folder : folders) {
    if (!folder.empty()) add(folder / name);
  }
  for (const fs::path& folder : folders) {
    if (folder.empty()) continue;
    add(folder / ".." / GPSCL_LIBRARY_FOLDER / "gps" / name);
    add(folder / "gps" / name);
  }
  add(built);
  add(fs::path(GPSCL_INSTALL_PREFIX) / GPSCL_LIBRARY_FOLDER / "gps" / name);
  return all;
}

// Loads the module. Throws UsageError if it is missing or LibTorch cannot be loaded.
void* open_module() {
  const std::vector<fs::path> places = module_places();
  const std::string name = places.front().filename().string();
  std::error_code error;
  for (const fs::path& place : places) {
    if (!fs::exists(place, error)) continue;
    if (void* module = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL)) return module;
    throw UsageError(
        fmt::format("this model needs LibTorch, which cannot be loaded: {}", dlerror()));
  }
  // Given only a name, dlopen searches where the program was linked to search (its RUNPATH):
  // programs linked with an installed gps::core search beside it.
  if (void* module = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return module;
  std::vector<std::string> folders;
  for (const fs::path& place : places) folders.push_back(place.parent_path().string());
  throw UsageError(
      fmt::format("this model needs {}, which is missing in {}; make build builds it, and the "
                  "Debian package (make deb) contains it",
                  name, join(folders)));
}

// Returns whether AMX can be used. A process must ask Linux for the tile registers, which oneDNN 2
// does not do, and the processor must report their size, which some virtual machines hide (CPUID
// leaf 0x1D).
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

bool is_set(const char* variable) { return std::getenv(variable) != nullptr; }

// Configures LibTorch by calls, so that the host's environment is not changed. Settings that the
// host has made in the environment are kept.
void prepare(void* module) {
  // Our workers are the only threads; those of OpenBLAS would make results depend on the machine.
  if (!is_set("OPENBLAS_NUM_THREADS")) {
    using SetThreads = void (*)(int);
    if (const auto set = reinterpret_cast<SetThreads>(dlsym(module, "openblas_set_num_threads")))
      set(1);
  }
  // Without working tiles, oneDNN's AMX kernels would die of an illegal instruction.
  if (!tiles_work() && !is_set("ONEDNN_MAX_CPU_ISA") && !is_set("DNNL_MAX_CPU_ISA")) {
    constexpr int kAvx512CoreBf16 = 0xe7;  // dnnl_cpu_isa_avx512_core_bf16
    using SetIsa = int (*)(int);
    if (const auto set = reinterpret_cast<SetIsa>(dlsym(module, "dnnl_set_max_cpu_isa")))
      set(kAvx512CoreBf16);
  }
}

const TorchBackend* load() {
  void* module = open_module();
  using Maker = const TorchBackend* (*)(const char* version);
  const auto make = reinterpret_cast<Maker>(dlsym(module, "gps_torch_backend"));
  const TorchBackend* backend = make == nullptr ? nullptr : make(kVersion);
  if (backend == nullptr)
    throw UsageError(fmt::format("libgps_torch.so is not of version {}", kVersion));
  prepare(module);
  return backend;
}

}  // namespace

const TorchBackend& torch_backend() {
  static const TorchBackend* const backend = load();
  return *backend;
}

#else

const TorchBackend& torch_backend() {
  throw UsageError(
      "this gpscl was built without LibTorch; it has only the models mlp and, with `backend` own, "
      "resnet18, and no TorchScript; make build installs LibTorch and builds it with that");
}

#endif

}  // namespace gps
