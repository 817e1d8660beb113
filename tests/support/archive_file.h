// Archives made for a test, good ones and others.
#pragma once

#include <archive.h>
#include <archive_entry.h>

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace gps::testing {

struct ArchiveEntry {
  std::string name;
  std::string text = "";  // a file's content, a link's target
  unsigned kind = AE_IFREG;
  bool is_hard_link = false;
};

// Writes a .zip, or a tar file that is gzipped if its name says so.
inline void write_archive(const std::filesystem::path& path,
                          const std::vector<ArchiveEntry>& entries) {
  const std::unique_ptr<archive, int (*)(archive*)> out(archive_write_new(), &archive_write_free);
  const auto check = [&](la_ssize_t code) {
    if (code < ARCHIVE_OK) throw std::runtime_error(archive_error_string(out.get()));
  };
  if (path.extension() == ".zip") {
    check(archive_write_set_format_zip(out.get()));
  } else {
    check(archive_write_set_format_ustar(out.get()));
    if (path.extension() == ".gz") check(archive_write_add_filter_gzip(out.get()));
  }
  std::filesystem::create_directories(path.parent_path());
  check(archive_write_open_filename(out.get(), path.c_str()));
  for (const ArchiveEntry& each : entries) {
    const std::unique_ptr<archive_entry, void (*)(archive_entry*)> entry(archive_entry_new(),
                                                                         &archive_entry_free);
    archive_entry_set_pathname(entry.get(), each.name.c_str());
    archive_entry_set_filetype(entry.get(), each.kind);
    archive_entry_set_perm(entry.get(), 0644);
    const bool is_file = each.kind == AE_IFREG && !each.is_hard_link;
    if (each.kind == AE_IFLNK) archive_entry_set_symlink(entry.get(), each.text.c_str());
    if (each.is_hard_link) archive_entry_set_hardlink(entry.get(), each.text.c_str());
    archive_entry_set_size(entry.get(), is_file ? static_cast<la_int64_t>(each.text.size()) : 0);
    check(archive_write_header(out.get(), entry.get()));
    if (is_file) check(archive_write_data(out.get(), each.text.data(), each.text.size()));
  }
  check(archive_write_close(out.get()));
}

// All files below the folder as entries, named from its parent: "<folder>/…".
inline std::vector<ArchiveEntry> entries_of(const std::filesystem::path& folder,
                                            std::string (*read)(const std::filesystem::path&)) {
  std::vector<ArchiveEntry> entries;
  for (const auto& each : std::filesystem::recursive_directory_iterator(folder)) {
    if (!each.is_regular_file()) continue;
    const auto name = std::filesystem::relative(each.path(), folder.parent_path());
    entries.push_back({name.string(), read(each.path())});
  }
  return entries;
}

}  // namespace gps::testing
