// What makes a SQLite database a store of runs (store.h): its tables, its schema's number, and
// whose it is.
#pragma once

#include <filesystem>

#include "gps/core/files/sqlite.h"
#include "gps/experiments/store/store.h"

namespace gps {

// The path, after a look at what lies there: its folder is made if need be. Throws DataError, with
// what to do, for what is no store as far as that can be told without opening it.
std::filesystem::path checked_store_path(const std::filesystem::path& path,
                                         const Store::Options& options);

// Makes the tables of a new store, and what an older schema lacks, unless it is only to be read.
// Throws DataError for a database of another program, or of a later schema.
void settle_schema(Database& database, bool read_only);

}  // namespace gps
