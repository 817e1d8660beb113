// The episodic memory M: at most `capacity` stored examples, each tagged with its task. It is a
// value type. A copy shares the immutable images and copies no pixels, so a simulation can work on
// its own copy and discard it.
//
// Images and logits are stored in the memory's format (example_format.h). Who reads them asks the
// memory, which decodes them into a buffer of the reader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "gps/core/files/archive.h"
#include "gps/data/task.h"
#include "gps/memory/decoded_image.h"
#include "gps/memory/example_format.h"
#include "gps/memory/example_index.h"

namespace gps {

// Which of the two parts of M_ij (section 4.2) an example is in.
enum class Part : std::uint8_t { reservoir, ring };

using StoredImage = std::shared_ptr<const std::uint8_t[]>;

StoredImage store_image(std::span<const std::uint8_t> bytes);

// The logits stored with an example, for learners that replay them (DER).
using StoredLogits = std::shared_ptr<const std::uint8_t[]>;

StoredLogits store_logits(std::span<const float> logits,
                          LogitsFormat format = LogitsFormat::float32);

struct Example {
  StoredImage image;  // as the memory's codec stores it; null: kept by someone else
  Label label = 0;
  Part part = Part::reservoir;
  int task = 0;
  std::uint32_t id = 0;               // identifies the example within its task
  StoredLogits logits = nullptr;      // null if there are none
  Arrangement arrangement = nullptr;  // of augmented images of permuted pseudo-tasks
  // Only if the memory's codec uses neighbouring pixels.
  std::shared_ptr<DecodedImage> decoded = nullptr;

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
  // `image_bytes` is the size of one image. All images have this size, and are stored as they are.
  Memory(std::size_t capacity, std::size_t image_bytes)
      : capacity_(capacity), image_bytes_(image_bytes), stored_bytes_(image_bytes) {}

  // The same, for images that are replayed as random views, in any format. REQUIRES: its codec
  // accepts the shape.
  Memory(std::size_t capacity, const ImageShape& shape, const Augmentation& augmentation,
         ExampleFormat format = {})
      : capacity_(capacity),
        image_bytes_(shape.bytes()),
        stored_bytes_(format.codec->stored_bytes(shape)),
        shape_(shape),
        augmentation_(augmentation),
        format_(std::move(format)),
        keeps_pixels_(format_.codec->keeps_pixels()),
        uses_neighbours_(format_.codec->uses_neighbours()) {}

  std::size_t capacity() const { return capacity_; }
  std::size_t image_bytes() const { return image_bytes_; }    // of a decoded image
  std::size_t stored_bytes() const { return stored_bytes_; }  // of a stored image
  const ExampleFormat& format() const { return format_; }
  bool keeps_pixels() const { return keeps_pixels_; }  // Codec::keeps_pixels()
  const ImageShape& shape() const { return shape_; }   // set only if the constructor got a shape
  const Augmentation& augmentation() const { return augmentation_; }
  std::size_t size() const { return examples_.size(); }
  bool is_empty() const { return examples_.empty(); }
  const std::vector<Example>& examples() const { return examples_; }
  const Example& operator[](std::size_t slot) const { return examples_[slot]; }

  // Returns the pixels of an example of this memory: where they are stored or kept, or else decoded
  // into `scratch`. Valid as long as both are. REQUIRES: scratch.size() >= image_bytes(), unless
  // keeps_pixels().
  const std::uint8_t* image(const Example& example, std::span<std::uint8_t> scratch) const {
    if (keeps_pixels_) return example.image.get();
    if (example.decoded != nullptr) return image_with_neighbours(example, scratch);
    format_.codec->decode({example.image.get(), stored_bytes_}, shape_, scratch);
    return scratch.data();
  }
  const std::uint8_t* image(std::size_t slot, std::span<std::uint8_t> scratch) const {
    return image(examples_[slot], scratch);
  }

  // Stores these pixels, in the memory's format. If the codec uses neighbouring pixels, they are
  // stored as they were before `map`. REQUIRES: pixels.size() == image_bytes().
  StoredImage stored(std::span<const std::uint8_t> pixels, const PixelMap* map = nullptr) const;

  // Writes the logits of an example of this memory. REQUIRES: it has logits, out.size() of them.
  void read_logits(const Example& example, std::span<float> out) const {
    decode_logits(format_.logits, {example.logits.get(), logits_bytes(format_.logits, out.size())},
                  out);
  }

  // Returns the bytes of all stored examples (bytes_an_example()). Stored logits have `classes`
  // values each.
  std::size_t bytes(std::size_t classes) const;

  // Returns |M_{i,task}|: how many examples of this task are stored.
  std::size_t count(int task) const;
  // Whether this example of the task is stored. Looks at every example.
  bool contains(int task, std::uint32_t id) const;
  // The same, for those who change the memory: only the first call looks at every example.
  bool contains(int task, std::uint32_t id);

  // The example has no image if the batch has none (Dataset::without_images).
  Example make_example(const Batch& batch, std::size_t row, Part part) const;

  // REQUIRES: size() < capacity().
  void add(Example example);

  // Changes how many examples fit. REQUIRES: size() <= capacity.
  void limit(std::size_t capacity);

  void replace(std::size_t slot, Example example);

  // Keeps the examples for which `keep` is true, in their order.
  template <typename Keep>
  void retain(const Keep& keep) {
    index_.forget();
    std::erase_if(examples_, [&](const Example& example) { return !keep(example); });
  }

  // Returns the rearrangement that images of a task are seen through, or null.
  using MapOfTask = std::function<Arrangement(int task)>;

  // Writes or reads all examples (core/files/archive.h). Throws DataError if one that it reads is
  // not within the limits. Arrangements are not saved, because only simulations have them. Nor are
  // maps, because the stream knows them: `map_of` is asked if the codec uses neighbouring pixels,
  // once for each task. REQUIRES: every example has an image, unless image_bytes() is 0.
  void persist(Archive& archive, const ExampleLimits& limits, const MapOfTask& map_of = {});

 private:
  const std::uint8_t* image_with_neighbours(const Example& example,
                                            std::span<std::uint8_t> scratch) const;

  std::size_t capacity_;
  std::size_t image_bytes_;
  std::size_t stored_bytes_;
  ImageShape shape_;
  Augmentation augmentation_;
  ExampleFormat format_;
  bool keeps_pixels_ = true;
  bool uses_neighbours_ = false;
  std::vector<Example> examples_;
  ExampleIndex index_;
};

}  // namespace gps
