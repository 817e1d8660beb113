// Files that appear whole or not at all.
#pragma once

#include <filesystem>
#include <functional>

namespace gps {

// `write` makes a file under the name it is given, in the same folder, which then takes the name of
// `file`. Throws DataError where that fails, and leaves nothing behind.
void write_whole(const std::filesystem::path& file,
                 const std::function<void(const std::filesystem::path&)>& write);

}  // namespace gps
