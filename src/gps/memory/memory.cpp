#include "gps/memory/memory.h"

#include <algorithm>
#include <cassert>
#include <map>

namespace gps {
namespace {

// float32 is written as so many floats, as earlier versions did.
void persist_logits(Archive& archive, LogitsFormat format, std::vector<std::uint8_t>& stored) {
  if (format != LogitsFormat::float32) {
    archive.in_place(std::span(stored));
    return;
  }
  std::vector<float> floats(stored.size() / sizeof(float));
  decode_logits(format, stored, floats);
  archive.in_place(std::span(floats));
  encode_logits(format, floats, stored);
}

// A buffer of the thread, for pixels before they are rearranged.
std::span<std::uint8_t> picture_buffer(std::size_t bytes) {
  thread_local std::vector<std::uint8_t> buffer;
  if (buffer.size() < bytes) buffer.resize(bytes);
  return std::span(buffer).first(bytes);
}

}  // namespace

StoredImage store_image(std::span<const std::uint8_t> bytes) {
  auto stored = std::make_shared_for_overwrite<std::uint8_t[]>(bytes.size());
  std::copy(bytes.begin(), bytes.end(), stored.get());
  return stored;
}

StoredLogits store_logits(std::span<const float> logits, LogitsFormat format) {
  const std::size_t bytes = logits_bytes(format, logits.size());
  auto stored = std::make_shared_for_overwrite<std::uint8_t[]>(bytes);
  encode_logits(format, logits, {stored.get(), bytes});
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

bool Memory::contains(int task, std::uint32_t id) {
  if (!index_.is_made()) {
    index_.make();
    for (const Example& example : examples_) index_.add(example.task, example.id);
  }
  return index_.contains(task, id);
}

StoredImage Memory::stored(std::span<const std::uint8_t> pixels, const PixelMap* map) const {
  if (keeps_pixels_) return store_image(pixels);
  auto bytes = std::make_shared_for_overwrite<std::uint8_t[]>(stored_bytes_);
  if (uses_neighbours_ && map != nullptr) {
    const std::span<std::uint8_t> picture = picture_buffer(pixels.size());
    for (std::size_t first = 0; first < pixels.size(); first += map->size()) {
      for (std::size_t p = 0; p < map->size(); ++p) picture[first + p] = pixels[first + (*map)[p]];
    }
    pixels = picture;
  }
  format_.codec->encode(pixels, shape_, {bytes.get(), stored_bytes_});
  return bytes;
}

const std::uint8_t* Memory::image_with_neighbours(const Example& example,
                                                  std::span<std::uint8_t> scratch) const {
  if (const std::uint8_t* const kept = example.decoded->pixels()) return kept;
  const std::span<const std::uint8_t> bytes(example.image.get(), stored_bytes_);
  if (const PixelMap* const map = example.decoded->map().get()) {
    const std::span<std::uint8_t> picture = picture_buffer(image_bytes_);
    format_.codec->decode(bytes, shape_, picture);
    for (std::size_t first = 0; first < image_bytes_; first += map->size()) {
      for (std::size_t p = 0; p < map->size(); ++p) scratch[first + (*map)[p]] = picture[first + p];
    }
  } else {
    format_.codec->decode(bytes, shape_, scratch);
  }
  example.decoded->keep(scratch.first(image_bytes_));
  return scratch.data();
}

std::size_t Memory::bytes(std::size_t classes) const {
  const auto with_logits = static_cast<std::size_t>(
      std::count_if(examples_.begin(), examples_.end(),
                    [](const Example& example) { return example.logits != nullptr; }));
  return size() * (stored_bytes_ + kBookkeepingBytes) +
         with_logits * logits_bytes(format_.logits, classes);
}

Example Memory::make_example(const Batch& batch, std::size_t row, Part part) const {
  const auto logits = batch.logits_of(row);
  const std::uint8_t* const pixels = batch.original(row);
  return {pixels == nullptr ? nullptr : stored({pixels, image_bytes_}, batch.map.get()),
          batch.labels[row],
          part,
          batch.task,
          batch.ids[row],
          logits.empty() ? nullptr : store_logits(logits, format_.logits),
          batch.arrangement,
          uses_neighbours_ ? std::make_shared<DecodedImage>(batch.map, image_bytes_) : nullptr};
}

void Memory::persist(Archive& archive, const ExampleLimits& limits, const MapOfTask& map_of) {
  constexpr std::size_t kTagBytes = 20;  // label, part, task, id, has_logits, size of the image
  archive.section("memory");
  archive.same(capacity_, "capacity");
  archive.same(image_bytes_, "image size");
  const std::size_t size = archive.count(examples_.size(), stored_bytes_ + kTagBytes);
  Archive::require(size <= capacity_, "more examples than the memory holds");
  index_.forget();
  examples_.resize(size);
  std::vector<std::uint8_t> image(stored_bytes_);
  std::vector<std::uint8_t> logits(logits_bytes(format_.logits, limits.outputs));
  std::map<int, Arrangement> maps;
  for (Example& example : examples_) {
    bool has_logits = example.logits != nullptr;
    if (!archive.is_reading()) {
      std::copy_n(example.image.get(), image.size(), image.data());
      if (has_logits) std::copy_n(example.logits.get(), logits.size(), logits.data());
    }
    archive(example.label);
    Archive::require(!archive.is_reading() || example.label < limits.classes,
                     "a stored example has a label that no class has");
    archive.between(example.part, Part::reservoir, Part::ring, "part of a stored example");
    archive.between(example.task, 1, limits.tasks, "task of a stored example");
    archive(example.id, has_logits);
    archive.in_place(std::span(image));
    if (has_logits) persist_logits(archive, format_.logits, logits);
    if (archive.is_reading()) {
      example.image = store_image(image);
      example.logits = has_logits ? store_image(logits) : nullptr;
      if (!uses_neighbours_) continue;
      const auto [map, is_new] = maps.try_emplace(example.task);
      if (is_new && map_of) map->second = map_of(example.task);
      example.decoded = std::make_shared<DecodedImage>(map->second, image_bytes_);
    }
  }
}

void Memory::limit(std::size_t capacity) {
  assert(examples_.size() <= capacity);
  capacity_ = capacity;
}

void Memory::add(Example example) {
  assert(examples_.size() < capacity_);
  index_.add(example.task, example.id);
  examples_.push_back(std::move(example));
}

void Memory::replace(std::size_t slot, Example example) {
  index_.remove(examples_[slot].task, examples_[slot].id);
  index_.add(example.task, example.id);
  examples_[slot] = std::move(example);
}

}  // namespace gps
