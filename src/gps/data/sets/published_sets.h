// The public data sets that benchmarks are made of: what they are, whose, under which terms, where
// they are published, and how to know that they arrived unharmed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gps {

// How a set is laid out, and so which reader opens it.
enum class SetFormat { mnist, cifar_10, cifar_100, tiny_imagenet };

struct PublishedFile {
  std::string name;         // "cifar-10-binary.tar.gz"
  std::uint64_t bytes = 0;  // as published
  // Of the file; of what it holds, unpacked, if it is not an archive but one file gzipped: there
  // are copies about that were gzipped anew.
  std::string sha256;
};

struct PublishedSet {
  std::string name;   // what `gpscl data` calls it: "cifar-10"
  std::string title;  // "CIFAR-10"
  SetFormat format = SetFormat::mnist;
  std::string folder;                // below a data folder: "cifar-10-batches-bin"
  std::vector<PublishedFile> files;  // one archive with the folder in it, or the folder's files
  // Tried in this order. A file's address is one of these with its name appended.
  std::vector<std::string> sources;
  std::uint64_t unpacked_bytes = 0;  // an archive that holds more is not the set's
  std::string summary;
  std::string origin;  // who made it, and what to cite
  std::string terms;

  bool is_archive() const { return format != SetFormat::mnist; }
  // REQUIRES: is_archive().
  const std::string& archive() const { return files.front().name; }
  std::uint64_t bytes() const {  // of all files
    std::uint64_t sum = 0;
    for (const PublishedFile& file : files) sum += file.bytes;
    return sum;
  }
};

const std::vector<PublishedSet>& published_sets();

// Throws UsageError listing the known names.
const PublishedSet& published_set(const std::string& name);

}  // namespace gps
