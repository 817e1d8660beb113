#include "gps/nn/safetensors.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "gps/core/errors.h"
#include "gps/core/files/files.h"

namespace gps {
namespace {

static_assert(std::endian::native == std::endian::little);
namespace fs = std::filesystem;

const std::map<std::string, std::size_t>& sizes() {
  static const std::map<std::string, std::size_t> all = {
      {"BOOL", 1}, {"U8", 1},  {"I8", 1},  {"I16", 2}, {"U16", 2}, {"F16", 2}, {"BF16", 2},
      {"I32", 4},  {"U32", 4}, {"F32", 4}, {"I64", 8}, {"U64", 8}, {"F64", 8}};
  return all;
}

// Returns a size or an offset of the header. Throws std::out_of_range for anything but a whole
// number that is not negative.
std::size_t count_in(const nlohmann::ordered_json& value, const std::string& name) {
  if (!value.is_number_unsigned())
    throw std::out_of_range(
        fmt::format("tensor '{}' has a size or an offset that is not a whole number", name));
  return value.get<std::size_t>();
}

// Returns the bytes of a tensor. Throws std::out_of_range if there is no such number.
std::size_t bytes_of(const StoredTensor& tensor) {
  const auto size = sizes().find(tensor.type);
  if (size == sizes().end()) {
    throw std::out_of_range(
        fmt::format("tensor '{}' is of the unknown type '{}'", tensor.name, tensor.type));
  }
  std::size_t bytes = size->second;
  for (const std::int64_t side : tensor.shape) {
    const auto factor = static_cast<std::size_t>(side);
    if (factor > 0 && bytes > std::numeric_limits<std::size_t>::max() / factor)
      throw std::out_of_range(fmt::format("tensor '{}' is too large", tensor.name));
    bytes *= factor;
  }
  return bytes;
}

StoredTensor read_one(const std::string& name, const nlohmann::ordered_json& entry,
                      std::string_view numbers) {
  StoredTensor tensor{name, entry.at("dtype").get<std::string>(), {}, {}};
  if (!entry.at("shape").is_array())
    throw std::out_of_range(fmt::format("tensor '{}' has no shape", name));
  for (const auto& side : entry.at("shape")) {
    const std::size_t count = count_in(side, name);
    if (!std::in_range<std::int64_t>(count))
      throw std::out_of_range(fmt::format("tensor '{}' is too large", name));
    tensor.shape.push_back(static_cast<std::int64_t>(count));
  }
  const auto& offsets = entry.at("data_offsets");
  const std::size_t first = count_in(offsets.at(0), name);
  const std::size_t end = count_in(offsets.at(1), name);
  const std::size_t bytes = bytes_of(tensor);
  if (first > end || end > numbers.size() || end - first != bytes)
    throw std::out_of_range(fmt::format("tensor '{}' has the wrong size", name));
  tensor.bytes = numbers.substr(first, bytes);
  return tensor;
}

}  // namespace

StoredTensor stored(const NamedTensor& tensor) {
  return stored(tensor.name, "F32", tensor.shape, tensor.values);
}

void write_safetensors(const fs::path& file, const std::vector<StoredTensor>& tensors,
                       const Metadata& metadata) {
  nlohmann::ordered_json header;
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::size_t at = 0;
  for (const StoredTensor& tensor : tensors) {
    header[tensor.name] = {{"dtype", tensor.type},
                           {"shape", tensor.shape},
                           {"data_offsets", {at, at + tensor.bytes.size()}}};
    at += tensor.bytes.size();
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');  // aligns the numbers
  const std::uint64_t length = text.size();
  write_whole(file, [&](const fs::path& unfinished) {
    std::ofstream out(unfinished, std::ios::binary);
    out.write(reinterpret_cast<const char*>(&length), sizeof length);
    out << text;
    for (const StoredTensor& tensor : tensors) out << tensor.bytes;
    out.close();
    if (!out) {
      throw DataError(fmt::format(
          "{}: cannot be written; is the disk full, or the folder read-only?", file.string()));
    }
  });
}

std::vector<StoredTensor> read_safetensors(const fs::path& file) {
  const std::string all = read_file(file);
  std::uint64_t length = 0;
  std::vector<StoredTensor> tensors;
  try {
    if (all.size() < sizeof length) throw std::out_of_range("it is too short");
    std::memcpy(&length, all.data(), sizeof length);
    if (length > all.size() - sizeof length) throw std::out_of_range("its header is cut off");
    const auto header = nlohmann::ordered_json::parse(all.substr(sizeof length, length));
    if (!header.is_object()) throw std::out_of_range("its header is not a JSON object");
    const auto numbers = std::string_view(all).substr(sizeof length + length);
    for (const auto& [name, entry] : header.items()) {
      if (name != "__metadata__") tensors.push_back(read_one(name, entry, numbers));
    }
  } catch (const std::exception& error) {
    throw DataError(fmt::format("{}: not a safetensors file: {}", file.string(), error.what()));
  }
  return tensors;
}

NamedTensors read_weights(const fs::path& file) {
  NamedTensors weights;
  for (const StoredTensor& tensor : read_safetensors(file)) {
    if (tensor.type != "F32") {
      throw DataError(fmt::format("{}: tensor '{}' is {}; weights must be F32", file.string(),
                                  tensor.name, tensor.type));
    }
    NamedTensor weight{tensor.name, tensor.shape,
                       std::vector<float>(tensor.bytes.size() / sizeof(float))};
    if (!weight.values.empty())  // an empty vector has no storage to copy to
      std::memcpy(weight.values.data(), tensor.bytes.data(), tensor.bytes.size());
    weights.push_back(std::move(weight));
  }
  return weights;
}

}  // namespace gps
