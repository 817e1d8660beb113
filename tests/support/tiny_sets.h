// Small made-up data under the official names of CIFAR-10, CIFAR-100 and TinyImageNet.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "support/jpeg_file.h"
#include "support/tiny_data.h"

namespace gps::testing {

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A record as CIFAR's files have it: label bytes, then the three channels, each of one value.
inline std::string cifar_record(const std::string& labels, const std::string& channels) {
  std::string record = labels;
  for (const char value : channels) record += std::string(32 * 32, value);
  return record;
}

// `per_class` records of each class; pixels tell the class.
inline std::string cifar_records(int classes, int per_class, bool has_coarse_label) {
  std::string records;
  for (int i = 0; i < classes * per_class; ++i) {
    const int label = i % classes;
    std::string labels(1, static_cast<char>(label));
    if (has_coarse_label) labels.insert(0, 1, static_cast<char>(label / 5));
    const auto value = static_cast<char>(label * 2);
    records += cifar_record(labels, {value, static_cast<char>(i % 7), '\x40'});
  }
  return records;
}

inline void write_tiny_cifar_10(const std::filesystem::path& data_folder, int per_class = 5) {
  const auto folder = data_folder / "cifar-10-batches-bin";
  for (int batch = 1; batch <= 5; ++batch)
    write_file(folder / fmt::format("data_batch_{}.bin", batch),
               cifar_records(10, per_class / 5, false));
  write_file(folder / "test_batch.bin", cifar_records(10, 2, false));
}

inline void write_tiny_cifar_100(const std::filesystem::path& data_folder, int per_class = 2) {
  const auto folder = data_folder / "cifar-100-binary";
  write_file(folder / "train.bin", cifar_records(100, per_class, true));
  write_file(folder / "test.bin", cifar_records(100, 1, true));
}

// Class c is called n<c + 100>, and wnids.txt has the classes in falling order, so that its order
// is not that of the names. Every image has one colour: its first channel tells the class, and the
// second image of each class is grey.
inline void write_tiny_imagenet(const std::filesystem::path& data_folder, int classes = 200,
                                int per_class = 2) {
  const auto tree = data_folder / "tiny-imagenet-200";
  std::string wnids;
  std::string annotations;
  for (int label = 0; label < classes; ++label) {
    const std::string wnid = fmt::format("n{}", 100 + classes - label);
    wnids += wnid + "\n";
    const auto value = static_cast<std::uint8_t>(label);
    for (int i = 0; i < per_class; ++i) {
      write_file(tree / "train" / wnid / "images" / fmt::format("{}_{}.JPEG", wnid, i),
                 i == 1 ? jpeg_file({value}) : jpeg_file({value, 100, 200}));
    }
    const std::string name = fmt::format("val_{}.JPEG", label);
    write_file(tree / "val" / "images" / name, jpeg_file({value, 50, 0}));
    annotations += fmt::format("{}\t{}\t0\t0\t62\t62\n", name, wnid);
  }
  write_file(tree / "wnids.txt", wnids);
  write_file(tree / "val" / "val_annotations.txt", annotations);
}

}  // namespace gps::testing
