#include "gps/data/readers/idx.h"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <zlib.h>

#include <fstream>
#include <iterator>

#include "gps/core/errors.h"
#include "support/temporary_folder.h"
#include "support/tiny_data.h"

namespace gps {
namespace idx_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::idx_bytes;
using ::testing::StartsWith;
using testing::write_file;
namespace fs = std::filesystem;

void write_gzip(const fs::path& path, const std::string& bytes) {
  gzFile_s* const file = gzopen(path.c_str(), "wb9");
  ASSERT_NE(file, nullptr);
  ASSERT_EQ(gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size())),
            static_cast<int>(bytes.size()));
  ASSERT_EQ(gzclose(file), Z_OK);
}

std::string read_all(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Three images of 2 x 4 pixels, 1 to 24, with the labels 2 0 1.
class IdxReader : public ::testing::Test {
 protected:
  IdxReader() {
    for (int p = 1; p <= 24; ++p) pixels.push_back(static_cast<char>(p));
    write_file(images, idx_bytes(0x803, {3, 2, 4}, pixels));
    write_file(labels, idx_bytes(0x801, {3}, classes));
  }

  // The one line that refuses the files as they are now.
  std::string error() const {
    try {
      read_idx(images, labels, 3);
    } catch (const DataError& refusal) {
      return refusal.what();
    }
    return "no error";
  }

  testing::TemporaryFolder folder;
  const fs::path images = folder.path() / "images";
  const fs::path labels = folder.path() / "labels";
  std::string pixels;
  const std::string classes = {2, 0, 1};
};

TEST_F(IdxReader, ReadsImagesAndLabels) {
  const Dataset data = read_idx(images, labels, 3);
  ASSERT_EQ(data.size(), 3u);
  EXPECT_EQ(data.shape(), (ImageShape{1, 2, 4}));
  EXPECT_EQ(data.classes(), 3);
  EXPECT_EQ(data.label(0), 2);
  EXPECT_EQ(data.label(2), 1);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t p = 0; p < 8; ++p) EXPECT_EQ(data.image(i, {})[p], 8 * i + p + 1);
  }
}

TEST_F(IdxReader, ReadsGzippedFilesAlike) {
  write_gzip(images, read_all(images));
  write_gzip(labels, read_all(labels));
  ASSERT_THAT(read_all(images), StartsWith("\x1f\x8b"));
  const Dataset data = read_idx(images, labels, 3);
  ASSERT_EQ(data.size(), 3u);
  EXPECT_EQ(data.label(2), 1);
  EXPECT_EQ(data.image(2, {})[7], 24);
}

TEST_F(IdxReader, RefusesAMissingFile) {
  fs::remove(labels);
  EXPECT_EQ(error(), labels.string() + ": cannot be opened: No such file or directory");
}

TEST_F(IdxReader, RefusesAFolder) {
  fs::remove(images);
  fs::create_directory(images);
  EXPECT_EQ(error(), images.string() + ": is a folder; expected an IDX file");
}

// Opening a pipe may wait for ever.
TEST_F(IdxReader, RefusesAPipe) {
  fs::remove(images);
  ASSERT_EQ(mkfifo(images.c_str(), 0600), 0);
  EXPECT_EQ(error(), images.string() + ": is a pipe or a device; expected an IDX file");
}

TEST_F(IdxReader, RefusesAnEmptyFile) {
  write_file(images, "");
  EXPECT_THAT(error(), AllOf(StartsWith(images.string() + ": "), HasSubstr("has 0 bytes"),
                             HasSubstr("expected a header of 16")));
}

TEST_F(IdxReader, RefusesTheWrongKindOfFile) {
  fs::copy_file(labels, images, fs::copy_options::overwrite_existing);
  EXPECT_THAT(error(), AllOf(StartsWith(images.string() + ": "), HasSubstr("0x00000801"),
                             HasSubstr("expected 0x00000803")));
  write_file(images, "<!DOCTYPE html><html>404 Not Found</html>");
  EXPECT_THAT(error(), HasSubstr("magic number is 0x3c21444f"));
}

TEST_F(IdxReader, RefusesAPlainFileCutAnywhere) {
  const std::string whole = read_all(images);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    write_file(images, whole.substr(0, size));
    EXPECT_THAT(error(), StartsWith(images.string() + ": ")) << "cut to " << size << " bytes";
  }
  EXPECT_THAT(error(), AllOf(HasSubstr("has 23 bytes"), HasSubstr("announces 24")));
}

TEST_F(IdxReader, RefusesAGzippedFileCutAnywhere) {
  write_gzip(images, read_all(images));
  const std::string whole = read_all(images);
  ASSERT_EQ(error(), "no error");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    write_file(images, whole.substr(0, size));
    EXPECT_THAT(error(), StartsWith(images.string() + ": ")) << "cut to " << size << " bytes";
  }
  EXPECT_THAT(error(), HasSubstr("gzip stream ends early; expected a complete file"));
}

// Behind gzip's own header of ten bytes, whose time stamp and the like may be anything, no byte can
// change unnoticed: what inflates has a checksum.
TEST_F(IdxReader, RefusesAGzippedFileWithAnyByteChanged) {
  write_gzip(images, read_all(images));
  const std::string whole = read_all(images);
  for (std::size_t at = 10; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(~damaged[at]);
    write_file(images, damaged);
    EXPECT_THAT(error(), StartsWith(images.string() + ": ")) << "byte " << at;
  }
  std::string damaged = whole;
  damaged[whole.size() - 8] = static_cast<char>(~damaged[whole.size() - 8]);  // of the checksum
  write_file(images, damaged);
  EXPECT_THAT(error(), AllOf(HasSubstr("corrupt gzip data"), HasSubstr("expected an intact file")));
}

TEST_F(IdxReader, RefusesMoreBytesThanTheHeaderSays) {
  write_file(images, read_all(images) + "x");
  EXPECT_THAT(error(), AllOf(StartsWith(images.string() + ": is longer"), HasSubstr("24 bytes")));
}

TEST_F(IdxReader, RefusesLabelsThatDoNotMatchTheImages) {
  write_file(labels, idx_bytes(0x801, {2}, classes.substr(0, 2)));
  EXPECT_EQ(error(), labels.string() + ": has 2 labels; expected 3, one for each image of " +
                         images.string());
}

TEST_F(IdxReader, RefusesALabelOutOfRange) {
  write_file(labels, idx_bytes(0x801, {3}, {2, 0, 3}));
  EXPECT_EQ(error(), labels.string() + ": label 2 is 3; expected 0 to 2");
}

TEST_F(IdxReader, RefusesASetWithoutPixels) {
  write_file(images, idx_bytes(0x803, {3, 0, 4}, ""));
  EXPECT_THAT(error(), AllOf(StartsWith(images.string()), HasSubstr("3 images of 0 x 4 pixels")));
  write_file(images, idx_bytes(0x803, {0, 2, 4}, ""));
  write_file(labels, idx_bytes(0x801, {0}, ""));
  EXPECT_THAT(error(), AllOf(StartsWith(images.string()), HasSubstr("expected at least one")));
}

TEST_F(IdxReader, RefusesAHeaderNoFileCouldFill) {
  const std::uint32_t most = 0xffffffffu;
  for (const auto& dimensions : std::vector<std::vector<std::uint32_t>>{
           {most, most, most}, {3, most, 2}, {60000, 65536, 65536}, {1u << 31, 2, 2}}) {
    write_file(images, idx_bytes(0x803, dimensions, pixels));
    EXPECT_THAT(error(), AllOf(StartsWith(images.string()), HasSubstr("announces more than")));
  }
}

// A gibibyte announced by a file of 40 bytes: the answer should cost no gibibyte of memory.
TEST_F(IdxReader, RefusesATruncatedFileWithoutMakingRoomForWhatItAnnounces) {
  write_file(images, idx_bytes(0x803, {1024, 1024, 1024}, pixels));
  rusage before{};
  rusage after{};
  getrusage(RUSAGE_SELF, &before);
  EXPECT_THAT(error(), AllOf(HasSubstr("has 24 bytes"), HasSubstr("announces 1073741824")));
  getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 256 * 1024) << "KiB";
}

}  // namespace idx_test
}  // namespace gps
