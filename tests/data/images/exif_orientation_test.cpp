#include "gps/data/images/exif_orientation.h"

#include <gmock/gmock.h>

#include "gps/core/rng.h"
#include "gps/data/images/jpeg.h"
#include "support/jpeg_file.h"

namespace gps {
namespace exif_orientation_test {

using testing::exif_segment;
using testing::jpeg_file;
using testing::with_segment;

std::span<const std::uint8_t> span_of(const std::string& file) {
  return {reinterpret_cast<const std::uint8_t*>(file.data()), file.size()};
}

int orientation_with(const std::string& segment) {
  return exif_orientation(span_of(with_segment(jpeg_file({9}, 8, 8), 0xE1, segment)));
}

// The rows of an image with a letter for each pixel.
std::vector<std::string> rows_of(const Pixels& image) {
  std::vector<std::string> rows;
  for (int y = 0; y < image.height; ++y) {
    const auto* row = image.values.data() + y * image.width;
    rows.emplace_back(row, row + image.width);
  }
  return rows;
}

TEST(ExifOrientation, IsFoundInBothByteOrders) {
  for (int orientation = 1; orientation <= 8; ++orientation) {
    EXPECT_EQ(orientation_with(exif_segment(orientation)), orientation);
    EXPECT_EQ(orientation_with(exif_segment(orientation, /*is_little_endian=*/false)), orientation);
  }
}

TEST(ExifOrientation, IsFoundAfterOtherSegments) {
  const std::string file = with_segment(jpeg_file({9}, 8, 8), 0xE1, exif_segment(6));
  EXPECT_EQ(exif_orientation(span_of(with_segment(file, 0xE1, "http://ns.adobe.com/xap/1.0/"))), 6);
  EXPECT_EQ(exif_orientation(span_of(with_segment(file, 0xE2, "a profile"))), 6);
}

TEST(ExifOrientation, IsOneWhereThereIsNoneOrItCannotBeRead) {
  EXPECT_EQ(exif_orientation({}), 1);
  EXPECT_EQ(exif_orientation(span_of("no image")), 1);
  EXPECT_EQ(exif_orientation(span_of(jpeg_file({9}, 8, 8))), 1);
  EXPECT_EQ(orientation_with(exif_segment(0)), 1);
  EXPECT_EQ(orientation_with(exif_segment(9)), 1);
  const std::string whole = exif_segment(6);
  const std::size_t end = whole.find(std::string("\x12\x01", 2)) + 10;  // of the value
  for (std::size_t length = 0; length < end; ++length)
    EXPECT_EQ(orientation_with(whole.substr(0, length)), 1) << length;
  EXPECT_EQ(orientation_with(whole.substr(0, end)), 6);
}

TEST(ExifOrientation, OfDamagedBlocksIsSomeOrientation) {
  const std::string whole = with_segment(jpeg_file({9}, 8, 8), 0xE1, exif_segment(6));
  Rng rng(1);
  for (int trial = 0; trial < 2000; ++trial) {
    std::string damaged = whole.substr(0, rng.index(whole.size() + 1));
    for (int k = 0; k < 3 && !damaged.empty(); ++k)
      damaged[rng.index(std::min<std::size_t>(damaged.size(), 48))] =
          static_cast<char>(rng.index(256));
    const int found = exif_orientation(span_of(damaged));
    EXPECT_TRUE(found >= 1 && found <= 8) << found;
  }
}

TEST(ExifOrientation, SaysHowAnImageIsTurned) {
  const Pixels image{3, 2, 1, {'a', 'b', 'c', 'd', 'e', 'f'}};
  const std::vector<std::vector<std::string>> upright = {
      {"abc", "def"},     {"cba", "fed"},     {"fed", "cba"},     {"def", "abc"},
      {"ad", "be", "cf"}, {"da", "eb", "fc"}, {"fc", "eb", "da"}, {"cf", "be", "ad"}};
  for (int orientation = 1; orientation <= 8; ++orientation)
    EXPECT_EQ(rows_of(turned_upright(image, orientation)),
              upright[static_cast<std::size_t>(orientation - 1)])
        << orientation;
}

TEST(ExifOrientation, KeepsTheChannelsOfAPixelTogether) {
  const Pixels image{2, 1, 3, {1, 2, 3, 4, 5, 6}};
  EXPECT_THAT(turned_upright(image, 2).values, ::testing::ElementsAre(4, 5, 6, 1, 2, 3));
}

TEST(ExifOrientation, IsAppliedToJpegFiles) {
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const std::string file =
        with_segment(jpeg_file({200, 100, 50}, 16, 8), 0xE1, exif_segment(orientation));
    const ImageHeader expected = orientation < 5 ? ImageHeader{16, 8, 3} : ImageHeader{8, 16, 3};
    EXPECT_EQ(read_jpeg_header(span_of(file)), expected);
    const Pixels image = read_jpeg(span_of(file), 3);
    EXPECT_EQ(image.width, expected.width);
    EXPECT_EQ(image.height, expected.height);
  }
}

}  // namespace exif_orientation_test
}  // namespace gps
