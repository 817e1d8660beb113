// Files that state their kind and can be checked for damage. Before the body stand words that name
// the kind of file, the format number, a checksum, and the size of the body:
//
//   words | format (4 bytes) | CRC-32 (4) | size of the body (8) | body
//
// Numbers are little-endian. The checksum is that of the format, the size and the body, so that a
// damaged format is not taken for a newer one. In formats before `checked_from` it is that of the
// body alone. Every later format must keep this frame. Error messages continue a sentence that
// begins with the file's name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gps/core/errors.h"

namespace gps {

struct FileKind {
  std::string_view name;           // "a checkpoint"
  std::string_view words;          // the words at the beginning of the file
  std::uint32_t format;            // the newest format that this program knows
  std::uint32_t checked_from = 1;  // the first format whose number is part of the checksum
};

struct Unframed {
  std::string body;
  std::uint32_t format;
};

// The file is intact, but its format is newer than this program.
class NewerFormat : public DataError {
 public:
  using DataError::DataError;
};

std::string framed(const FileKind& kind, const std::string& body);

// Throws NewerFormat, or DataError if `bytes` are another kind of file or damaged.
Unframed unframed(const FileKind& kind, const std::string& bytes);

}  // namespace gps
