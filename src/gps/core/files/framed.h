// Files that say what they are and whether they are whole. Before the body stand words that name
// the kind of file, the number of its format, and the checksum and size of the body:
//
//   words | format (4 bytes) | CRC-32 of the body (4) | size of the body (8) | body
//
// Numbers are little-endian. Error messages are the end of a sentence that begins with the file's
// name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gps/core/errors.h"

namespace gps {

struct FileKind {
  std::string_view name;   // "a checkpoint"
  std::string_view words;  // what it begins with
  std::uint32_t format;    // the newest that this program knows
};

struct Unframed {
  std::string body;
  std::uint32_t format;
};

// Whole, perhaps, but of a format that this program does not know.
class NewerFormat : public DataError {
 public:
  using DataError::DataError;
};

std::string framed(const FileKind& kind, const std::string& body);

// Throws NewerFormat, or DataError if `bytes` are another kind of file or not whole.
Unframed unframed(const FileKind& kind, const std::string& bytes);

}  // namespace gps
