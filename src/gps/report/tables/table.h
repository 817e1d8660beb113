// A table of texts, and the forms in which people want it.
#pragma once

#include <string>
#include <vector>

namespace gps {

using Table = std::vector<std::vector<std::string>>;  // rows of equal length; the first is the head

std::string text_table(const Table& table);  // columns aligned with blanks
std::string csv_table(const Table& table);   // RFC 4180, one number a cell (plain_numbers.h)
std::string markdown_table(const Table& table);
std::string latex_table(const Table& table);  // a tabular with booktabs' rules

// How wide a text shows: bytes that start a UTF-8 character.
std::size_t shown_width(const std::string& text);

}  // namespace gps
