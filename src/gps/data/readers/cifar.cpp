#include "gps/data/readers/cifar.h"

#include <fmt/format.h>

#include <array>
#include <fstream>

#include "gps/core/errors.h"

namespace gps {
namespace {

namespace fs = std::filesystem;

constexpr ImageShape kCifarShape{3, 32, 32};

// The number of classes of each label byte in a record. The last byte is the label.
using LabelBytes = std::vector<int>;

struct Records {
  std::vector<std::uint8_t> pixels;
  std::vector<Label> labels;
};

void append_file(const fs::path& path, const LabelBytes& label_bytes, Records& records) {
  std::error_code error;
  if (!fs::exists(path, error)) refuse(path, "is missing");
  const std::uintmax_t size = fs::file_size(path, error);
  if (error) refuse(path, fmt::format("cannot be read: {}", error.message()));
  const std::size_t record = label_bytes.size() + kCifarShape.bytes();
  if (size == 0 || size % record != 0) {
    refuse(path,
           fmt::format("has {} bytes; expected whole records of {} bytes each", size, record));
  }
  std::ifstream in(path, std::ios::binary);
  std::vector<std::uint8_t> labels(label_bytes.size());
  const std::size_t count = size / record;
  const std::size_t first = records.labels.size();
  records.pixels.resize((first + count) * kCifarShape.bytes());
  for (std::size_t i = 0; i < count; ++i) {
    in.read(reinterpret_cast<char*>(labels.data()), static_cast<std::streamsize>(labels.size()));
    in.read(reinterpret_cast<char*>(records.pixels.data() + (first + i) * kCifarShape.bytes()),
            static_cast<std::streamsize>(kCifarShape.bytes()));
    if (!in) refuse(path, fmt::format("cannot be read beyond record {}", i));
    for (std::size_t k = 0; k < labels.size(); ++k) {
      if (labels[k] < label_bytes[k]) continue;
      refuse(path, fmt::format("label of record {} is {}; expected 0 to {}", i, labels[k],
                               label_bytes[k] - 1));
    }
    records.labels.push_back(labels.back());
  }
}

Dataset read_files(const fs::path& folder, const std::vector<std::string>& files,
                   const LabelBytes& label_bytes) {
  Records records;
  for (const std::string& file : files) append_file(folder / file, label_bytes, records);
  return {kCifarShape, std::move(records.pixels), records.labels, label_bytes.back()};
}

}  // namespace

TrainTest read_cifar_10(const fs::path& folder) {
  const LabelBytes labels = {10};
  return {read_files(folder,
                     {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin",
                      "data_batch_4.bin", "data_batch_5.bin"},
                     labels),
          read_files(folder, {"test_batch.bin"}, labels)};
}

TrainTest read_cifar_100(const fs::path& folder) {
  const LabelBytes labels = {20, 100};
  return {read_files(folder, {"train.bin"}, labels), read_files(folder, {"test.bin"}, labels)};
}

}  // namespace gps
