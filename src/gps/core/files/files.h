// Whole files: written so that a crash leaves the old one or the new one, and read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace gps {

// Writes to PATH.tmp, syncs it, renames it to PATH and syncs the folder. What PATH held before is
// renamed to `previous` first, if that is named. Throws DataError with the reason; then no
// half-written file is left, unless the program is killed. If PATH exists and is not a file (a
// device, for example), it is not changed.
void write_file(const std::filesystem::path& path, std::string_view bytes,
                const std::filesystem::path& previous = {});

// Throws the DataError that write_file(path, …) would throw, as far as it can be known before there
// are bytes to write: no folder, no permission, not a file. Does not change PATH.
void check_can_be_written(const std::filesystem::path& path);

// The same as write_file for code that writes files itself. `write` makes a file under the name it
// is given, in the same folder; that file is then renamed to `file`.
void write_whole(const std::filesystem::path& file,
                 const std::function<void(const std::filesystem::path&)>& write);

// Everything that was written below the folder reaches the disk: what was built there can then be
// given its name. Throws DataError.
void sync_file_system(const std::filesystem::path& folder);

// What was made, renamed or removed in the folder stays so if the machine stops. Not all file
// systems can; those are left alone.
void sync_folder(const std::filesystem::path& folder);

// Throws DataError if it cannot be read.
std::string read_file(const std::filesystem::path& path);

// CRC-32; `before` is that of what comes before the bytes.
std::uint32_t checksum(std::string_view bytes, std::uint32_t before = 0);

}  // namespace gps
