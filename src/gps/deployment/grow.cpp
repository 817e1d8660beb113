#include "gps/deployment/grow.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "gps/memory/build.h"
#include "gps/memory/quota.h"

namespace gps {

std::unique_ptr<Network> grown(const Network& network, const NetworkOptions& options,
                               const ImageShape& shape, int classes,
                               const Normalisation& normalisation, const Rng& rng) {
  if (network.classes() >= static_cast<std::size_t>(classes)) return network.clone();
  NetworkOptions anew = options;
  anew.weights.clear();
  std::unique_ptr<Network> larger = make_network(anew, shape, classes, normalisation, rng);
  const NamedTensors before = network.tensors();
  const NamedTensors after = larger->tensors();
  std::vector<float> state;
  for (std::size_t k = 0; k < after.size(); ++k) {
    const NamedTensor& from = before.at(k);
    const NamedTensor& to = after[k];
    const bool is_same = from.shape == to.shape;
    // Tensors are stored row by row, so the rows of the old classes are at the start.
    const bool has_grown =
        !from.shape.empty() && from.shape.size() == to.shape.size() &&
        from.shape.front() == static_cast<std::int64_t>(network.classes()) &&
        to.shape.front() == static_cast<std::int64_t>(larger->classes()) &&
        std::equal(from.shape.begin() + 1, from.shape.end(), to.shape.begin() + 1);
    if (from.name != to.name || (!is_same && !has_grown)) {
      throw DataError(fmt::format("{} {} cannot grow to {} {}", from.name, shape_text(from.shape),
                                  to.name, shape_text(to.shape)));
    }
    state.insert(state.end(), from.values.begin(), from.values.end());
    state.insert(state.end(), to.values.begin() + std::ssize(from.values), to.values.end());
  }
  larger->set_state(state);
  return larger;
}

std::unique_ptr<Network> without_output(const Network& network, const NetworkOptions& options,
                                        const ImageShape& shape, const Normalisation& normalisation,
                                        Label removed) {
  NetworkOptions anew = options;
  anew.weights.clear();
  const auto classes = static_cast<int>(network.classes()) - 1;
  std::unique_ptr<Network> smaller = make_network(anew, shape, classes, normalisation, Rng(0));
  const NamedTensors before = network.tensors();
  const NamedTensors after = smaller->tensors();
  std::vector<float> state;
  for (std::size_t k = 0; k < after.size(); ++k) {
    const NamedTensor& from = before.at(k);
    const NamedTensor& to = after[k];
    if (from.name == to.name && from.shape == to.shape) {
      state.insert(state.end(), from.values.begin(), from.values.end());
      continue;
    }
    const bool has_shrunk =
        !from.shape.empty() && from.shape.size() == to.shape.size() &&
        from.shape.front() == static_cast<std::int64_t>(network.classes()) &&
        to.shape.front() == classes &&
        std::equal(from.shape.begin() + 1, from.shape.end(), to.shape.begin() + 1);
    if (from.name != to.name || !has_shrunk) {
      throw DataError(fmt::format("{} {} cannot shrink to {} {}", from.name, shape_text(from.shape),
                                  to.name, shape_text(to.shape)));
    }
    const auto row = std::ssize(from.values) / static_cast<std::ptrdiff_t>(network.classes());
    const auto first = from.values.begin() + row * static_cast<std::ptrdiff_t>(removed);
    state.insert(state.end(), from.values.begin(), first);
    state.insert(state.end(), first + row, from.values.end());
  }
  smaller->set_state(state);
  return smaller;
}

void grow_stored_logits(Memory& memory, Network& network, std::size_t old_classes) {
  const std::size_t classes = network.classes();
  std::vector<float> logits(classes);
  std::vector<std::uint8_t> scratch(memory.image_bytes());
  for (std::size_t slot = 0; slot < memory.size(); ++slot) {
    Example example = memory[slot];
    if (!example.logits) continue;
    const std::uint8_t* const image = memory.image(slot, scratch);
    network.logits({&image, 1}, logits);
    memory.read_logits(example, std::span(logits).first(old_classes));
    example.logits = store_logits(logits, memory.format().logits);
    memory.replace(slot, std::move(example));
  }
}

void shrink_to(Memory& memory, std::size_t capacity) {
  std::map<int, std::size_t> stored;
  for (const Example& example : memory.examples()) ++stored[example.task];
  Quotas quotas;
  std::vector<std::size_t> counts;
  for (const auto& [task, count] : stored) {
    quotas.tasks.push_back(task);
    counts.push_back(count);
  }
  quotas.sizes = task_quotas(capacity, counts);
  shrink(memory, quotas);
  memory.limit(capacity);
}

}  // namespace gps
