// Checkpoints: a run continues from any state that is in one, or refuses it. The first byte chooses
// the run. The file around the state is always intact.
#include "fuzz/checkpointed_runs.h"
#include "fuzz/fuzz.h"

namespace gps::fuzz {
namespace {

std::vector<RunIdentity> identities() {
  std::vector<RunIdentity> all;
  for (const Spec& spec : checkpointed_specs()) all.push_back(checkpoint_identity(spec));
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<RunIdentity> all = identities();
  static Executor executor(1);
  if (size == 0) return 0;
  const std::size_t chosen = data[0] % all.size();
  CheckpointOptions options;
  options.seconds = 1e9;  // it writes none itself
  Checkpoints checkpoints(folder() / "run.ckpt", options);
  checkpoints.remove();
  checkpoints.save(all[chosen], text_of(data + 1, size - 1));
  RunHooks hooks;
  hooks.checkpoints = &checkpoints;
  is_accepted([&] {
    try {
      run(checkpointed_specs()[chosen], /*seed=*/0, checkpointed_source(), executor, hooks);
    } catch (const Diverged&) {  // weights may be any numbers
    }
  });
  return 0;
}

}  // namespace gps::fuzz
