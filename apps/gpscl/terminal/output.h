// Writes a result to the place that -o names.
#pragma once

#include <string>

namespace gps::cli {

// The error of a command whose results do not get to standard output.
inline constexpr const char* kOutputFailed =
    "standard output cannot be written to; is the disk full?";

// Throws DataError if `output` cannot be written. To be called before the work starts. Does not
// change an existing file. "", "-" and /dev/stdout mean standard output.
void check_output(const std::string& output);

// Replaces a file as a whole, also if `output` is a link to it. Writes directly to a device or a
// pipe.
void write_output(const std::string& text, const std::string& output);

// Returns whether the result goes to standard output. If so, nothing else should be printed there.
bool is_standard_output(const std::string& output);

}  // namespace gps::cli
