// Makes an SQLite database a store of runs (store.h): its tables, the number of its schema, and the
// id of the program.
#pragma once

#include <filesystem>

#include "gps/core/files/sqlite.h"
#include "gps/experiments/store/store.h"

namespace gps {

// Checks what is at the path and returns the path. Makes its folder if necessary. Throws DataError,
// with what to do, if it cannot be a store, as far as that can be seen without opening it.
std::filesystem::path checked_store_path(const std::filesystem::path& path,
                                         const Store::Options& options);

// Makes the tables of a new store, and adds what an older schema lacks, unless the store is
// read-only. Throws DataError for a database of another program or of a later schema.
void settle_schema(Database& database, bool read_only);

// Returns whether the rows of the store have checksums: they do from schema 3 on.
bool has_checksums(Database& database);

}  // namespace gps
