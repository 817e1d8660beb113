// The episodic memory M: at most `capacity` stored examples, each tagged with its task. It is a
// value type. A copy shares the immutable images and copies no pixels, so a simulation can work on
// its own copy and discard it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gps/core/files/archive.h"
#include "gps/data/task.h"

namespace gps {

// Which of the two parts of M_ij (section 4.2) an example is in.
enum class Part : std::uint8_t { reservoir, ring };

using StoredImage = std::shared_ptr<const std::uint8_t[]>;

StoredImage store_image(std::span<const std::uint8_t> bytes);

// The logits stored with an example, for learners that replay them (DER).
using StoredLogits = std::shared_ptr<const float[]>;

StoredLogits store_logits(std::span<const float> logits);

struct Example {
  StoredImage image;
  Label label = 0;
  Part part = Part::reservoir;
  int task = 0;
  std::uint32_t id = 0;               // identifies the example within its task
  StoredLogits logits = nullptr;      // null if there are none
  Arrangement arrangement = nullptr;  // of augmented images of permuted pseudo-tasks

  friend bool operator==(const Example&, const Example&) = default;
};

// What stored examples must fit.
struct ExampleLimits {
  std::size_t outputs = 0;  // the number of values of stored logits
  std::size_t classes = 0;  // labels are below it
  int tasks = 0;            // tasks are numbered from 1 to this
};

class Memory {
 public:
  // `image_bytes` is the size of one image. All stored images have this size.
  Memory(std::size_t capacity, std::size_t image_bytes)
      : capacity_(capacity), image_bytes_(image_bytes) {}

  // The same, for images that are replayed as random views.
  Memory(std::size_t capacity, const ImageShape& shape, const Augmentation& augmentation)
      : capacity_(capacity),
        image_bytes_(shape.bytes()),
        shape_(shape),
        augmentation_(augmentation) {}

  std::size_t capacity() const { return capacity_; }
  std::size_t image_bytes() const { return image_bytes_; }
  const ImageShape& shape() const { return shape_; }  // set only if the constructor got a shape
  const Augmentation& augmentation() const { return augmentation_; }
  std::size_t size() const { return examples_.size(); }
  bool is_empty() const { return examples_.empty(); }
  const std::vector<Example>& examples() const { return examples_; }
  const Example& operator[](std::size_t slot) const { return examples_[slot]; }

  // Returns |M_{i,task}|: how many examples of this task are stored.
  std::size_t count(int task) const;
  bool contains(int task, std::uint32_t id) const;

  Example make_example(const Batch& batch, std::size_t row, Part part) const;

  // REQUIRES: size() < capacity().
  void add(Example example);
  void replace(std::size_t slot, Example example) { examples_[slot] = std::move(example); }

  // Keeps the examples for which `keep` is true, in their order.
  template <typename Keep>
  void retain(const Keep& keep) {
    std::erase_if(examples_, [&](const Example& example) { return !keep(example); });
  }

  // Writes or reads all examples (core/files/archive.h). Throws DataError if one that it reads is
  // not within the limits. Arrangements are not saved, because only simulations have them.
  void persist(Archive& archive, const ExampleLimits& limits);

 private:
  std::size_t capacity_;
  std::size_t image_bytes_;
  ImageShape shape_;
  Augmentation augmentation_;
  std::vector<Example> examples_;
};

}  // namespace gps
