#include "gps/core/files/framed.h"

#include <gmock/gmock.h>

namespace gps {
namespace framed_test {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr FileKind kKind = {"a letter", "letter:", 3, /*checked_from=*/3};
constexpr FileKind kOlder = {kKind.name, kKind.words, 2, kKind.checked_from};

TEST(Framed, HasWordsNumbersAndBody) {
  const std::string file = framed(kKind, "123456789");
  EXPECT_EQ(file, std::string("letter:\x03\0\0\0"
                              "\x3d\xee\x51\x76"  // of the format, the size and the body
                              "\x09\0\0\0\0\0\0\0"
                              "123456789",
                              32));
  EXPECT_EQ(unframed(kKind, file).body, "123456789");
}

TEST(Framed, OfAnOlderFormatHasTheChecksumOfItsBodyAlone) {
  const std::string file = framed(kOlder, "123456789");
  EXPECT_EQ(file, std::string("letter:\x02\0\0\0"
                              "\x26\x39\xf4\xcb"  // the check value of CRC-32
                              "\x09\0\0\0\0\0\0\0"
                              "123456789",
                              32));
  EXPECT_EQ(unframed(kKind, file).body, "123456789");
}

TEST(Framed, OfAnOlderFormatIsReadAndSaysSo) {
  EXPECT_EQ(unframed(kKind, framed(kOlder, "x")).format, 2u);
  EXPECT_THROW(unframed(kOlder, framed(kKind, "x")), NewerFormat);
  EXPECT_THROW(unframed(kKind, framed({kKind.name, kKind.words, 0}, "x")), DataError);
}

TEST(Framed, IsNotTakenForANewerOneIfItsFormatIsDamaged) {
  for (const FileKind& kind : {kKind, kOlder}) {
    for (std::size_t bit = 0; bit < 32; ++bit) {
      std::string file = framed(kind, "body");
      char& byte = file[kKind.words.size() + bit / 8];
      byte = static_cast<char>(byte ^ (1 << bit % 8));
      try {
        EXPECT_LT(unframed(kKind, file).format, kKind.checked_from) << "bit " << bit;
      } catch (const NewerFormat&) {
        ADD_FAILURE() << "bit " << bit;
      } catch (const DataError& error) {
        EXPECT_THAT(error.what(), HasSubstr("is damaged"));
      }
    }
  }
}

TEST(Framed, IsRefusedIfAnyByteIsWrongOrMissing) {
  const std::string file = framed(kKind, "body");
  for (std::size_t at = 0; at < file.size(); ++at) {
    EXPECT_THROW(unframed(kKind, file.substr(0, at)), DataError) << at << " bytes";
    std::string flipped = file;
    flipped[at] = static_cast<char>(flipped[at] ^ 1);
    EXPECT_THROW(unframed(kKind, flipped), DataError) << "byte " << at;
  }
  EXPECT_THROW(unframed(kKind, file + "y"), DataError);
}

TEST(Framed, OfAnotherKindIsNamed) {
  EXPECT_THAT(
      [] {
        unframed(kKind, framed({"a stamp", "stampp:", 1}, "x"));
      },
      ThrowsMessage<DataError>(HasSubstr("is not a letter")));
}

}  // namespace framed_test
}  // namespace gps
