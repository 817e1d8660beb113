// A table of typed cells (cell.h), and its output formats.
#pragma once

#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "gps/report/tables/cell.h"

namespace gps {

// The name and unit of a column. The head is "accuracy %" with a unit, or the name alone.
struct Column {
  Column(const char* called) : name(called) {}
  Column(std::string called, std::string in = "") : name(std::move(called)), unit(std::move(in)) {}

  std::string head() const { return unit.empty() ? name : name + " " + unit; }

  std::string name;
  std::string unit;
};

using Row = std::vector<Cell>;

struct Table {
  Table() = default;
  explicit Table(std::vector<Column> all) : columns(std::move(all)) {}
  Table(std::initializer_list<Column> all) : columns(all) {}

  bool is_empty() const { return rows.empty(); }  // whether there are no rows; columns do not count

  std::vector<Column> columns;
  std::vector<Row> rows;  // REQUIRES: each row has one cell per column
};

// Names in cells are made printable() (core/text/printable.h) in these three.
std::string text_table(const Table& table);  // columns aligned with spaces
std::string markdown_table(const Table& table);
std::string latex_table(const Table& table);  // a tabular with booktabs' rules

// RFC 4180, with one number per cell. If all cells of a column are missing or numbers of one form,
// the column becomes several columns, named after it:
//
//   85.12 ± 0.34           ->  "accuracy %", "accuracy % deviation"
//   +0.58 [-0.54, +1.71]   ->  "vs reservoir", "vs reservoir low", "vs reservoir high"
//   3 of 5, 4.2 and 0.3    ->  "one minimum", "one minimum of"; likewise "and"
//   2.7 s                  ->  "time a run s"
//
// A cell with only the first number leaves the others empty, and a missing cell leaves all of them
// empty. A column with words, with numbers of two forms, or without a number is written as it is
// shown, except that words which a spreadsheet would execute have an apostrophe before them
// (guarded_text in core/files/csv.h).
std::string csv_table(const Table& table);

// Returns {"head": ["accuracy %", …], "rows": [["85.12 ± 0.34", …], …]}, for the report's page.
nlohmann::json json_table(const Table& table);

// Return the text of the heads, and of a row.
std::vector<std::string> heads_of(const Table& table);
std::vector<std::string> texts_of(const Row& row);

// Returns the width of a text in characters: the number of bytes that start a UTF-8 character.
std::size_t shown_width(const std::string& text);

}  // namespace gps
