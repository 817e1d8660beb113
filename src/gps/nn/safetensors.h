// Reads and writes safetensors files, which need no unpickling: eight bytes of length, a JSON
// header, and the numbers (https://huggingface.co/docs/safetensors). Little-endian, like every
// machine that we support.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "gps/nn/named_tensor.h"

namespace gps {

// One tensor of a file: its type ("F32", "U8", "I64" and so on), its shape and its bytes.
struct StoredTensor {
  std::string name;
  std::string type;
  std::vector<std::int64_t> shape;
  std::string bytes;
};

using Metadata = std::map<std::string, std::string>;

StoredTensor stored(const NamedTensor& tensor);
template <typename Number>
StoredTensor stored(std::string name, std::string type, std::vector<std::int64_t> shape,
                    const std::vector<Number>& numbers) {
  const std::string_view bytes(reinterpret_cast<const char*>(numbers.data()),
                               numbers.size() * sizeof(Number));
  return {std::move(name), std::move(type), std::move(shape), std::string(bytes)};
}

// The file appears whole or not at all. Throws DataError.
void write_safetensors(const std::filesystem::path& file, const std::vector<StoredTensor>& tensors,
                       const Metadata& metadata = {});

// Throws DataError if the file is not a safetensors file: a length, the header or an offset does
// not fit, or the type and the shape of a tensor do not give its bytes.
std::vector<StoredTensor> read_safetensors(const std::filesystem::path& file);

// The same for weights: also throws DataError if a tensor is not F32.
NamedTensors read_weights(const std::filesystem::path& file);

}  // namespace gps
