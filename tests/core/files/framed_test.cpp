#include "gps/core/files/framed.h"

#include <gmock/gmock.h>

namespace gps {
namespace framed_test {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr FileKind kKind = {"a letter", "letter:", 3};

TEST(Framed, HasWordsNumbersAndBody) {
  const std::string file = framed(kKind, "123456789");
  EXPECT_EQ(file, std::string("letter:\x03\0\0\0"
                              "\x26\x39\xf4\xcb"  // the check value of CRC-32
                              "\x09\0\0\0\0\0\0\0"
                              "123456789",
                              32));
  EXPECT_EQ(unframed(kKind, file).body, "123456789");
}

TEST(Framed, OfAnOlderFormatIsReadAndSaysSo) {
  const FileKind older = {kKind.name, kKind.words, 2};
  EXPECT_EQ(unframed(kKind, framed(older, "x")).format, 2u);
  EXPECT_THROW(unframed(older, framed(kKind, "x")), NewerFormat);
  EXPECT_THROW(unframed(kKind, framed({kKind.name, kKind.words, 0}, "x")), DataError);
}

TEST(Framed, IsRefusedIfAnyByteButTheFormatsIsWrongOrMissing) {
  const std::string file = framed(kKind, "body");
  for (std::size_t at = 0; at < file.size(); ++at) {
    EXPECT_THROW(unframed(kKind, file.substr(0, at)), DataError) << at << " bytes";
    if (at >= 7 && at < 11) continue;
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
