#include "gps/experiments/export/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "gps/benchmarks/permuted.h"
#include "gps/core/option.h"
#include "gps/core/text/text.h"
#include "gps/data/features.h"
#include "gps/nn/catalog.h"
#include "gps/nn/safetensors.h"

namespace gps {
namespace {

namespace fs = std::filesystem;

Metadata metadata_of(const RunResult& result) {
  Metadata metadata = {{"format", "pt"},
                       {"gpscl_spec", to_json(result.spec).dump()},
                       {"gpscl_seed", std::to_string(result.seed)}};
  if (!result.class_names.empty())
    metadata["gpscl_class_names"] = nlohmann::json(result.class_names).dump();
  return metadata;
}

// Returns the features of rows (data/features.h) as safetensors has them.
std::vector<std::uint16_t> halves_of(const std::vector<std::uint8_t>& rows,
                                     const ImageShape& shape) {
  const std::size_t size = shape.pixels();
  std::vector<std::uint16_t> halves;
  halves.reserve(rows.size() / 2);
  for (std::size_t row = 0; row < rows.size(); row += 2 * size) {
    for (std::size_t k = 0; k < size; ++k)
      halves.push_back(static_cast<std::uint16_t>((rows[row + k] << 8) | rows[row + size + k]));
  }
  return halves;
}

std::vector<StoredTensor> tensors_of(const Memory& memory, const ImageShape& shape,
                                     std::size_t classes) {
  std::vector<std::uint8_t> images;
  std::vector<std::int64_t> labels;
  std::vector<std::int64_t> tasks;
  std::vector<std::int64_t> ids;
  std::vector<std::uint8_t> parts;
  std::vector<float> logits;
  std::vector<std::uint8_t> scratch(memory.image_bytes());
  for (const Example& example : memory.examples()) {
    const std::uint8_t* const image = memory.image(example, scratch);
    images.insert(images.end(), image, image + memory.image_bytes());
    labels.push_back(example.label);
    tasks.push_back(example.task);
    ids.push_back(example.id);
    parts.push_back(example.part == Part::ring ? 1 : 0);
    if (!example.logits) continue;
    logits.resize(logits.size() + classes);
    memory.read_logits(example, std::span(logits).last(classes));
  }
  const auto n = static_cast<std::int64_t>(memory.size());
  std::vector<StoredTensor> tensors = {
      are_features(shape)
          ? stored("features", "F16", {n, shape.width}, halves_of(images, shape))
          : stored("images", "U8", {n, shape.channels, shape.height, shape.width}, images),
      stored("labels", "I64", {n}, labels),
      stored("tasks", "I64", {n}, tasks),
      stored("ids", "I64", {n}, ids),
      stored("parts", "U8", {n}, parts),
  };
  if (n > 0 && logits.size() == memory.size() * classes)
    tensors.push_back(stored("logits", "F32", {n, static_cast<std::int64_t>(classes)}, logits));
  return tensors;
}

// Throws std::out_of_range if the tensor is missing or has another type.
const StoredTensor& tensor_in(const std::vector<StoredTensor>& tensors, const std::string& name,
                              const std::string& type) {
  const auto at = std::find_if(tensors.begin(), tensors.end(), [&](const StoredTensor& tensor) {
    return tensor.name == name && tensor.type == type;
  });
  if (at == tensors.end())
    throw std::out_of_range(fmt::format("there is no tensor '{}' of type {}", name, type));
  return *at;
}

template <typename Number>
std::vector<Number> numbers_in(const StoredTensor& tensor) {
  std::vector<Number> numbers(tensor.bytes.size() / sizeof(Number));
  if (!numbers.empty())  // an empty vector has no storage to copy to
    std::memcpy(numbers.data(), tensor.bytes.data(), tensor.bytes.size());
  return numbers;
}

// Returns the whole numbers of the tensor. Throws std::out_of_range if one is not between `least`
// and `most`.
std::vector<int> integers_in(const std::vector<StoredTensor>& tensors, const std::string& name,
                             int least, int most) {
  std::vector<int> numbers;
  for (const auto number : numbers_in<std::int64_t>(tensor_in(tensors, name, "I64"))) {
    if (number < least || number > most) {
      throw std::out_of_range(
          fmt::format("'{}' has the value {}; expected {} to {}", name, number, least, most));
    }
    numbers.push_back(static_cast<int>(number));
  }
  return numbers;
}

// Returns the shape of n images. Throws std::out_of_range for images that have no pixels.
ImageShape shape_in(const StoredTensor& images) {
  if (images.shape.size() != 4) throw std::out_of_range("'images' does not have four dimensions");
  for (std::size_t k = 1; k < images.shape.size(); ++k) {
    if (images.shape[k] < 1 || !std::in_range<int>(images.shape[k])) {
      throw std::out_of_range(fmt::format("'images' has the size {}; expected 1 to {}",
                                          images.shape[k], std::numeric_limits<int>::max()));
    }
  }
  return {static_cast<int>(images.shape[1]), static_cast<int>(images.shape[2]),
          static_cast<int>(images.shape[3])};
}

void put_back(ExportedMemory& memory, std::uint64_t seed) {
  const std::size_t bytes = memory.shape.bytes();
  PixelsPutBack pixels(memory.shape, seed);
  for (std::size_t k = 0; k < memory.tasks.size(); ++k)
    pixels.put_back(memory.tasks[k], std::span(memory.images).subspan(k * bytes, bytes));
  memory.is_put_back = true;
}

}  // namespace

ExportOptions parse_export(const std::string& text) {
  ExportOptions options;
  if (text.empty()) return options;
  for (const std::string& what : split(text, ',')) {
    if (what != "model" && what != "memory")
      throw OptionError("export", fmt::format("must be model, memory or both, got '{}'", what));
    (what == "model" ? options.model : options.memory) = true;
  }
  return options;
}

void export_run(const RunResult& result, const Learner& learner, const Memory& memory,
                const ImageShape& shape, const ExportOptions& options, const fs::path& folder) {
  const std::string name = fs::path(file_name(result.spec, result.seed)).stem().string();
  if (options.model) {
    const NetworkOptions& network = result.spec.network;
    save_torchscript(network_of(learner), network, folder / (name + ".model.pt"));
    std::vector<StoredTensor> weights;
    for (const NamedTensor& tensor : all_tensors(network_of(learner), network))
      weights.push_back(stored(tensor));
    write_safetensors(folder / (name + ".model.safetensors"), weights, metadata_of(result));
  }
  if (options.memory) {
    write_safetensors(exported_memory_file(result.spec, result.seed, folder),
                      tensors_of(memory, shape, learner.classes()), metadata_of(result));
  }
}

fs::path exported_memory_file(const Spec& spec, std::uint64_t seed, const fs::path& folder) {
  return folder / (fs::path(file_name(spec, seed)).stem().string() + ".memory.safetensors");
}

ExportedMemory read_exported_memory(const Spec& spec, std::uint64_t seed, const fs::path& folder) {
  const fs::path file = exported_memory_file(spec, seed, folder);
  const std::vector<StoredTensor> tensors = read_safetensors(file);
  try {
    ExportedMemory memory;
    const StoredTensor& images = tensor_in(tensors, "images", "U8");
    memory.shape = shape_in(images);
    memory.images = numbers_in<std::uint8_t>(images);
    memory.tasks = integers_in(tensors, "tasks", 1, spec.benchmark.tasks);
    memory.labels = integers_in(tensors, "labels", 0, std::numeric_limits<Label>::max());
    for (const auto part : numbers_in<std::uint8_t>(tensor_in(tensors, "parts", "U8")))
      memory.is_in_ring.push_back(part == 1);
    const std::size_t n = memory.tasks.size();
    if (memory.labels.size() != n || memory.is_in_ring.size() != n ||
        static_cast<std::size_t>(images.shape[0]) != n)
      throw std::out_of_range("its tensors are of different lengths");
    if (has_permuted_pixels(spec.benchmark)) put_back(memory, seed);
    return memory;
  } catch (const std::out_of_range& error) {
    throw DataError(fmt::format("{}: not the memory of a run: {}", file.string(), error.what()));
  }
}

}  // namespace gps
