// The stored images of a state as a table, and what erasing and relearning did.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "gps/deployment/stored/erase.h"
#include "gps/deployment/stored/relearn.h"
#include "gps/deployment/stored/stored_images.h"
#include "gps/report/tables/table.h"

namespace gps {

// The columns hash, class, task, role and first seen (UTC).
Table image_table(const LearnState& state, const std::vector<StoredImageRecord>& images);

// [{"hash", "class", "task", "name", "role", "first_seen"}, …]; `first_seen` in seconds since 1970,
// null if it is not known.
nlohmann::json image_list_as_json(const LearnState& state,
                                  const std::vector<StoredImageRecord>& images);

// Says what was erased of `asked` images, `unseen` of which were never stored or trained on.
std::string erasure_text(const Erasure& erasure, std::size_t asked, std::size_t unseen);
nlohmann::json to_json(const Erasure& erasure, std::size_t asked, std::size_t unseen);

std::string relearnt_text(const Relearnt& relearnt);
nlohmann::json to_json(const Relearnt& relearnt, const LearnState& state);

}  // namespace gps
