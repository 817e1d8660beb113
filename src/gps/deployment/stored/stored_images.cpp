#include "gps/deployment/stored/stored_images.h"

namespace gps {
namespace {

const Memory& memory_of(const LearnState& state, Role role) {
  return role == Role::replay ? state.memory : state.tests;
}

}  // namespace

const char* name_of(Role role) { return role == Role::replay ? "replay" : "test"; }

std::vector<StoredImageRecord> stored_images(const LearnState& state) {
  std::vector<StoredImageRecord> all;
  for (const Role role : {Role::replay, Role::test}) {
    const Memory& memory = memory_of(state, role);
    for (std::size_t slot = 0; slot < memory.size(); ++slot) {
      const Example& example = memory[slot];
      StoredImageRecord image{
          .hash = hash_of(memory, example), .role = role, .slot = slot, .label = example.label};
      image.task = state.first_seen.task_of(image.hash, example.task);
      image.when = state.tasks.at(static_cast<std::size_t>(image.task) - 1).when;
      all.push_back(image);
    }
  }
  return all;
}

ImageHashes images_before(const LearnState& state, std::int64_t time) {
  std::vector<std::uint64_t> hashes;
  for (const StoredImageRecord& image : stored_images(state)) {
    if (image.when != 0 && image.when < time) hashes.push_back(image.hash);
  }
  return in_order(std::move(hashes));
}

std::vector<std::string> classes_without_images(const LearnState& state) {
  std::vector<bool> is_stored(state.classes.size());
  for (const Example& example : state.memory.examples()) is_stored[example.label] = true;
  std::vector<std::string> names;
  for (std::size_t label = 0; label < state.classes.size(); ++label) {
    if (!is_stored[label]) names.push_back(state.classes[label]);
  }
  return names;
}

std::vector<std::uint8_t> pixels_of(const LearnState& state, const StoredImageRecord& image) {
  const Memory& memory = memory_of(state, image.role);
  std::vector<std::uint8_t> scratch(memory.image_bytes());
  const std::uint8_t* const pixels = memory.image(image.slot, scratch);
  return {pixels, pixels + memory.image_bytes()};
}

}  // namespace gps
