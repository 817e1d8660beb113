#include "terminal/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <initializer_list>

namespace gps::cli {

void open_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) != -1) continue;
    // The lowest free number is that of the stream. Standard output cannot be written to: a script
    // should learn that the results are lost.
    const int mode = stream == STDERR_FILENO ? O_WRONLY : O_RDONLY;
    if (open("/dev/null", mode) != stream) return;
  }
}

}  // namespace gps::cli
