#include "gps/learners/stored_logits.h"

namespace gps {

void store_missing_logits(Memory& memory, Learner& learner) {
  if (!learner.stores_logits()) return;
  std::vector<std::size_t> slots;
  std::vector<const std::uint8_t*> images;
  for (std::size_t slot = 0; slot < memory.size(); ++slot) {
    if (memory[slot].logits) continue;
    slots.push_back(slot);
    images.push_back(memory[slot].image.get());
  }
  const std::size_t classes = learner.classes();
  std::vector<float> logits(slots.size() * classes);
  learner.scores(images, logits);
  for (std::size_t k = 0; k < slots.size(); ++k) {
    Example example = memory[slots[k]];
    example.logits = store_logits(std::span(logits).subspan(k * classes, classes));
    memory.replace(slots[k], std::move(example));
  }
}

}  // namespace gps
