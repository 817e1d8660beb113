#include "gps/data/images/decode_image.h"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "gps/core/errors.h"
#include "gps/core/rng.h"
#include "support/gif_file.h"
#include "support/jpeg_file.h"
#include "support/png_file.h"
#include "support/temporary_folder.h"
#include "support/tiny_data.h"
#include "support/webp_file.h"

namespace gps {
namespace decode_image_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::jpeg_file;
using testing::plain_png;
using testing::plain_webp;
using testing::png_file;
using ::testing::SizeIs;
using Bytes = std::vector<std::uint8_t>;

std::span<const std::uint8_t> span_of(const std::string& file) {
  return {reinterpret_cast<const std::uint8_t*>(file.data()), file.size()};
}

Bytes decode(const std::string& file, const ImageShape& shape) {
  Bytes out(shape.bytes(), 7);
  decode_image(span_of(file), "x", shape, out);
  return out;
}

std::string error(const std::string& file) {
  try {
    decode(file, {1, 2, 2});
  } catch (const DataError& refusal) {
    return refusal.what();
  }
  return "no error";
}

TEST(DecodeImage, TellsTheKindByItsContent) {
  EXPECT_THAT(decode(png_file(2, 1, {5, 9}), {1, 1, 2}), ElementsAre(5, 9));
  for (const auto value : decode(jpeg_file({100}, 8, 8), {1, 8, 8})) EXPECT_NEAR(value, 100, 3);
  EXPECT_EQ(error("BM and so on"), "x: is neither JPEG, PNG, WebP nor GIF");
  EXPECT_EQ(error(""), "x: is empty");
}

TEST(DecodeImage, GivesTheChannelsThatAreWanted) {
  EXPECT_THAT(decode(png_file(2, 1, {5, 9}), {3, 1, 2}), ElementsAre(5, 9, 5, 9, 5, 9));
  EXPECT_THAT(decode(plain_png({255, 0, 0}, 1, 1), {1, 1, 1}), ElementsAre(76));
  EXPECT_THAT(decode(plain_png({1, 2, 3}, 2, 1), {3, 1, 2}), ElementsAre(1, 1, 2, 2, 3, 3));
  const Bytes luma = decode(jpeg_file({255, 0, 0}, 8, 8), {1, 8, 8});
  EXPECT_NEAR(luma[0], 76, 3);
}

TEST(DecodeImage, GivesTheSizeThatIsWanted) {
  EXPECT_THAT(decode(png_file(4, 2, {10, 20, 30, 40, 50, 61, 71, 81}), {1, 1, 2}),
              ElementsAre(35, 56));
  const Bytes grown = decode(jpeg_file({200, 100, 50}, 3, 5), {3, 10, 9});
  EXPECT_NEAR(grown.front(), 200, 3);
  EXPECT_NEAR(grown.back(), 50, 3);
}

TEST(DecodeImage, NamesWhatIsDamaged) {
  const std::string png = png_file(2, 2, {1, 2, 3, 4});
  EXPECT_EQ(error(png.substr(0, 40)), "x: is not an intact PNG image (the file ends early)");
  EXPECT_THAT(error(jpeg_file({9}).substr(0, 100)), HasSubstr("x: is not an intact JPEG image"));
}

TEST(DecodeImage, TellsTheNameAndTheReasonApart) {
  std::vector<std::uint8_t> out(ImageShape{1, 4, 4}.bytes());
  try {
    decode_image({}, "a: b.png", {1, 4, 4}, out);
    FAIL();
  } catch (const ImageError& error) {
    EXPECT_EQ(error.name(), "a: b.png");
    EXPECT_EQ(error.reason(), "is empty");
    EXPECT_STREQ(error.what(), "a: b.png: is empty");
  }
}

TEST(DecodeImage, RefusesWhatIsTooLarge) {
  std::string file = jpeg_file({9});
  const std::size_t frame = file.find("\xFF\xC0");
  ASSERT_NE(frame, std::string::npos);
  file.replace(frame + 5, 4, "\xF0\xF0\xF0\xF0");
  EXPECT_EQ(error(file), "x: is 61680 x 61680 pixels; expected at most 67108864 in all");
}

TEST(DecodeImage, RefusesAShortJpegThatAnnouncesManyPixels) {
  std::string file = jpeg_file({9, 9, 9});
  const std::size_t frame = file.find("\xFF\xC0");
  ASSERT_NE(frame, std::string::npos);
  file.replace(frame + 5, 4, std::string("\x20\0\x20\0", 4));
  EXPECT_EQ(error(file), "x: is not an intact JPEG image (the file ends early)");
}

TEST(DecodeImage, TakesJpegsWithNothingInThem) {
  for (const bool is_progressive : {false, true}) {
    const std::string file = jpeg_file({100}, 2000, 2000, is_progressive);
    for (const auto value : decode(file, {1, 2, 2})) EXPECT_NEAR(value, 100, 3);
  }
}

TEST(DecodeImage, ReadsHeadersWithoutDecoding) {
  EXPECT_EQ(read_image_header(span_of(png_file(2, 1, {5, 9})), "x"), (ImageHeader{2, 1, 1}));
  EXPECT_EQ(read_image_header(span_of(jpeg_file({1, 2, 3}, 30, 20)), "x"),
            (ImageHeader{30, 20, 3}));
  EXPECT_THROW(read_image_header(span_of("no image"), "x"), DataError);
}

class Files : public ::testing::Test {
 protected:
  void add(const std::string& name, const std::string& bytes) {
    testing::write_file(folder.path() / name, bytes);
    files.push_back({folder.path() / name, "", "", Split::unsaid});
  }
  testing::TemporaryFolder folder;
  std::vector<ImageFile> files;
};

TEST_F(Files, AreDecodedInTheirOrderAndTheBadOnesToldApart) {
  add("a.png", plain_png({1}, 2, 2));
  add("b.png", "no image");
  add("c.png", plain_png({3}, 2, 2));
  add("empty.png", "");
  files.push_back({folder.path() / "missing.png", "", "", Split::unsaid});
  files.push_back({folder.path(), "", "", Split::unsaid});
  add("d.png", plain_png({4}, 4, 4));
  const DecodedImages images = decode_images(files, {1, 2, 1}, {});
  EXPECT_THAT(images.bytes, ElementsAre(1, 1, 3, 3, 4, 4));
  EXPECT_THAT(images.good, ElementsAre(0, 2, 6));
  ASSERT_THAT(images.bad, SizeIs(4));
  EXPECT_EQ(images.bad[0].path, folder.path() / "b.png");
  EXPECT_EQ(images.bad[0].reason, "is neither JPEG, PNG, WebP nor GIF");
  EXPECT_EQ(images.bad[1].reason, "is empty");
  EXPECT_EQ(images.bad[2].reason, "cannot be read: No such file or directory");
  EXPECT_EQ(images.bad[3].reason, "is not a file");
}

TEST_F(Files, AreKnownByTheirContentWhateverTheirNames) {
  add("a.jpg", plain_png({100}, 8, 8));
  add("b.png", jpeg_file({100}, 8, 8));
  add("c.jpeg", plain_webp({100, 100, 100, 255}, 8, 8));
  add("d.webp", testing::gif_file(1, 1, {1}, {.palette = {{0, 0, 0}, {100, 100, 100}}}));
  add("e", plain_png({100}, 8, 8));
  const DecodedImages images = decode_images(files, {1, 1, 1}, {});
  EXPECT_THAT(images.bad, IsEmpty());
  ASSERT_THAT(images.bytes, SizeIs(5));
  for (const auto value : images.bytes) EXPECT_NEAR(value, 100, 3);
}

TEST_F(Files, AreTheSameForAnyNumberOfWorkers) {
  Rng rng(1);
  for (int i = 0; i < 300; ++i) {
    Bytes noise(30);
    for (auto& value : noise) value = static_cast<std::uint8_t>(rng.index(256));
    add(std::to_string(i) + ".png", i % 50 == 3 ? "bad" : png_file(6, 5, noise));
  }
  const DecodedImages alone = decode_images(files, {1, 4, 4}, {});
  EXPECT_THAT(alone.bad, SizeIs(6));
  Executor executor(4);
  std::size_t last = 0;
  const DecodedImages together =
      decode_images(files, {1, 4, 4}, {&executor, nullptr, [&](const LoadProgress& now) {
                                         EXPECT_EQ(now.total, 300u);
                                         last = now.done;
                                       }});
  EXPECT_EQ(last, 300u);
  EXPECT_EQ(together.bytes, alone.bytes);
  EXPECT_EQ(together.good, alone.good);
  EXPECT_EQ(together.bad.front().path, alone.bad.front().path);
}

TEST_F(Files, ThatNeedMoreMemoryThanThereIsAreBad) {
#ifdef GPSCL_SANITIZED
  GTEST_SKIP() << "not checked: an image that needs more memory than there is; to check: run a "
                  "build without sanitizers, which need address space without end";
#endif
  add("a.png", plain_png({1}, 2, 2));
  // A bit a pixel in the file, three bytes in memory.
  add("large.png", png_file(8000, 8000, Bytes(8'000'000, 0),
                            {.colour_type = PNG_COLOR_TYPE_PALETTE,
                             .bit_depth = 1,
                             .palette = {{1, 1, 1}, {2, 2, 2}}}));
  add("b.png", plain_png({2}, 2, 2));
  const auto decode_in_little_memory = [&] {
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t bytes = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (32u << 20);
    const rlimit limit{bytes, bytes};
    setrlimit(RLIMIT_AS, &limit);
    const DecodedImages images = decode_images(files, {1, 1, 1}, {});
    std::fputs(images.bad.at(0).reason.c_str(), stderr);
    std::_Exit(images.bytes == Bytes{1, 2} ? 0 : 1);
  };
  EXPECT_EXIT(decode_in_little_memory(), ::testing::ExitedWithCode(0), "needs more memory than");
}

TEST_F(Files, AreNotReadOnWhenAStopIsRequested) {
  add("a.png", plain_png({1}, 2, 2));
  StopFlag stop;
  stop.request();
  EXPECT_THROW(decode_images(files, {1, 2, 2}, {nullptr, &stop, {}}), Interrupted);
}

TEST(BadImages, AreListedUpToTwenty) {
  std::vector<BadImage> bad = {{"a/b.png", "is not a file"}, {"c.jpg", "is damaged"}};
  EXPECT_EQ(bad_images_text(bad, 9),
            "2 of 9 images cannot be read\n  a/b.png: is not a file\n  c.jpg: is damaged");
  bad.resize(23);
  EXPECT_THAT(bad_images_text(bad, 30), ::testing::EndsWith("\n  … and 3 more"));
}

}  // namespace decode_image_test
}  // namespace gps
