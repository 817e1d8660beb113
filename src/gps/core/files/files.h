// Reads whole files, and writes them so that a crash leaves either the old or the new file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace gps {

// Writes to a temporary file in the same folder, syncs it, renames it to PATH and syncs the folder.
// If `previous` is given, the old PATH is renamed to `previous` before. Throws DataError with the
// reason; then no half-written file is left, unless the program is killed. If PATH exists and is
// not a file (a device, for example), it is not changed.
//
// The temporary file is called PATH.tmp; if another program is writing PATH, or something else has
// that name, PATH.XXXXXXXX.tmp with eight random hexadecimal digits. It is new and belongs to this
// call alone, so several programs can write PATH at the same time, and the last one to finish wins.
// Links with such names are not followed. The file is locked (flock) until it has its final name. A
// PATH.tmp without a lock is what a killed program left, and is removed.
void write_file(const std::filesystem::path& path, std::string_view bytes,
                const std::filesystem::path& previous = {});

// Throws the DataError that write_file(path, …) would throw, as far as this is known before
// writing: no folder, no permission, or not a file. Does not change PATH.
void check_can_be_written(const std::filesystem::path& path);

// The same as write_file for code that writes the file itself. `write` fills the temporary file
// whose name it is given; that file is there and empty, and is then renamed to `file`.
void write_whole(const std::filesystem::path& file,
                 const std::function<void(const std::filesystem::path&)>& write);

// Removes the PATH.tmp that a killed program left when it wrote PATH. A file that a program is
// writing is locked and stays. write_file and write_whole do this first.
void remove_leftovers(const std::filesystem::path& path);

// Makes sure that everything written below the folder has reached the disk, so that the folder can
// then be renamed to its final name. Throws DataError.
void sync_file_system(const std::filesystem::path& folder);

// Makes sure that files created, renamed or removed in the folder stay so if the machine stops.
// Does nothing on file systems that do not support this.
void sync_folder(const std::filesystem::path& folder);

// Throws DataError if the file cannot be read. Refuses pipes and devices: reading one may wait for
// ever.
std::string read_file(const std::filesystem::path& path);

// Throws the DataError that read_file(path) would throw, as far as this is known before reading. To
// be called before other code opens the file.
void check_can_be_read(const std::filesystem::path& path);

// Returns the CRC-32; `before` is the CRC-32 of the preceding bytes.
std::uint32_t checksum(std::string_view bytes, std::uint32_t before = 0);

}  // namespace gps
