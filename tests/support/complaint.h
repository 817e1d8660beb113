// What is wrong with an option.
#pragma once

#include <string>

#include "gps/core/option.h"

namespace gps::testing {

// Returns the message of the OptionError that the function throws, or "(fine)".
template <typename Function>
std::string complaint(const Function& function) {
  try {
    function();
  } catch (const OptionError& error) {
    return error.what();
  }
  return "(fine)";
}

}  // namespace gps::testing
