// What reading labelled images has in common for a task to learn and for images to test on.
#pragma once

#include <string>
#include <vector>

#include "gps/data/images/decode_image.h"
#include "gps/data/loading.h"
#include "terminal/load_display.h"

namespace gps::cli {

// The hooks refer to all three.
LoadHooks hooks_for(Executor& executor, const StopFlag& stop, LoadDisplay& display);

// Throws DataError that names the images of `data` that could not be read, unless they may be
// skipped; then names them on standard error. `all` is the number of images.
void settle_bad(const std::string& data, const std::vector<BadImage>& bad, std::size_t all,
                bool skips);

}  // namespace gps::cli
