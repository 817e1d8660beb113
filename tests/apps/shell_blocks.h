// The commands of a document.
#pragma once

#include <string>

#include "apps/program.h"

namespace gps::testing {

// The lines of all ```sh blocks.
inline std::string shell_blocks_of(const std::string& text) {
  std::string commands;
  bool is_shell = false;
  for (const std::string& line : lines_of(text)) {
    if (line.starts_with("```")) {
      is_shell = !is_shell && line.starts_with("```sh");
    } else if (is_shell) {
      commands += line + "\n";
    }
  }
  return commands;
}

}  // namespace gps::testing
