#include "gps/nn/safetensors.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

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

StoredTensor read_one(const std::string& name, const nlohmann::json& entry,
                      std::string_view numbers) {
  StoredTensor tensor{name, entry.at("dtype"), entry.at("shape"), {}};
  const auto first = entry.at("data_offsets").at(0).get<std::size_t>();
  const auto end = entry.at("data_offsets").at(1).get<std::size_t>();
  std::size_t bytes = sizes().at(tensor.type);
  for (const std::int64_t side : tensor.shape) {
    if (side < 0) throw std::out_of_range("a negative size");
    bytes *= static_cast<std::size_t>(side);
  }
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
