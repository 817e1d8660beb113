// Where -o says that a result goes.
#pragma once

#include <string>

namespace gps::cli {

// Throws DataError if nothing can be written there: to be called before the work. What is there
// stays as it is. "", "-" and /dev/stdout are standard output.
void check_output(const std::string& output);

// A file is replaced as a whole, also where a link leads to it; a device or a pipe is written to.
void write_output(const std::string& text, const std::string& output);

// Does a result go to standard output, where nothing else should be printed then?
bool is_standard_output(const std::string& output);

}  // namespace gps::cli
