// What every codec of the catalog keeps to, and what single codecs do.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <set>

#include "gps/core/rng.h"
#include "gps/memory/codecs/codec.h"

namespace gps {
namespace codec_contract_test {

using Bytes = std::vector<std::uint8_t>;
using ::testing::HasSubstr;

const std::vector<ImageShape> kShapes = {{1, 28, 28}, {3, 32, 32}, {1, 1, 1}, {3, 5, 7},
                                         {1, 16, 48}, {2, 9, 3},   {1, 1, 9}};

bool accepts(const Codec& codec, const ImageShape& shape) {
  try {
    codec.check(shape);
    return true;
  } catch (const OptionError& error) {
    EXPECT_EQ(error.flag(), "codec");
    EXPECT_THAT(error.what(), HasSubstr(codec.name()));
    return false;
  }
}

Bytes encoded(const Codec& codec, const ImageShape& shape, const Bytes& image) {
  Bytes stored(codec.stored_bytes(shape), 0xA5);
  codec.encode(image, shape, stored);
  return stored;
}

Bytes decoded(const Codec& codec, const ImageShape& shape, const Bytes& stored) {
  Bytes image(shape.bytes(), 0x5A);
  codec.decode(stored, shape, image);
  return image;
}

// Black, white, every value in turn, and noise.
std::vector<Bytes> images_of(const ImageShape& shape) {
  std::vector<Bytes> images = {Bytes(shape.bytes(), 0), Bytes(shape.bytes(), 255),
                               Bytes(shape.bytes()), Bytes(shape.bytes()), Bytes(shape.bytes())};
  Rng rng(3);
  for (std::size_t p = 0; p < shape.bytes(); ++p) {
    images[2][p] = static_cast<std::uint8_t>(p % 256);
    images[3][p] = static_cast<std::uint8_t>(rng.index(256));
    images[4][p] = rng.index(2) == 0 ? 0 : static_cast<std::uint8_t>(rng.index(256));
  }
  return images;
}

template <typename Check>
void for_all_codecs(const Check& check) {
  for (const std::string& text : codec_texts()) {
    const SharedCodec codec = make_codec(text);
    for (const ImageShape& shape : kShapes) {
      if (!accepts(*codec, shape)) continue;
      SCOPED_TRACE(::testing::Message() << text << ", " << shape.channels << " x " << shape.height
                                        << " x " << shape.width);
      check(*codec, shape);
    }
  }
}

TEST(CodecContract, CodecsAreMadeFromTheirNames) {
  const std::vector<std::string> texts = codec_texts();
  EXPECT_EQ(std::set<std::string>(texts.begin(), texts.end()).size(), texts.size());
  for (const std::string& text : texts) EXPECT_EQ(make_codec(text)->name(), text);
}

TEST(CodecContract, StoresAnImageAsTheSameBytesEachTime) {
  for_all_codecs([](const Codec& codec, const ImageShape& shape) {
    for (const Bytes& image : images_of(shape)) {
      const Bytes stored = encoded(codec, shape, image);
      EXPECT_EQ(encoded(codec, shape, image), stored);
      EXPECT_EQ(decoded(codec, shape, stored), decoded(codec, shape, stored));
      if (codec.is_stable()) {
        EXPECT_EQ(encoded(codec, shape, decoded(codec, shape, stored)), stored);
      }
    }
  });
}

TEST(CodecContract, BlackAndWhiteStayAsTheyAre) {
  for_all_codecs([](const Codec& codec, const ImageShape& shape) {
    for (const std::uint8_t value : Bytes{0, 255}) {
      const Bytes image(shape.bytes(), value);
      EXPECT_EQ(decoded(codec, shape, encoded(codec, shape, image)), image);
    }
  });
}

TEST(CodecContract, TakesNoMoreThanThePixels) {
  for_all_codecs([](const Codec& codec, const ImageShape& shape) {
    EXPECT_GE(codec.stored_bytes(shape), 1u);
    EXPECT_LE(codec.stored_bytes(shape), shape.bytes());
  });
}

TEST(CodecContract, RefusesRowsOfAnotherLength) {
  for_all_codecs([](const Codec& codec, const ImageShape& shape) {
    Bytes image(shape.bytes());
    Bytes stored(codec.stored_bytes(shape));
    stored.pop_back();
    EXPECT_THROW(codec.decode(stored, shape, image), DataError);
    stored.resize(stored.size() + 2);
    EXPECT_THROW(codec.decode(stored, shape, image), DataError);
  });
}

// Returns an empty image for bytes that the codec refuses.
Bytes decoded_or_refused(const Codec& codec, const ImageShape& shape, const Bytes& stored) {
  try {
    return decoded(codec, shape, stored);
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr(codec.name()));
    return {};
  }
}

TEST(CodecContract, DecodesOrRefusesAnyBytes) {
  for_all_codecs([](const Codec& codec, const ImageShape& shape) {
    Rng rng(5);
    Bytes stored(codec.stored_bytes(shape));
    for (std::uint8_t& byte : stored) byte = static_cast<std::uint8_t>(rng.index(256));
    EXPECT_EQ(decoded_or_refused(codec, shape, stored), decoded_or_refused(codec, shape, stored));
  });
}

TEST(CodecContract, DecodesOrRefusesBytesWithAnyOneChanged) {
  for_all_codecs([](const Codec& codec, const ImageShape& shape) {
    Rng rng(6);
    const Bytes stored = encoded(codec, shape, images_of(shape)[4]);
    for (int k = 0; k < 50; ++k) {
      Bytes changed = stored;
      changed[rng.index(changed.size())] ^= static_cast<std::uint8_t>(1 + rng.index(255));
      decoded_or_refused(codec, shape, changed);
    }
  });
}

TEST(CodecContract, OnlyRawKeepsPixels) {
  for (const std::string& text : codec_texts())
    EXPECT_EQ(make_codec(text)->keeps_pixels(), text == "raw") << text;
}

TEST(CodecContract, ThoseThatUseNeighboursAreDownPackAndWebp) {
  for (const std::string& text : codec_texts()) {
    const std::string name = text.substr(0, text.find(':'));
    EXPECT_EQ(make_codec(text)->uses_neighbours(),
              name == "down" || name == "pack" || name == "webp")
        << text;
  }
}

TEST(Codec, TextsThatNameNoneAreRefusedWithThoseThatDo) {
  for (const char* text :
       {"",        "Raw",           "raw:1",        "bits",    "bits:", "bits:0", "bits:9",
        "bits:01", "bits:5/dither", "bits:1/noise", "bits:1 ", "down",  "down:1", "down:17",
        "jpeg:80", "pack",          "pack:0",       "pack:17", "webp",  "webp:80"}) {
    try {
      make_codec(text);
      ADD_FAILURE() << text;
    } catch (const OptionError& error) {
      EXPECT_EQ(
          error.what(),
          fmt::format("`codec` must be raw or bits:N (N from 1 to 8) or bits:N/dither (N from "
                      "1 to 4) or down:F (F from 2 to 16) or pack:N (N is 16, 24, 32, 40, 48, 56, "
                      "64, 80 and so on, up to 4096) or webp:N (N is 64, 96, 128, 192 and so on, "
                      "up to 32768), got '{}'",
                      text));
    }
  }
}

TEST(BitsCodec, TakesSoManyBitsForEachValue) {
  const std::vector<std::size_t> digit = {98, 196, 294, 392, 490, 588, 686, 784};
  const std::vector<std::size_t> colour = {384, 768, 1152, 1536, 1920, 2304, 2688, 3072};
  for (std::size_t bits = 1; bits <= 8; ++bits) {
    const SharedCodec codec = make_codec(fmt::format("bits:{}", bits));
    EXPECT_EQ(codec->stored_bytes({1, 28, 28}), digit[bits - 1]);
    EXPECT_EQ(codec->stored_bytes({3, 32, 32}), colour[bits - 1]);
    EXPECT_EQ(codec->stored_bytes({1, 1, 3}), (3 * bits + 7) / 8);
  }
}

// A value is off by at most half of the distance of two levels, and half for the rounding of a
// level to a whole number; a dithered one by less than the whole distance.
TEST(BitsCodec, IsOffByAtMostHalfALevel) {
  const ImageShape shape{1, 16, 16};
  Bytes image(shape.bytes());
  for (std::size_t p = 0; p < image.size(); ++p) image[p] = static_cast<std::uint8_t>(p);
  for (int bits = 1; bits <= 8; ++bits) {
    const double distance = 255.0 / ((1 << bits) - 1);
    for (const bool is_dithered : {false, true}) {
      if (is_dithered && bits > 4) continue;
      const SharedCodec codec =
          make_codec(fmt::format("bits:{}{}", bits, is_dithered ? "/dither" : ""));
      const Bytes again = decoded(*codec, shape, encoded(*codec, shape, image));
      const double most = (is_dithered ? distance : distance / 2) + (bits == 8 ? 0 : 0.5);
      for (std::size_t p = 0; p < image.size(); ++p)
        EXPECT_LE(std::abs(static_cast<int>(again[p]) - static_cast<int>(image[p])), most) << bits;
    }
  }
}

TEST(BitsCodec, PutsTheFirstValueIntoTheLowestBits) {
  EXPECT_EQ(encoded(*make_codec("bits:1"), {1, 1, 10}, {255, 0, 0, 200, 0, 0, 0, 128, 127, 255}),
            (Bytes{0b10001001, 0b10}));
  EXPECT_EQ(encoded(*make_codec("bits:3"), {1, 1, 3}, {255, 0, 73}),
            (Bytes{0b10000111, 0b0}));  // 7, 0 and 2: 73/255 of 7 is 2.004
}

TEST(BitsCodec, DitheringKeepsTheBrightnessOfAnArea) {
  const ImageShape shape{1, 16, 16};
  for (int bits = 1; bits <= 4; ++bits) {
    const SharedCodec plain = make_codec(fmt::format("bits:{}", bits));
    const SharedCodec dithered = make_codec(fmt::format("bits:{}/dither", bits));
    const double distance = 255.0 / ((1 << bits) - 1);
    double worst_plain = 0;
    for (int value = 0; value <= 255; ++value) {
      const Bytes image(shape.bytes(), static_cast<std::uint8_t>(value));
      const auto mean = [&](const SharedCodec& codec) {
        double sum = 0;
        for (const std::uint8_t pixel : decoded(*codec, shape, encoded(*codec, shape, image)))
          sum += pixel;
        return sum / static_cast<double>(shape.bytes());
      };
      // Sixteen thresholds tell values apart that differ by a sixteenth of the distance.
      EXPECT_LE(std::abs(mean(dithered) - value), distance / 32 + 0.5) << bits << ", " << value;
      worst_plain = std::max(worst_plain, std::abs(mean(plain) - value));
    }
    EXPECT_GT(worst_plain, distance / 3);
  }
}

TEST(DownCodec, KeepsTheMeanOfEachBlockOfEachChannel) {
  const ImageShape shape{2, 2, 4};
  const Bytes image = {0, 1, 10, 20, 2, 4, 30, 41, 100, 100, 255, 255, 100, 101, 255, 254};
  const SharedCodec codec = make_codec("down:2");
  const Bytes stored = encoded(*codec, shape, image);
  EXPECT_EQ(stored, (Bytes{2, 25, 100, 255}));  // 1.75, 25.25, 100.25, 254.75
  EXPECT_EQ(decoded(*codec, shape, stored),
            (Bytes{2, 2, 25, 25, 2, 2, 25, 25, 100, 100, 255, 255, 100, 100, 255, 255}));
}

TEST(DownCodec, TakesImagesThatConsistOfWholeBlocks) {
  EXPECT_TRUE(accepts(*make_codec("down:2"), {1, 28, 28}));
  EXPECT_TRUE(accepts(*make_codec("down:7"), {1, 28, 28}));
  EXPECT_FALSE(accepts(*make_codec("down:8"), {1, 28, 28}));
  EXPECT_TRUE(accepts(*make_codec("down:8"), {3, 32, 32}));
  EXPECT_FALSE(accepts(*make_codec("down:2"), {1, 28, 27}));
  EXPECT_EQ(make_codec("down:2")->stored_bytes({1, 28, 28}), 196u);
  EXPECT_EQ(make_codec("down:4")->stored_bytes({3, 32, 32}), 192u);
}

// A round stroke on black, with grey edges: something like a digit.
Bytes drawing(const ImageShape& shape) {
  Bytes image;
  for (int channel = 0; channel < shape.channels; ++channel) {
    for (int y = 0; y < shape.height; ++y) {
      for (int x = 0; x < shape.width; ++x) {
        const double radius = std::hypot(x - shape.width / 2, y - shape.height / 2);
        const double away = std::abs(radius - shape.width / 4.0);
        image.push_back(static_cast<std::uint8_t>(away < 1   ? 255
                                                  : away < 2 ? std::lround(255 * (2 - away))
                                                             : 0));
      }
    }
  }
  return image;
}

TEST(PackCodec, IsExactIfThatFits) {
  for (const ImageShape& shape : {ImageShape{1, 28, 28}, ImageShape{3, 28, 28}}) {
    const Bytes image = drawing(shape);
    const SharedCodec codec = make_codec("pack:512");
    EXPECT_EQ(decoded(*codec, shape, encoded(*codec, shape, image)), image);
  }
}

TEST(PackCodec, NeedsLessThanHalfOfABitForAPixelOfTwoLevels) {
  const ImageShape shape{1, 28, 28};
  Bytes image = drawing(shape);
  for (std::uint8_t& pixel : image) pixel = pixel < 128 ? 0 : 255;
  const SharedCodec codec = make_codec("pack:48");
  EXPECT_EQ(decoded(*codec, shape, encoded(*codec, shape, image)), image);
}

double squared_error(const Bytes& a, const Bytes& b) {
  double sum = 0;
  for (std::size_t p = 0; p < a.size(); ++p) {
    const double difference = int{a[p]} - int{b[p]};
    sum += difference * difference;
  }
  return sum;
}

TEST(PackCodec, IsCloserTheMoreBytesItHas) {
  for (const Bytes& image : {drawing({1, 28, 28}), images_of({1, 28, 28})[3]}) {
    double before = 1e18;
    for (const int size : {16, 32, 64, 128, 256, 512}) {
      const SharedCodec codec = make_codec(fmt::format("pack:{}", size));
      const Bytes stored = encoded(*codec, {1, 28, 28}, image);
      EXPECT_EQ(stored.size(), static_cast<std::size_t>(size));
      const double error = squared_error(decoded(*codec, {1, 28, 28}, stored), image);
      EXPECT_LE(error, before) << size;
      before = error;
    }
  }
}

TEST(PackCodec, WritesAnImageOfLargeBlocksWithOnePixelForEach) {
  const ImageShape shape{1, 28, 28};
  Bytes image(shape.bytes());
  for (std::size_t p = 0; p < image.size(); ++p)
    image[p] = static_cast<std::uint8_t>(p / 28 / 4 * 30 + p % 28 / 4 * 7);
  const Bytes stored = encoded(*make_codec("pack:96"), shape, image);
  EXPECT_EQ(stored[0] / 16, 2) << "halved twice";
  EXPECT_EQ(decoded(*make_codec("pack:96"), shape, stored), image);
}

// Every row that is read leads to the same image when that is stored again: one that could not be
// stored so is refused.
TEST(PackCodec, ReadsOnlyWhatItWouldWrite) {
  Rng rng(7);
  int read = 0;
  for (const ImageShape& shape :
       {ImageShape{1, 28, 28}, ImageShape{1, 5, 7}, ImageShape{3, 8, 8}}) {
    const SharedCodec codec = make_codec("pack:24");
    for (int k = 0; k < 2000; ++k) {
      Bytes stored(codec->stored_bytes(shape));
      for (std::uint8_t& byte : stored) byte = static_cast<std::uint8_t>(rng.index(256));
      stored[0] = static_cast<std::uint8_t>(16 * rng.index(3) + rng.index(10));
      for (std::size_t zero = stored.size() - rng.index(stored.size()); zero < stored.size();
           ++zero)
        stored[zero] = 0;
      const Bytes image = decoded_or_refused(*codec, shape, stored);
      if (image.empty()) continue;
      ++read;
      ASSERT_EQ(decoded(*codec, shape, encoded(*codec, shape, image)), image);
    }
  }
  EXPECT_GT(read, 100) << "most are refused";
}

TEST(PackCodec, RefusesRowsThatNobodyWrote) {
  const ImageShape shape{1, 28, 28};
  const SharedCodec codec = make_codec("pack:96");
  Bytes stored = encoded(*codec, shape, drawing(shape));
  const auto refuses = [&](std::size_t at, int value) {
    Bytes changed = stored;
    changed[at] = static_cast<std::uint8_t>(value);
    return decoded_or_refused(*codec, shape, changed).empty();
  };
  EXPECT_TRUE(refuses(0, 10)) << "there are no such levels";
  EXPECT_TRUE(refuses(0, 15 * 16 + 9)) << "one pixel is halved again";
  stored = encoded(*codec, shape, Bytes(shape.bytes(), 255));
  EXPECT_TRUE(refuses(0, 9)) << "all pixels are the same, so one is enough";
  EXPECT_TRUE(refuses(95, 1)) << "something follows the end";
}

TEST(PackCodec, RefusesImagesOfFewerBytesOrManyChannels) {
  EXPECT_FALSE(accepts(*make_codec("pack:1024"), {1, 28, 28}));
  EXPECT_TRUE(accepts(*make_codec("pack:1024"), {3, 32, 32}));
  EXPECT_FALSE(accepts(*make_codec("pack:16"), {17, 8, 8}));
}

// A photograph: a smooth background, an edge and a little noise.
Bytes photograph(const ImageShape& shape) {
  Rng rng(8);
  Bytes image;
  for (int channel = 0; channel < shape.channels; ++channel) {
    for (int y = 0; y < shape.height; ++y) {
      for (int x = 0; x < shape.width; ++x) {
        const int value = 40 + 3 * y + 2 * x + 20 * channel + (x > y ? 60 : 0);
        image.push_back(static_cast<std::uint8_t>(
            std::min<std::size_t>(255, static_cast<std::size_t>(value) + rng.index(8))));
      }
    }
  }
  return image;
}

double mean_difference(const Bytes& a, const Bytes& b) {
  double sum = 0;
  for (std::size_t p = 0; p < a.size(); ++p) sum += std::abs(int{a[p]} - int{b[p]});
  return sum / static_cast<double>(a.size());
}

TEST(WebpCodec, IsExactIfThatFits) {
  const ImageShape shape{1, 28, 28};
  Bytes stripes(shape.bytes());
  for (std::size_t p = 0; p < stripes.size(); ++p) stripes[p] = p / 28 % 7 < 2 ? 200 : 0;
  const SharedCodec codec = make_codec("webp:256");
  EXPECT_EQ(decoded(*codec, shape, encoded(*codec, shape, stripes)), stripes);
}

TEST(WebpCodec, IsCloserTheMoreBytesItHas) {
  const ImageShape shape{3, 32, 32};
  const Bytes image = photograph(shape);
  double before = 256;
  for (const int size : {96, 256, 1024, 3072}) {
    const SharedCodec codec = make_codec(fmt::format("webp:{}", size));
    const Bytes stored = encoded(*codec, shape, image);
    EXPECT_EQ(stored.size(), static_cast<std::size_t>(size));
    const double difference = mean_difference(decoded(*codec, shape, stored), image);
    EXPECT_LT(difference, before) << size;
    before = difference;
  }
  EXPECT_EQ(before, 0) << "3072 bytes hold it without loss";
}

TEST(WebpCodec, HalvesWhatDoesNotFitAtAnyQuality) {
  const ImageShape shape{3, 64, 64};
  const SharedCodec codec = make_codec("webp:64");
  const Bytes noise = images_of(shape)[3];
  const Bytes stored = encoded(*codec, shape, noise);
  EXPECT_GE(stored[0], 1);
  EXPECT_LT(mean_difference(decoded(*codec, shape, stored), Bytes(shape.bytes(), 128)), 64);
}

TEST(WebpCodec, RefusesImagesOfFewerBytesOrOtherChannels) {
  const auto complaint = [](const ImageShape& shape) -> std::string {
    try {
      make_codec("webp:1024")->check(shape);
      return "";
    } catch (const OptionError& error) {
      return error.what();
    }
  };
  EXPECT_EQ(complaint({3, 32, 32}), "");
  EXPECT_EQ(
      complaint({1, 28, 28}),
      "`codec` webp:1024 takes more than the 784 bytes of the pixels; use raw or fewer bytes");
  EXPECT_EQ(complaint({2, 32, 32}),
            "`codec` webp:1024 needs grey or coloured images, but these have 2 channels");
}

}  // namespace codec_contract_test
}  // namespace gps
