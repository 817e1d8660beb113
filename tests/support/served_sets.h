// Small sets in the layout of the public ones, with what a server of them would have.
#pragma once

#include <zlib.h>

#include <map>

#include "gps/data/sets/checksum.h"
#include "gps/data/sets/published_sets.h"
#include "support/archive_file.h"
#include "support/temporary_folder.h"
#include "support/tiny_sets.h"

namespace gps::testing {

inline std::string gzipped(const std::string& bytes, int level = 6) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "file.gz").string();
  gzFile out = gzopen(path.c_str(), ("wb" + std::to_string(level)).c_str());
  gzwrite(out, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(out);
  return read_file(path);
}

struct ServedSet {
  PublishedSet set;                          // without sources
  std::map<std::string, std::string> files;  // what is published, by name

  // The files as a server has them, below a path that ends in a slash.
  std::map<std::string, std::string> below(const std::string& path) const {
    std::map<std::string, std::string> all;
    for (const auto& [name, bytes] : files) all[path + name] = bytes;
    return all;
  }
};

inline std::string sha256_of_bytes(const std::string& bytes) {
  Sha256 sum;
  sum.add(bytes);
  return sum.digits();
}

// The set `name` with these bytes as its archive.
inline ServedSet served_archive(const std::string& name, const std::string& bytes) {
  ServedSet served{published_set(name), {}};
  served.set.sources.clear();
  PublishedFile& file = served.set.files.front();
  file.bytes = bytes.size();
  file.sha256 = sha256_of_bytes(bytes);
  served.files[file.name] = bytes;
  return served;
}

inline ServedSet served_archive(const std::string& name, const std::vector<ArchiveEntry>& entries) {
  const TemporaryFolder folder;
  const auto archive = folder.path() / published_set(name).archive();
  write_archive(archive, entries);
  return served_archive(name, read_file(archive));
}

inline ServedSet served_tiny_cifar_10() {
  const TemporaryFolder folder;
  write_tiny_cifar_10(folder.path());
  return served_archive("cifar-10", entries_of(folder.path() / "cifar-10-batches-bin", &read_file));
}

inline ServedSet served_tiny_mnist() {
  const TemporaryFolder folder;
  write_tiny_mnist(folder.path());
  ServedSet served{published_set("mnist"), {}};
  served.set.sources.clear();
  for (PublishedFile& file : served.set.files) {
    const std::string plain =
        read_file(folder.path() / "mnist" / file.name.substr(0, file.name.size() - 3));
    served.files[file.name] = gzipped(plain);
    file.bytes = served.files[file.name].size();
    file.sha256 = sha256_of_bytes(plain);
  }
  return served;
}

}  // namespace gps::testing
