// A file of lines to which lines are only added, for logs that must survive a crash. A line is
// there once append_line() has returned. A process that is killed meanwhile leaves the line,
// nothing of it, or a torn part at the end, without a line feed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace gps {

// Returns all whole lines, without their line feeds; nothing if there is no such file. Throws
// DataError if it cannot be read.
std::vector<std::string> read_whole_lines(const std::filesystem::path& path);

// Removes a torn part at the end. Returns the number of its bytes. Throws DataError if that fails.
// REQUIRES: nobody else appends.
std::size_t remove_torn_line(const std::filesystem::path& path);

// Adds a line, and makes sure that it has reached the disk. Throws DataError with the reason; then
// nothing is added. REQUIRES: nobody else appends; the file does not end with a torn line; the line
// has no line feed.
void append_line(const std::filesystem::path& path, const std::string& line);

}  // namespace gps
