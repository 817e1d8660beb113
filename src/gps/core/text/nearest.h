// Suggests the known word that is closest to a mistyped one, and words the refusal of unknown
// names.
#pragma once

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "gps/core/text/text.h"

namespace gps {

// Returns how many letters must be inserted, removed or replaced, or neighbours swapped, to turn
// one word into the other (Levenshtein, with transpositions).
inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  std::vector<std::size_t> before(b.size() + 1);  // the row before `last`
  std::vector<std::size_t> last(b.size() + 1);    // the row before `row`
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = last;
    last = row;
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row.back();
}

// REQUIRES: `known` is not empty.
inline std::string nearest(std::string_view word, const std::vector<std::string>& known) {
  return *std::min_element(known.begin(), known.end(), [&](const auto& a, const auto& b) {
    return edit_distance(word, a) < edit_distance(word, b);
  });
}

// Returns the word with small letters in place of A to Z.
inline std::string in_small_letters(std::string_view word) {
  std::string small(word);
  for (char& c : small) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return small;
}

// Returns the nearest known word if it is so near that it was probably meant: at most a third of
// the letters differ, and one letter always may. A known word that differs only in the case of its
// letters is meant. Returns "" otherwise.
inline std::string probably_meant(std::string_view word, const std::vector<std::string>& known) {
  if (word.empty() || known.empty()) return "";
  for (const std::string& each : known) {
    if (in_small_letters(each) == in_small_letters(word)) return each;
  }
  std::string found = nearest(word, known);
  const std::size_t most = std::max<std::size_t>(1, word.size() / 3);
  return edit_distance(word, found) <= most ? found : "";
}

// Returns the message about an unknown name: "unknown policy 'resevoir'; did you mean 'reservoir'?
// known: reservoir, gps", or without the question if no known name is similar.
inline std::string unknown_name_text(std::string_view family, std::string_view name,
                                     const std::vector<std::string>& known) {
  const std::string meant = probably_meant(name, known);
  return "unknown " + std::string(family) + " '" + std::string(name) + "'; " +
         (meant.empty() ? "" : "did you mean '" + meant + "'? ") + "known: " + join(known);
}

}  // namespace gps
