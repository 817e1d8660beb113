#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "gps/memory/codecs/codec.h"

namespace gps {

// Each is defined in the file of its name.
CodecEntry raw_entry(), bits_entry(), down_entry(), pack_entry(), webp_entry();

const std::vector<CodecEntry>& codec_catalog() {
  static const std::vector<CodecEntry> catalog = {raw_entry(), bits_entry(), down_entry(),
                                                  pack_entry(), webp_entry()};
  return catalog;
}

std::vector<std::string> codec_texts() {
  std::vector<std::string> all;
  for (const CodecEntry& entry : codec_catalog())
    all.insert(all.end(), entry.texts.begin(), entry.texts.end());
  return all;
}

SharedCodec make_codec(const std::string& text) {
  std::vector<std::string> forms;
  for (const CodecEntry& entry : codec_catalog()) {
    if (std::find(entry.texts.begin(), entry.texts.end(), text) != entry.texts.end()) {
      const std::size_t colon = text.find(':');
      return entry.make(colon == std::string::npos ? "" : text.substr(colon + 1));
    }
    forms.push_back(entry.form);
  }
  throw OptionError("codec", fmt::format("must be {}, got '{}'", join(forms, " or "), text));
}

const SharedCodec& raw_codec() {
  static const SharedCodec raw = make_codec("raw");
  return raw;
}

void Codec::encode(std::span<const std::uint8_t> image, const ImageShape& shape,
                   std::span<std::uint8_t> stored) const {
  assert(image.size() == shape.bytes() && stored.size() == stored_bytes(shape));
  write(image, shape, stored);
}

void Codec::decode(std::span<const std::uint8_t> stored, const ImageShape& shape,
                   std::span<std::uint8_t> image) const {
  assert(image.size() >= shape.bytes());
  if (const std::size_t needed = stored_bytes(shape); stored.size() != needed) {
    throw DataError(fmt::format("a stored image has {} bytes, but codec {} needs {} for {} x {}",
                                stored.size(), name(), needed, shape.height, shape.width));
  }
  read(stored, shape, image.first(shape.bytes()));
}

}  // namespace gps
