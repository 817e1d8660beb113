#include "gps/report/page/contact_sheet.h"

#include <gtest/gtest.h>
#include <png.h>

namespace gps {
namespace contact_sheet_test {

struct Picture {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> pixels;
};

Picture decoded(const std::string& png, png_uint_32 format) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_memory(&image, png.data(), png.size()), 0);
  image.format = format;
  Picture picture{static_cast<int>(image.width), static_cast<int>(image.height), {}};
  picture.pixels.resize(PNG_IMAGE_SIZE(image));
  EXPECT_NE(png_image_finish_read(&image, nullptr, picture.pixels.data(), 0, nullptr), 0);
  return picture;
}

// n images of one grey each: 10, 20, … of tasks 1, 2, 1, 2, …
ExportedMemory memory_of(int n, const ImageShape& shape) {
  ExportedMemory memory;
  memory.shape = shape;
  for (int k = 0; k < n; ++k) {
    memory.images.insert(memory.images.end(), shape.bytes(),
                         static_cast<std::uint8_t>(10 * (k + 1)));
    memory.tasks.push_back(1 + k % 2);
    memory.labels.push_back(k);
    memory.is_in_ring.push_back(k == 0);
  }
  return memory;
}

TEST(ContactSheet, LaysImagesRowByRow) {
  const ContactSheet sheet = contact_sheet(memory_of(5, {1, 2, 3}));
  EXPECT_EQ(sheet.columns, 3);
  ASSERT_EQ(sheet.tiles.size(), 5u);
  EXPECT_TRUE(sheet.tiles[0].is_in_ring);
  EXPECT_FALSE(sheet.tiles[1].is_in_ring);
  EXPECT_EQ(sheet.tiles[3].task, 2);
  EXPECT_EQ(sheet.tiles[3].label, 3);
  const Picture picture = decoded(sheet.png, PNG_FORMAT_GRAY);
  ASSERT_EQ(picture.width, 9);
  ASSERT_EQ(picture.height, 4);
  EXPECT_EQ(picture.pixels[0], 10);
  EXPECT_EQ(picture.pixels[8], 30);
  EXPECT_EQ(picture.pixels[2 * 9 + 2], 40) << "the fourth begins the second row";
  EXPECT_EQ(picture.pixels[3 * 9 + 8], 0) << "no sixth";
}

TEST(ContactSheet, KeepsColours) {
  ExportedMemory memory = memory_of(1, {3, 1, 2});
  memory.images = {1, 2, 30, 40, 100, 200};  // channel by channel
  const Picture picture = decoded(contact_sheet(memory).png, PNG_FORMAT_RGB);
  EXPECT_EQ(picture.pixels, (std::vector<std::uint8_t>{1, 30, 100, 2, 40, 200}));
}

TEST(ContactSheet, ShrinksLargeImagesByMeans) {
  ExportedMemory memory = memory_of(1, {1, 64, 64});
  memory.images[0] = 50;  // with three of 10
  const ContactSheet sheet = contact_sheet(memory);
  EXPECT_EQ(sheet.width, 32);
  EXPECT_EQ(decoded(sheet.png, PNG_FORMAT_GRAY).pixels[0], 20);
}

TEST(ContactSheet, ShowsSomeOfEachTaskWhereThereAreTooMany) {
  const ContactSheet sheet = contact_sheet(memory_of(10, {1, 2, 2}), /*most=*/4);
  EXPECT_EQ(sheet.stored, 10u);
  ASSERT_EQ(sheet.tiles.size(), 4u);
  EXPECT_EQ(sheet.tiles[0].label, 0);
  EXPECT_EQ(sheet.tiles[1].label, 1);
  EXPECT_EQ(sheet.tiles[2].label, 6) << "every third of task 1: 0, 6";
}

}  // namespace contact_sheet_test
}  // namespace gps
