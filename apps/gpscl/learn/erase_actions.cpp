#include "learn/erase_actions.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "gps/core/files/csv.h"
#include "gps/core/files/files.h"
#include "gps/core/tell_user.h"
#include "gps/core/text/text.h"
#include "gps/core/work/clock.h"
#include "gps/deployment/acceptance/candidate.h"
#include "gps/deployment/change_state.h"
#include "gps/deployment/new_data.h"
#include "gps/deployment/stored/stored_images.h"
#include "gps/report/learning/image_list.h"
#include "gps/report/learning/stored_images.h"
#include "learn/labelled_data.h"
#include "learn/state_changes.h"

namespace gps::cli {
namespace {

namespace fs = std::filesystem;

// What --erase names: hashes as they are, and images that have yet to be read.
struct NamedImages {
  std::vector<std::uint64_t> hashes;
  std::vector<ImageFile> files;
};

void add_word(NamedImages& named, const std::string& word) {
  if (const auto hash = parse_hash(word)) {
    named.hashes.push_back(*hash);
    return;
  }
  std::error_code error;
  if (!fs::exists(word, error)) {
    throw OptionError("erase", fmt::format("'{}' is neither a file nor the hash of an image (16 "
                                           "hexadecimal digits, see `list`)",
                                           word));
  }
  for (ImageFile& file : list_images(word).files) named.files.push_back(std::move(file));
}

// A file of lines.
void add_lines(NamedImages& named, const std::string& path) {
  for (std::string line : split(read_file(path), '\n')) {
    if (line.ends_with('\r')) line.pop_back();
    if (!line.empty()) add_word(named, line);
  }
}

// Returns whether it is a table with a column `hash`, as --list prints.
bool add_table(NamedImages& named, const std::string& path) {
  const std::vector<CsvRow> rows = parse_csv(read_file(path), path);
  if (rows.empty()) return false;
  const std::vector<std::string>& head = rows.front().fields;
  const auto column = std::find(head.begin(), head.end(), "hash");
  if (column == head.end()) return false;
  const auto at = static_cast<std::size_t>(column - head.begin());
  for (const CsvRow& row : std::span(rows).subspan(1)) {
    const auto hash = at < row.fields.size() ? parse_hash(row.fields[at]) : std::nullopt;
    if (!hash) {
      throw DataError(
          fmt::format("{}:{}: no hash of an image (16 hexadecimal digits)", path, row.line));
    }
    named.hashes.push_back(*hash);
  }
  return true;
}

NamedImages named_by(const std::string& text) {
  NamedImages named;
  std::error_code error;
  const fs::path path = text;
  if (!parse_hash(text) && fs::is_regular_file(path, error)) {
    if (is_manifest(path) && add_table(named, text)) return named;
    if (path.extension() == ".txt") {
      add_lines(named, text);
      return named;
    }
  }
  add_word(named, text);
  return named;
}

// Calls `use` with each version that can be read, and with the candidate.
template <typename Use>
void for_each_state(const StateFolder& folder, const Use& use) {
  for (const int version : folder.versions()) {
    try {
      use(folder.load(version));
    } catch (const std::exception&) {  // damaged: the erasure will say so
    }
  }
  try {
    if (candidate_of(folder)) use(load_candidate(folder));
  } catch (const std::exception&) {  // damaged, or of no use: the erasure drops it
  }
}

// The hashes of one image: as it is, and as it would be stored.
using NamedImage = std::vector<std::uint64_t>;

// What the states of a folder know of each of these images.
struct KnownImages {
  std::vector<bool> is_known;   // stored, trained on, or erased before
  std::vector<bool> is_learnt;  // trained on, as far as this is known

  std::size_t unseen() const {
    return static_cast<std::size_t>(std::count(is_known.begin(), is_known.end(), false));
  }
  bool any_learnt() const {
    return std::find(is_learnt.begin(), is_learnt.end(), true) != is_learnt.end();
  }
};

KnownImages known_images(const StateFolder& folder, const std::vector<NamedImage>& images) {
  KnownImages all{.is_known = std::vector<bool>(images.size()),
                  .is_learnt = std::vector<bool>(images.size())};
  for_each_state(folder, [&](const LearnState& state) {
    std::vector<std::uint64_t> replayed;
    std::vector<std::uint64_t> tested;
    for (const StoredImageRecord& image : stored_images(state))
      (image.role == Role::replay ? replayed : tested).push_back(image.hash);
    replayed = in_order(std::move(replayed));
    tested = in_order(std::move(tested));
    for (std::size_t k = 0; k < images.size(); ++k) {
      for (const std::uint64_t hash : images[k]) {
        const bool is_learnt = state.trained.contains(hash) || has_hash(replayed, hash);
        if (is_learnt) all.is_learnt[k] = true;
        if (is_learnt || has_hash(tested, hash) || state.erased.contains(hash))
          all.is_known[k] = true;
      }
    }
  });
  return all;
}

// Throws UsageError for a hash that no version knows: it is probably mistyped.
void check_are_known_hashes(const StateFolder& folder, const std::vector<std::uint64_t>& hashes) {
  if (hashes.empty()) return;
  std::vector<NamedImage> images;
  for (const std::uint64_t hash : hashes) images.push_back({hash});
  const std::vector<bool> is_known = known_images(folder, images).is_known;
  const auto unknown = std::find(is_known.begin(), is_known.end(), false);
  if (unknown == is_known.end()) return;
  const std::uint64_t hash = hashes[static_cast<std::size_t>(unknown - is_known.begin())];
  throw OptionError("erase", fmt::format("no image with the hash {} was ever stored or trained on; "
                                         "see `list`",
                                         hash_text(hash)));
}

// Returns the hashes of images in files, as the state would see them. Their classes do not matter.
std::vector<NamedImage> images_in_files(const LearnRequest& request, const LearnState& state,
                                        std::vector<ImageFile> files, Executor& executor,
                                        const StopFlag& stop) {
  if (files.empty()) return {};
  ImageListing listing{.root = {}, .files = std::move(files)};
  for (ImageFile& file : listing.files) {
    file.label = state.classes.front();
    file.split = Split::test;
  }
  LoadDisplay display(isatty(STDERR_FILENO) != 0);
  const LabelledImages read =
      read_images(listing, state.classes, state.options, hooks_for(executor, stop, display));
  settle_bad(request.erased, read.bad, listing.files.size(), request.skips_bad);
  std::vector<NamedImage> images;
  std::vector<std::uint8_t> scratch(state.options.rows().bytes());
  for (std::size_t row = 0; row < read.test.size(); ++row)
    images.push_back(hashes_of({read.test.image(row, scratch), scratch.size()}, state.memory));
  return images;
}

// What is printed at the end, and whether the new weights were kept.
struct ErasureTold {
  std::string text;
  nlohmann::json json = nlohmann::json::object();
  int version = 0;
  int exit_code = 0;
};

// Refuses to train anew from these stored images if there is none of some class: the network would
// not know it any more, and no held-out image need show that. With --accept, warns instead.
void check_has_every_class(const LearnRequest& request, const LearnState& state) {
  if (state.memory.is_empty())
    throw OptionError("relearn", "has nothing to train on: no image for replay is stored");
  const std::vector<std::string> missed = classes_without_images(state);
  if (missed.empty()) return;
  const std::string text = missed_classes_text(missed);
  if (request.accepts) {
    tell_user("gpscl: warning: {}; trained anew because of --accept", text);
    return;
  }
  const bool is_one = missed.size() == 1;
  throw OptionError(
      "relearn",
      fmt::format("is refused: {}, and the new network would not know {}; learn new images of {}, "
                  "or `remove-class` NAME first, or give `accept` to train anew without {}",
                  text, is_one ? "it" : "them", is_one ? "it" : "each", is_one ? "it" : "them"));
}

void erase_images(const LearnRequest& request, const StateFolder& folder, Executor& executor,
                  const StopFlag& stop, ErasureTold& told, StateLog& log) {
  const NamedImages named = named_by(request.erased);
  check_are_known_hashes(folder, named.hashes);
  LearnState state = folder.load();
  std::vector<NamedImage> images = images_in_files(request, state, named.files, executor, stop);
  for (const std::uint64_t hash : in_order(named.hashes)) images.push_back({hash});
  if (images.empty())
    throw OptionError("erase", fmt::format("'{}' names no image", request.erased));
  std::vector<std::uint64_t> hashes;
  for (const NamedImage& image : images) hashes.insert(hashes.end(), image.begin(), image.end());
  const ImageHashes asked = in_order(std::move(hashes));
  const KnownImages known = known_images(folder, images);
  if (request.relearns) {  // before anything is erased
    remove_images(state, asked);
    check_has_every_class(request, state);
  }
  const Erasure erasure = log.erase(asked);
  tell_left_files(erasure.untouched);
  told.text += erasure_text(erasure, images.size(), known.unseen());
  told.json = to_json(erasure, images.size(), known.unseen());
  told.version = folder.newest();
  if (request.relearns) return;
  const std::vector<std::string> missed = missed_classes(folder.load());
  told.json["classes_without_images"] = missed;
  if (!missed.empty()) told.text += missed_classes_text(missed) + "\n";
  if (!known.any_learnt()) return;
  told.text +=
      "the weights keep what they learnt from it; --relearn trains anew from the images that are "
      "left\n";
}

void relearn_state(const LearnRequest& request, StateFolder& folder, const StopFlag& stop,
                   ErasureTold& told, StateLog& log) {
  constexpr int kNotKept = 3;
  LearnState state = folder.load();
  if (request.erased.empty()) check_has_every_class(request, state);
  Relearnt relearnt;
  {
    LoadDisplay display(isatty(STDERR_FILENO) != 0);
    relearnt = relearn(state, &stop, [&](std::size_t done, std::size_t all) {
      display.update({"learning", done, all});
    });
  }
  told.json["relearnt"] = to_json(relearnt, state);
  told.json["classes_without_images"] = classes_without_images(state);
  told.text += relearnt_text(relearnt);
  if (!relearnt.problems.empty() && request.accepts)
    tell_user("gpscl: warning: {}; kept because of --accept", join(relearnt.problems, "; "));
  if (!relearnt.problems.empty() && !request.accepts) {
    log.add("refuse", {{"relearnt", to_json(relearnt, state)}, {"problems", relearnt.problems}});
    keep_aside(folder, state, time_now(), relearnt.problems);
    told.version = folder.newest();
    told.exit_code = kNotKept;
    tell_user(
        "gpscl: {}: {}; the weights are as they were; kept aside: `accept` keeps the new ones",
        request.state, join(relearnt.problems, "; "));
    return;
  }
  const std::vector<int> earlier = folder.versions();
  Committed committed = folder.commit_change(
      state, log.announcing("relearn", {{"relearnt", to_json(relearnt, state)}}));
  for (const int version : folder.versions()) {  // their weights have learnt from other images
    if (version != committed.version) folder.remove(version);
  }
  tell_left_files(committed.not_removed);
  told.version = committed.version;
  told.json["removed_versions"] = earlier;
  told.text += "earlier versions are removed: their weights have the influence of other images\n";
}

}  // namespace

std::int64_t time_now() { return static_cast<std::int64_t>(std::floor(seconds_now())); }

bool erases(const LearnRequest& request) { return !request.erased.empty() || request.relearns; }

int erase(const LearnRequest& request, StateFolder& folder, Executor& executor,
          const StopFlag& stop, StateLog& log) {
  ErasureTold told;
  if (!request.erased.empty()) erase_images(request, folder, executor, stop, told, log);
  if (request.relearns) relearn_state(request, folder, stop, told, log);
  if (request.json) {
    told.json["version"] = told.version;
    print_kept(told.json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n",
               told.version);
  } else {
    print_kept(told.text, told.version);
  }
  return told.exit_code;
}

std::size_t expire_images(std::int64_t now, StateLog& log) {
  const Erasure erasure = log.expire(now);
  tell_left_files(erasure.untouched);
  if (erasure.erased > 0) {
    tell_user("gpscl: {} image{} left the memory, because of --keep-days", erasure.erased,
              erasure.erased == 1 ? "" : "s");
  }
  return erasure.erased;
}

}  // namespace gps::cli
