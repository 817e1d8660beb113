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

struct SixtyFourBytes {
  std::array<std::uint64_t, 8> numbers{};
  void persist(Archive& archive) { archive(numbers); }
};

TEST(Archive, MakesElementsOnlyAsTheirBytesAreRead) {
  std::uint64_t size = 1 << 20;  // as many as there are bytes, but an element takes 64 of them
  Archive writer;
  writer(size);
  std::vector<SixtyFourBytes> values;
  Archive reader(writer.bytes() + std::string(size, 'x'));
  EXPECT_THROW(reader(values), DataError);
  EXPECT_LE(values.size(), size / 64 + 1);
}

template <typename Function>
std::string archive_complaint(const Function& function) {
  try {
    function();
  } catch (const DataError& error) {
    return error.what();
  }
  return "(fine)";
}

TEST(Archive, RefusesNumbersThatAreNotBetweenTheirBounds) {
  const auto reading = [](auto written, auto least, auto most) {
    Archive writer;
    writer(written);
    return archive_complaint([&] {
      Archive reader(writer.bytes());
      auto read = least;
      reader.between(read, least, most, "task");
      EXPECT_EQ(read, written);
    });
  };
  EXPECT_EQ(reading(1, 1, 3), "(fine)");
  EXPECT_EQ(reading(3, 1, 3), "(fine)");
  EXPECT_EQ(reading(0, 1, 3), "saved state: task is 0, must be between 1 and 3");
  EXPECT_EQ(reading(4, 1, 3), "saved state: task is 4, must be between 1 and 3");
  EXPECT_EQ(reading(std::uint64_t{1} << 63, std::uint64_t{0}, std::uint64_t{9}),
            "saved state: task is 9223372036854775808, must be between 0 and 9");
  EXPECT_EQ(reading(static_cast<Colour>(7), Colour::red, Colour::green),
            "saved state: task is 7, must be between 0 and 1");
  EXPECT_THAT(reading(std::nan(""), 0.0, 1.0), HasSubstr("nan"));
}

TEST(Archive, RefusesListsOfAnotherSize) {
  std::vector<bool> three(3);
  Archive writer;
  writer.sized(three, 4, "marks");  // what is written is not checked
  const auto reading = [&](std::size_t size) {
    return archive_complaint([&] {
      Archive reader(writer.bytes());
      std::vector<bool> read;
      reader.sized(read, size, "marks");
    });
  };
  EXPECT_EQ(reading(3), "(fine)");
  EXPECT_EQ(reading(4), "saved state: marks has 3 values, must have 4");
}

TEST(Archive, RefusesProductsThatTheBytesCannotHold) {
  const Archive reader(std::string(100, 'x'));
  EXPECT_NO_THROW(reader.expect(10, 10));
  EXPECT_THROW(reader.expect(10, 11), DataError);
  EXPECT_THROW(reader.expect(std::uint64_t{1} << 62, 4), DataError) << "2^64 would be 0";
  EXPECT_NO_THROW(Archive().expect(std::uint64_t{1} << 62, 4))
      << "there is room for what is written";
  std::uint64_t three = 3;
  Archive writer;
  writer(three);
  Archive sizes(writer.bytes());
  EXPECT_EQ(sizes.count(0, /*least=*/0), 3u) << "no division by 0";
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
