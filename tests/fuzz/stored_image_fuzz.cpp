// Stored images of every codec. The first byte chooses the codec, the second the shape, and the
// rest is the row, which is cut or filled up with zeros.
#include "fuzz/fuzz.h"
#include "fuzz/stored_images.h"
#include "gps/memory/codecs/codec.h"

namespace gps::fuzz {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  static const std::vector<StoredKind> kinds = stored_kinds();
  const StoredKind& kind = kinds[(data[0] + std::size_t{256} * data[1]) % kinds.size()];
  std::vector<std::uint8_t> row(data + 2, data + size);
  row.resize(kind.codec->stored_bytes(kind.shape));
  std::vector<std::uint8_t> image(kind.shape.bytes());
  if (!is_readable([&] { kind.codec->decode(row, kind.shape, image); })) return 0;
  touch(image);
  kind.codec->encode(image, kind.shape, row);
  std::vector<std::uint8_t> again(image.size());
  require(is_readable([&] { kind.codec->decode(row, kind.shape, again); }),
          "what a codec writes, it reads");
  if (kind.codec->is_stable())
    require(again == image, "an image that was decoded loses nothing when it is stored again");
  return 0;
}

}  // namespace gps::fuzz
