// Tables for people have several numbers in a cell; programs want one.
#pragma once

#include "gps/report/tables/table.h"

namespace gps {

// The same table with one number a cell. A column all of whose cells are numbers of one form, or
// nothing ("", "-"), becomes several, named after it:
//
//   "85.12 ± 0.34"           ->  "accuracy %", "accuracy % deviation"
//   "+0.58 [-0.54, +1.71]"   ->  "vs reservoir", "vs reservoir low", "vs reservoir high"
//   "3 of 5", "4.2 and 0.3"  ->  "one minimum", "one minimum of"; likewise "and"
//   "2.7 s"                  ->  "time a run s"
//
// A cell with the first number alone leaves the others empty, and so does one with nothing. Other
// columns, and heads, stay as they are.
Table plain_numbers(const Table& table);

}  // namespace gps
