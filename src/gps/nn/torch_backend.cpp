#include "gps/nn/torch_backend.h"

#include <dlfcn.h>
#include <fmt/format.h>

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

const TorchBackend* load() {
  // Our workers are the threads; OpenBLAS, which LibTorch multiplies with, reads this as it is
  // loaded, and its own threads would make results depend on the machine.
  setenv("OPENBLAS_NUM_THREADS", "1", /*overwrite=*/1);
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
      "this gpscl was built without LibTorch, so it has the model mlp only, and no TorchScript; "
      "build it with -DGPSCL_TORCH=ON");
}

#endif

}  // namespace gps
