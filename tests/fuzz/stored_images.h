// The codecs and shapes of images that the target stored_image tries.
#pragma once

#include <vector>

#include "gps/core/errors.h"
#include "gps/memory/codecs/codec.h"

namespace gps::fuzz {

struct StoredKind {
  SharedCodec codec;
  ImageShape shape;
};

// Every codec with every shape that it accepts.
inline std::vector<StoredKind> stored_kinds() {
  std::vector<StoredKind> kinds;
  for (const std::string& text : codec_texts()) {
    const SharedCodec codec = make_codec(text);
    for (const ImageShape& shape : {ImageShape{1, 28, 28}, ImageShape{3, 32, 32}}) {
      try {
        codec->check(shape);
        kinds.push_back({codec, shape});
      } catch (const OptionError&) {
        continue;
      }
    }
  }
  return kinds;
}

}  // namespace gps::fuzz
