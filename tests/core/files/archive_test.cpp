#include "gps/core/files/archive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "gps/core/rng.h"

namespace gps {
namespace archive_test {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

enum class Colour : std::uint8_t { red, green };

struct Everything {
  int number = 0;
  double real = 0;
  bool yes = false;
  Colour colour = Colour::red;
  std::string text;
  std::vector<float> floats;
  std::vector<bool> bits;
  std::vector<std::vector<int>> nested;
  std::map<std::pair<int, std::uint16_t>, std::size_t> counts;
  std::optional<double> maybe;
  std::optional<double> none = 1.0;
  std::array<std::uint32_t, 2> two{};
  Rng rng{0};

  void persist(Archive& archive) {
    archive.section("everything");
    archive(number, real, yes, colour, text, floats, bits, nested, counts, maybe, none, two, rng);
  }
  friend bool operator==(const Everything&, const Everything&) = default;
};

Everything example() {
  Everything all{.number = -3,
                 .real = std::nextafter(0.1, 1),
                 .yes = true,
                 .colour = Colour::green,
                 .text = std::string("a\0b", 3),
                 .floats = {1.5f, -0.0f, std::numeric_limits<float>::infinity()},
                 .bits = {true, false, true},
                 .nested = {{1}, {}, {2, 3}},
                 .counts = {{{1, 2}, 3}, {{-1, 4}, 5}},
                 .maybe = 0.25,
                 .none = std::nullopt,
                 .two = {7, 8},
                 .rng = Rng(4).fork("stream")};
  all.rng.next_u32();  // in the middle of a block
  return all;
}

std::string bytes_of(Everything value) {
  Archive archive;
  archive(value);
  return archive.bytes();
}

TEST(Archive, GivesBackWhatWasWritten) {
  Everything found;
  Archive archive(bytes_of(example()));
  archive(found);
  archive.finish();
  EXPECT_TRUE(found == example());
  Everything expected = example();
  EXPECT_EQ(found.rng.next_u64(), expected.rng.next_u64());
}

TEST(Archive, IsLittleEndian) {
  std::uint32_t number = 0x01020304;
  Archive archive;
  archive(number);
  EXPECT_EQ(archive.bytes(), std::string("\x04\x03\x02\x01"));
}

TEST(Archive, RefusesWhatIsCutShortAnywhere) {
  const std::string bytes = bytes_of(example());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    Archive archive(bytes.substr(0, size));
    Everything found;
    EXPECT_THROW(archive(found), DataError) << size << " of " << bytes.size();
  }
}

TEST(Archive, RefusesMoreThanThereShouldBe) {
  Archive archive(bytes_of(example()) + "x");
  Everything found;
  archive(found);
  EXPECT_THROW(archive.finish(), DataError);
}

TEST(Archive, AsksForNoMoreMemoryThanTheBytesCanFill) {
  std::uint64_t huge = std::uint64_t{1} << 60;
  Archive writer;
  writer(huge);
  std::vector<double> values;
  Archive reader(writer.bytes());
  EXPECT_THROW(reader(values), DataError);
}

TEST(Archive, NamesTheSectionThatIsNotThere) {
  Archive writer;
  writer.section("policy");
  EXPECT_THAT(
      [&] {
        Archive reader(writer.bytes());
        reader.section("memory");
      },
      ThrowsMessage<DataError>(HasSubstr("memory")));
}

TEST(Archive, RefusesAnotherNumberOfValuesInPlace) {
  std::vector<float> three(3);
  Archive writer;
  writer.in_place(std::span(three));
  std::vector<float> four(4);
  Archive reader(writer.bytes());
  EXPECT_THROW(reader.in_place(std::span(four)), DataError);
}

}  // namespace archive_test
}  // namespace gps
