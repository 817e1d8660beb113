// A value of each kind that an Archive handles, for its fuzz target and the corpus.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gps/core/files/archive.h"

namespace gps::fuzz {

struct ArchivedPart {
  int number = 0;
  std::string word;

  void persist(Archive& archive) { archive(number, word); }
};

struct ArchivedValues {
  enum class Kind : std::uint8_t { first, second };

  bool is_set = false;
  Kind kind = Kind::first;
  double real = 0;
  std::string text;
  std::vector<float> numbers;
  std::vector<bool> flags;
  std::vector<std::string> words;
  std::vector<ArchivedPart> parts;
  std::array<std::uint16_t, 3> three{};
  std::pair<int, std::string> pair;
  std::map<std::string, std::vector<std::uint64_t>> map;
  std::optional<ArchivedPart> maybe;
  std::array<float, 4> fixed{};  // storage that exists already

  void persist(Archive& archive) {
    archive.section("plain");
    archive(is_set, kind, real, text);
    archive.section("lists");
    archive(numbers, flags, words, parts, three, pair, map, maybe);
    archive.same(std::uint32_t{7}, "seven");
    archive.in_place(std::span<float>(fixed));
  }

  std::string bytes() {
    Archive archive;
    persist(archive);
    return archive.bytes();
  }

  static ArchivedValues from(const std::string& bytes) {
    Archive archive(bytes);
    ArchivedValues values;
    values.persist(archive);
    archive.finish();
    return values;
  }
};

}  // namespace gps::fuzz
