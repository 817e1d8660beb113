// Small made-up data that a network can learn, for tests that need a stream but no real images.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "gps/benchmarks/permuted.h"
#include "gps/benchmarks/split.h"
#include "gps/benchmarks/stream_source.h"
#include "gps/core/rng.h"
#include "gps/data/dataset.h"

namespace gps::testing {

// Images of side x side pixels: each class has a random pattern of its own, each example that
// pattern with some pixels redrawn. counts[c] examples of class c, shuffled together.
inline Dataset tiny_dataset(const std::vector<std::size_t>& counts, std::uint64_t seed = 1,
                            int side = 6) {
  const ImageShape shape{1, side, side};
  const Rng rng = Rng(7).fork("tiny patterns");
  std::vector<std::vector<std::uint8_t>> patterns;
  for (std::size_t c = 0; c < counts.size(); ++c) {
    Rng draw = rng.fork("class", c);
    std::vector<std::uint8_t> pattern(shape.bytes());
    for (auto& pixel : pattern)
      pixel = draw.index(2) == 0 ? 0 : static_cast<std::uint8_t>(55 + draw.index(200));
    patterns.push_back(pattern);
  }
  std::vector<Label> labels;
  for (std::size_t c = 0; c < counts.size(); ++c)
    labels.insert(labels.end(), counts[c], static_cast<Label>(c));
  Rng(seed).fork("order").shuffle(std::span(labels));
  Rng noise = Rng(seed).fork("noise");
  std::vector<std::uint8_t> bytes;
  for (const Label label : labels) {
    for (const std::uint8_t pixel : patterns[label]) {
      bytes.push_back(noise.index(8) == 0 ? static_cast<std::uint8_t>(noise.index(256)) : pixel);
    }
  }
  return {shape, std::move(bytes), labels, static_cast<int>(counts.size())};
}

inline Dataset tiny_dataset(int classes, std::size_t per_class, std::uint64_t seed = 1,
                            int side = 6) {
  return tiny_dataset(std::vector<std::size_t>(static_cast<std::size_t>(classes), per_class), seed,
                      side);
}

// Grey images that are all alike: whatever a network learns, it gives one answer for all of them.
inline Dataset blank_dataset(int classes, std::size_t per_class, int side = 6) {
  const ImageShape shape{1, side, side};
  const std::size_t count = static_cast<std::size_t>(classes) * per_class;
  std::vector<Label> labels;
  for (std::size_t k = 0; k < count; ++k)
    labels.push_back(static_cast<Label>(k % static_cast<std::size_t>(classes)));
  return {shape, std::vector<std::uint8_t>(count * shape.bytes(), 128), labels, classes};
}

// A stream over tiny data, without any file.
template <typename Stream>
class TinyStreamSource final : public StreamSource<Stream> {
 public:
  explicit TinyStreamSource(BenchmarkOptions options, int classes = 4, std::size_t per_class = 30)
      : TinyStreamSource(std::move(options),
                         {tiny_dataset(classes, per_class, 1), tiny_dataset(classes, 20, 2)}) {}
  TinyStreamSource(BenchmarkOptions options, TrainTest data)
      : StreamSource<Stream>(std::move(data), std::move(options)) {}
};
using TinySource = TinyStreamSource<PermutedBenchmark>;
using TinySplitSource = TinyStreamSource<SplitBenchmark>;

// IDX bytes, as MNIST's files have them.
inline std::string idx_bytes(std::uint32_t magic, const std::vector<std::uint32_t>& dimensions,
                             const std::string& body) {
  std::string bytes;
  const auto put = [&](std::uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8)
      bytes.push_back(static_cast<char>((value >> shift) & 0xFFu));
  };
  put(magic);
  for (const std::uint32_t dimension : dimensions) put(dimension);
  return bytes + body;
}

inline void write_file(const std::filesystem::path& path, const std::string& bytes) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

// Writes a dataset as a pair of IDX files, e.g. prefix "train": train-images-idx3-ubyte and
// train-labels-idx1-ubyte.
inline void write_idx_pair(const std::filesystem::path& folder, const std::string& prefix,
                           const Dataset& data) {
  std::string images;
  std::string labels;
  std::vector<std::uint8_t> scratch(data.shape().bytes());
  for (std::size_t i = 0; i < data.size(); ++i) {
    const std::uint8_t* image = data.image(i, scratch);
    images.append(reinterpret_cast<const char*>(image), data.shape().bytes());
    labels.push_back(static_cast<char>(data.label(i)));
  }
  const auto n = static_cast<std::uint32_t>(data.size());
  const auto height = static_cast<std::uint32_t>(data.shape().height);
  const auto width = static_cast<std::uint32_t>(data.shape().width);
  write_file(folder / (prefix + "-images-idx3-ubyte"),
             idx_bytes(0x803, {n, height, width}, images));
  write_file(folder / (prefix + "-labels-idx1-ubyte"), idx_bytes(0x801, {n}, labels));
}

// A data folder with a tiny ten-class "mnist" (or fashion-mnist) in it, for tests of the program.
inline void write_tiny_mnist(const std::filesystem::path& data_folder,
                             const std::string& set = "mnist", std::size_t per_class = 40) {
  write_idx_pair(data_folder / set, "train", tiny_dataset(10, per_class, 1, 8));
  write_idx_pair(data_folder / set, "t10k", tiny_dataset(10, 20, 2, 8));
}

// The same with images that are all alike.
inline void write_blank_mnist(const std::filesystem::path& data_folder) {
  write_idx_pair(data_folder / "mnist", "train", blank_dataset(10, 40, 8));
  write_idx_pair(data_folder / "mnist", "t10k", blank_dataset(10, 20, 8));
}

}  // namespace gps::testing
