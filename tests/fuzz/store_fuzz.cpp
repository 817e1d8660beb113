// Any file as a store of runs. The first byte chooses whether it is opened for reading only.
#include "fuzz/stored_content.h"

namespace gps::fuzz {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::filesystem::path file = folder() / "runs.sqlite";
  for (const char* suffix : {"-journal", "-wal", "-shm"})
    std::filesystem::remove(file.string() + suffix);
  put(file, text_of(data + 1, size - 1));
  Store::Options options;
  options.read_only = data[0] % 2 == 0;
  options.patience = std::chrono::milliseconds(0);
  is_readable([&] {
    Store store(file, options);
    read_store(store);
    if (options.read_only) return;
    store.claim(testing::tiny_spec("gps"), /*seed=*/0, {}, this_process(), /*now=*/1000);
    store.remove(RunFilter{});
  });
  return 0;
}

}  // namespace gps::fuzz
