#include "gps/deployment/stored/erase.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "gps/core/errors.h"
#include "gps/core/files/files.h"
#include "gps/core/files/framed.h"
#include "gps/deployment/acceptance/candidate.h"
#include "gps/deployment/stored/stored_images.h"

namespace gps {
namespace {

// Returns what is to be removed from a state; `leaves_tombstones` says whether it must not return.
struct Removal {
  std::function<ImageHashes(const LearnState&)> hashes;
  bool leaves_tombstones = false;
};

// One file of the folder, changed in memory.
struct ChangedState {
  LearnState state;
  RemovedImages images = {};
  bool is_changed = false;
};

ChangedState without_images(LearnState state, const Removal& removal,
                            std::set<std::uint64_t>& found) {
  const ImageHashes hashes = removal.hashes(state);
  for (const StoredImageRecord& image : stored_images(state)) {
    if (has_hash(hashes, image.hash)) found.insert(image.hash);
  }
  ChangedState changed{.state = std::move(state)};
  changed.images = remove_images(changed.state, hashes);
  changed.is_changed = changed.images.replayed + changed.images.tests > 0;
  if (removal.leaves_tombstones && !changed.state.erased.contains_all(hashes)) {
    changed.state.erased.add(hashes);
    changed.is_changed = true;
  }
  return changed;
}

void remove_from_candidate(const StateFolder& folder, ChangedState& newest, const Removal& removal,
                           std::set<std::uint64_t>& found, Erasure& erasure) {
  try {
    std::optional<LearnState> candidate = candidate_to_rewrite(folder);
    if (!candidate) {  // there is none, or it is of no use any more
      drop_candidate(folder);
      return;
    }
    ChangedState changed = without_images(std::move(*candidate), removal, found);
    if (!changed.is_changed && !newest.is_changed) return;
    rewrite_candidate(folder, changed.state, checksum(StateFolder::bytes_of(newest.state)));
    erasure.is_candidate_rewritten = changed.is_changed;
  } catch (const NewerFormat& error) {
    erasure.untouched.emplace_back(error.what());
  } catch (const std::exception&) {  // damaged, or of no use on this machine: nobody can accept it
    drop_candidate(folder);
  }
}

void remove_from_version(const StateFolder& folder, int version, const Removal& removal,
                         std::set<std::uint64_t>& found, Erasure& erasure) {
  try {
    ChangedState changed = without_images(folder.load(version), removal, found);
    if (!changed.is_changed) return;
    folder.rewrite(version, changed.state);
    erasure.rewritten.push_back(version);
  } catch (const DataError& error) {
    erasure.untouched.emplace_back(error.what());
  } catch (const UsageError& error) {  // this machine lacks what its network needs
    erasure.untouched.push_back(fmt::format("{}: {}", folder.file(version).string(), error.what()));
  }
}

Erasure remove_for_good(const StateFolder& folder, const Removal& removal) {
  Erasure erasure;
  std::set<std::uint64_t> found;
  const int version = folder.newest();
  ChangedState newest = without_images(folder.load(), removal, found);
  erasure.images = newest.images;
  // The candidate knows the version that it was made from by its checksum: it gets the new one.
  remove_from_candidate(folder, newest, removal, found, erasure);
  if (newest.is_changed) {
    folder.rewrite(version, newest.state);
    erasure.rewritten.push_back(version);
  }
  for (const int other : folder.versions()) {
    if (other != version) remove_from_version(folder, other, removal, found, erasure);
  }
  std::sort(erasure.rewritten.begin(), erasure.rewritten.end());
  erasure.erased = found.size();
  return erasure;
}

}  // namespace

Erasure erase_for_good(const StateFolder& folder, const ImageHashes& hashes) {
  return remove_for_good(folder,
                         {[&](const LearnState&) { return hashes; }, /*leaves_tombstones=*/true});
}

Erasure expire_for_good(const StateFolder& folder, std::int64_t now) {
  const int days = folder.load().options.keep_days;
  if (days == 0) return {};
  return remove_for_good(folder, {[&](const LearnState& state) {
                                    return images_before(state, oldest_kept(days, now));
                                  },
                                  /*leaves_tombstones=*/false});
}

}  // namespace gps
