// Standard input, output and error that the caller has closed.
#pragma once

namespace gps::cli {

// Opens /dev/null for each of the descriptors 0 to 2 that is closed. Otherwise the next file that
// is opened gets the number, and messages or results are written into it. Messages are dropped
// then; writing results is an error, as it is on a closed descriptor. To be called first in main.
void open_standard_streams();

}  // namespace gps::cli
