// The public data sets that benchmarks use: their content, authors, terms and sources, and the
// checksums that show whether they arrived intact.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gps {

// The layout of a set, which determines its reader.
enum class SetFormat { mnist, cifar_10, cifar_100, tiny_imagenet };

struct PublishedFile {
  std::string name;         // "cifar-10-binary.tar.gz"
  std::uint64_t bytes = 0;  // as published
  // SHA-256 of an archive; for a single gzipped file, that of its unpacked content, because copies
  // exist that were gzipped again.
  std::string sha256;
};

struct PublishedSet {
  std::string name;   // its name in `gpscl data`: "cifar-10"
  std::string title;  // "CIFAR-10"
  SetFormat format = SetFormat::mnist;
  std::string folder;                // below a data folder: "cifar-10-batches-bin"
  std::vector<PublishedFile> files;  // one archive that contains the folder, or the folder's files
  // Tried in this order. The address of a file is a source with the file's name appended.
  std::vector<std::string> sources;
  std::uint64_t unpacked_bytes = 0;  // an archive that holds more is not the set
  std::string summary;
  std::string origin;  // authors, and what to cite
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

// Throws UsageError that lists the known names.
const PublishedSet& published_set(const std::string& name);

}  // namespace gps
