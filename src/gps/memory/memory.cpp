#include "gps/memory/memory.h"

#include <algorithm>
#include <cassert>

namespace gps {

StoredImage store_image(std::span<const std::uint8_t> bytes) {
  auto stored = std::make_shared_for_overwrite<std::uint8_t[]>(bytes.size());
  std::copy(bytes.begin(), bytes.end(), stored.get());
  return stored;
}

StoredLogits store_logits(std::span<const float> logits) {
  auto stored = std::make_shared_for_overwrite<float[]>(logits.size());
  std::copy(logits.begin(), logits.end(), stored.get());
  return stored;
}

std::size_t Memory::count(int task) const {
  const auto is_of_task = [task](const Example& example) { return example.task == task; };
  return static_cast<std::size_t>(std::count_if(examples_.begin(), examples_.end(), is_of_task));
}

bool Memory::contains(int task, std::uint32_t id) const {
  return std::any_of(examples_.begin(), examples_.end(), [&](const Example& example) {
    return example.id == id && example.task == task;
  });
}

Example Memory::make_example(const Batch& batch, std::size_t row, Part part) const {
  const auto logits = batch.logits_of(row);
  return {store_image({batch.original(row), image_bytes_}),
          batch.labels[row],
          part,
          batch.task,
          batch.ids[row],
          logits.empty() ? nullptr : store_logits(logits),
          batch.arrangement};
}

void Memory::persist(Archive& archive, const ExampleLimits& limits) {
  constexpr std::size_t kTagBytes = 20;  // label, part, task, id, has_logits, size of the image
  archive.section("memory");
  archive.same(capacity_, "capacity");
  archive.same(image_bytes_, "image size");
  const std::size_t size = archive.count(examples_.size(), image_bytes_ + kTagBytes);
  Archive::require(size <= capacity_, "more examples than the memory holds");
  examples_.resize(size);
  std::vector<std::uint8_t> image(image_bytes_);
  std::vector<float> logits;
  for (Example& example : examples_) {
    bool has_logits = example.logits != nullptr;
    if (!archive.is_reading()) {
      std::copy_n(example.image.get(), image_bytes_, image.data());
      if (has_logits) logits.assign(example.logits.get(), example.logits.get() + limits.outputs);
    }
    archive(example.label);
    Archive::require(!archive.is_reading() || example.label < limits.classes,
                     "a stored example has a label that no class has");
    archive.between(example.part, Part::reservoir, Part::ring, "part of a stored example");
    archive.between(example.task, 1, limits.tasks, "task of a stored example");
    archive(example.id, has_logits);
    archive.in_place(std::span(image));
    if (has_logits) {
      logits.resize(limits.outputs);
      archive.in_place(std::span(logits));
    }
    if (archive.is_reading()) {
      example.image = store_image(image);
      example.logits = has_logits ? store_logits(logits) : nullptr;
    }
  }
}

void Memory::add(Example example) {
  assert(examples_.size() < capacity_);
  examples_.push_back(std::move(example));
}

}  // namespace gps
