#include "gps/experiments/export.h"

#include <algorithm>
#include <nlohmann/json.hpp>

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

std::vector<StoredTensor> tensors_of(const Memory& memory, const ImageShape& shape,
                                     std::size_t classes) {
  std::vector<std::uint8_t> images;
  std::vector<std::int64_t> labels;
  std::vector<std::int64_t> tasks;
  std::vector<std::int64_t> ids;
  std::vector<std::uint8_t> parts;
  std::vector<float> logits;
  for (const Example& example : memory.examples()) {
    images.insert(images.end(), example.image.get(), example.image.get() + memory.image_bytes());
    labels.push_back(example.label);
    tasks.push_back(example.task);
    ids.push_back(example.id);
    parts.push_back(example.part == Part::ring ? 1 : 0);
    if (example.logits)
      logits.insert(logits.end(), example.logits.get(), example.logits.get() + classes);
  }
  const auto n = static_cast<std::int64_t>(memory.size());
  std::vector<StoredTensor> tensors = {
      stored("images", "U8", {n, shape.channels, shape.height, shape.width}, images),
      stored("labels", "I64", {n}, labels),
      stored("tasks", "I64", {n}, tasks),
      stored("ids", "I64", {n}, ids),
      stored("parts", "U8", {n}, parts),
  };
  if (n > 0 && logits.size() == memory.size() * classes)
    tensors.push_back(stored("logits", "F32", {n, static_cast<std::int64_t>(classes)}, logits));
  return tensors;
}

}  // namespace

void export_run(const RunResult& result, const Learner& learner, const Memory& memory,
                const ImageShape& shape, const ExportOptions& options, const fs::path& folder) {
  const std::string name = fs::path(file_name(result.spec, result.seed)).stem().string();
  if (options.model) {
    save_torchscript(learner.network(), folder / (name + ".model.pt"));
    std::vector<StoredTensor> weights;
    for (const NamedTensor& tensor : learner.network().tensors()) weights.push_back(stored(tensor));
    write_safetensors(folder / (name + ".model.safetensors"), weights, metadata_of(result));
  }
  if (options.memory) {
    write_safetensors(folder / (name + ".memory.safetensors"),
                      tensors_of(memory, shape, learner.network().classes()), metadata_of(result));
  }
}

}  // namespace gps
