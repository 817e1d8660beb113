#include "gps/deployment/divide.h"

#include <algorithm>
#include <string>
#include <unordered_set>

#include "gps/deployment/held_out.h"

namespace gps {
namespace {

using Images = std::unordered_set<std::string>;  // the bytes of each image, as it is stored

std::string bytes_of(const Dataset& data, std::size_t row) {
  std::vector<std::uint8_t> scratch(data.shape().bytes());
  const std::uint8_t* const image = data.image(row, scratch);
  return {image, image + scratch.size()};
}

Images images_of(const Memory& memory) {
  Images images;
  for (const Example& example : memory.examples())
    images.emplace(example.image.get(), example.image.get() + memory.stored_bytes());
  return images;
}

// Returns the image as the memory would store it.
std::string stored_bytes_of(const Dataset& data, std::size_t row, const Memory& memory) {
  std::vector<std::uint8_t> scratch(data.shape().bytes());
  const StoredImage stored = memory.stored({data.image(row, scratch), scratch.size()});
  return {stored.get(), stored.get() + memory.stored_bytes()};
}

Images images_of(const Dataset& data) {
  Images images;
  for (std::size_t row = 0; row < data.size(); ++row) images.insert(bytes_of(data, row));
  return images;
}

bool is_trained(const TrainedImages& trained, const Dataset& data, std::size_t row) {
  std::vector<std::uint8_t> scratch(data.shape().bytes());
  return trained.contains({data.image(row, scratch), scratch.size()});
}

template <typename Keep>
Dataset only(const Dataset& data, const Keep& keep) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < data.size(); ++row) {
    if (keep(row)) rows.push_back(row);
  }
  return data.subset(rows);
}

Dataset without(const Dataset& data, const Images& images) {
  return only(data, [&](std::uint32_t row) { return !images.contains(bytes_of(data, row)); });
}

bool has(const std::vector<Label>& labels, Label label) {
  return std::binary_search(labels.begin(), labels.end(), label);
}

}  // namespace

Division divide(const LearnState& state, const Memory& tests, const NewTask& task, const Rng& rng) {
  const Images replayed = images_of(state.memory);
  const Dataset taught = without(task.train, images_of(state.tests));
  const std::vector<Label> labels = labels_in(taught);
  const bool has_tests = task.test.size() > 0;
  const Dataset& offered = has_tests ? task.test : taught;
  const Dataset fresh = only(offered, [&](std::uint32_t row) {
    return has(labels, offered.label(row)) &&
           !replayed.contains(stored_bytes_of(offered, row, state.memory)) &&
           !is_trained(state.trained, offered, row);
  });
  std::vector<std::uint32_t> held =
      hold_out(fresh, test_quota(tests, fresh.size()), has_tests ? 1 : state.options.held_out, rng);
  Division parts;
  if (has_tests) {
    parts.tested = fresh;
    parts.kept = held;
    parts.train = without(taught, images_of(fresh));
    parts.not_tested = task.test.size() - fresh.size();
    parts.not_trained = task.train.size() - parts.train.size();
    return parts;
  }
  // A class whose images are all the same is trained on and not tested.
  parts.train = without(taught, images_of(fresh.subset(held)));
  const std::vector<Label> left = labels_in(parts.train);
  if (left != labels) {
    std::erase_if(held, [&](std::uint32_t row) { return !has(left, fresh.label(row)); });
    parts.train = without(taught, images_of(fresh.subset(held)));
  }
  parts.tested = fresh.subset(held);
  for (std::uint32_t row = 0; row < held.size(); ++row) parts.kept.push_back(row);
  parts.not_trained = task.train.size() - held.size() - parts.train.size();
  return parts;
}

}  // namespace gps
