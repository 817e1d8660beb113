// A table of typed cells (cell.h), and the formats in which people and programs want it.
#pragma once

#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "gps/report/tables/cell.h"

namespace gps {

// What a column is about. Its head is "accuracy %" for a name and a unit, or the name alone.
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

  bool is_empty() const { return rows.empty(); }  // no rows, whatever its columns are

  std::vector<Column> columns;
  std::vector<Row> rows;  // REQUIRES: each has as many cells as there are columns
};

std::string text_table(const Table& table);  // columns aligned with blanks
std::string markdown_table(const Table& table);
std::string latex_table(const Table& table);  // a tabular with booktabs' rules

// RFC 4180, with one number a cell. A column all of whose cells are numbers of one form, or
// missing, becomes several, named after it:
//
//   85.12 ± 0.34           ->  "accuracy %", "accuracy % deviation"
//   +0.58 [-0.54, +1.71]   ->  "vs reservoir", "vs reservoir low", "vs reservoir high"
//   3 of 5, 4.2 and 0.3    ->  "one minimum", "one minimum of"; likewise "and"
//   2.7 s                  ->  "time a run s"
//
// A cell with the first number alone leaves the others empty, and a missing one leaves all of them
// empty. A column with words, with numbers of two forms, or without a number is written as it is
// shown.
std::string csv_table(const Table& table);

// {"head": ["accuracy %", …], "rows": [["85.12 ± 0.34", …], …]}, for the report's page.
nlohmann::json json_table(const Table& table);

// What is shown: the heads, and the texts of a row.
std::vector<std::string> heads_of(const Table& table);
std::vector<std::string> texts_of(const Row& row);

// How wide a text shows: bytes that start a UTF-8 character.
std::size_t shown_width(const std::string& text);

}  // namespace gps
