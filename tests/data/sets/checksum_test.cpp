#include "gps/data/sets/checksum.h"

#include <gmock/gmock.h>
#include <zlib.h>

#include "gps/core/errors.h"
#include "support/temporary_folder.h"
#include "support/tiny_sets.h"

namespace gps {
namespace checksum_test {

// The examples of FIPS 180-2, appendix B.
constexpr const char* kOfAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr const char* kOfMillion =
    "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";
constexpr const char* kOfNothing =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

void write_gzipped(const std::filesystem::path& path, const std::string& text) {
  gzFile out = gzopen(path.c_str(), "wb");
  gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
  gzclose(out);
}

TEST(Checksum, IsTheStandardsOne) {
  const testing::TemporaryFolder folder;
  const auto file = folder.path() / "file";
  testing::write_file(file, "abc");
  EXPECT_EQ(sha256_of(file), kOfAbc);
  testing::write_file(file, "");
  EXPECT_EQ(sha256_of(file), kOfNothing);
  testing::write_file(file, std::string(1'000'000, 'a'));
  EXPECT_EQ(sha256_of(file), kOfMillion);
}

TEST(Checksum, OfContentIsThatOfTheUnpackedBytes) {
  const testing::TemporaryFolder folder;
  const auto file = folder.path() / "file.gz";
  write_gzipped(file, std::string(1'000'000, 'a'));
  EXPECT_NE(sha256_of(file), kOfMillion);
  EXPECT_EQ(sha256_of_content(file, 1'000'000), kOfMillion);
  testing::write_file(file, "abc");  // not gzipped at all
  EXPECT_EQ(sha256_of_content(file, 100), kOfAbc);
}

TEST(Checksum, OfContentEndsWhereTooMuchCame) {
  const testing::TemporaryFolder folder;
  const auto file = folder.path() / "bomb.gz";
  write_gzipped(file, std::string(1'000'000, 'a'));
  EXPECT_EQ(sha256_of_content(file, 999'999), std::nullopt);
}

TEST(Checksum, OfContentThatIsDamagedIsNone) {
  const testing::TemporaryFolder folder;
  const auto file = folder.path() / "file.gz";
  write_gzipped(file, "hello");
  const std::string bytes = testing::read_file(file);
  testing::write_file(file, bytes.substr(0, bytes.size() - 1));
  EXPECT_EQ(sha256_of_content(file, 100), std::nullopt);
}

TEST(Checksum, NamesWhatCannotBeRead) {
  const testing::TemporaryFolder folder;
  EXPECT_THROW(sha256_of(folder.path() / "missing"), DataError);
  EXPECT_THROW(sha256_of(folder.path()), DataError);
  EXPECT_THROW(sha256_of_content(folder.path() / "missing", 1), DataError);
}

}  // namespace checksum_test
}  // namespace gps
