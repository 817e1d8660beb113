// What a state stores, image by image.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gps/deployment/learn_state.h"
#include "gps/deployment/stored/image_hash.h"

namespace gps {

enum class Role : std::uint8_t { replay, test };

const char* name_of(Role role);

struct StoredImageRecord {
  std::uint64_t hash = 0;  // of its pixels as they are replayed
  Role role = Role::replay;
  std::size_t slot = 0;  // in the memory of its role
  Label label = 0;
  int task = 0;           // with which it came first
  std::int64_t when = 0;  // that task was learnt, in seconds since 1970; 0: not known
};

// Returns the replayed images, then the test images, each in the order of the memory. In states of
// formats before 6, images of merged tasks count as those of the oldest of these tasks.
std::vector<StoredImageRecord> stored_images(const LearnState& state);

// Returns the time before which images must have come to be older than so many days.
inline std::int64_t oldest_kept(int days, std::int64_t now) {
  constexpr std::int64_t kSecondsOfADay = 86'400;
  return now - days * kSecondsOfADay;
}

// Returns the hashes of the images that came before `time`. Images of unknown time are not among
// them.
ImageHashes images_before(const LearnState& state, std::int64_t time);

// Returns the names of the classes of which no image is stored for replay.
std::vector<std::string> classes_without_images(const LearnState& state);

// Returns the pixels of a stored image as they are replayed, channel by channel.
std::vector<std::uint8_t> pixels_of(const LearnState& state, const StoredImageRecord& image);

}  // namespace gps
