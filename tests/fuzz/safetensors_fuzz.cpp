// Safetensors files: what was read is the same when it is written and read again. The weights of a
// small network are also loaded from them.
#include "gps/nn/safetensors.h"

#include "fuzz/fuzz.h"
#include "fuzz/small_network.h"
#include "gps/nn/catalog.h"

namespace gps::fuzz {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::unique_ptr<Network> network = small_network();
  const std::filesystem::path file = folder() / "file.safetensors";
  put(file, text_of(data, size));
  std::vector<StoredTensor> tensors;
  if (!is_readable([&] { tensors = read_safetensors(file); })) return 0;
  is_readable([&] { load_weights(*network, file); });
  const std::filesystem::path copy = folder() / "copy.safetensors";
  write_safetensors(copy, tensors);
  const std::vector<StoredTensor> again = read_safetensors(copy);
  require(again.size() == tensors.size(), "there are as many tensors");
  for (std::size_t k = 0; k < tensors.size(); ++k) {
    require(again[k].name == tensors[k].name && again[k].type == tensors[k].type &&
                again[k].shape == tensors[k].shape && again[k].bytes == tensors[k].bytes,
            "a tensor is read as it was written");
  }
  return 0;
}

}  // namespace gps::fuzz
