#include "gps/learners/stored_logits.h"

#include "gps/memory/decoded_rows.h"

namespace gps {

const OptionTable<StoredLogitsOptions>& stored_logits_options() {
  static const OptionTable<StoredLogitsOptions> table = {
      choice("logits", &StoredLogitsOptions::logits,
             {{"float32", LogitsFormat::float32},
              {"float16", LogitsFormat::float16},
              {"int8", LogitsFormat::int8}},
             "how the stored logits are kept: in four, two or one byte each")
          .silent(),
  };
  return table;
}

std::optional<LogitsFormat> stored_logits_format(const LearnerOptions& options) {
  const auto& own = find(learner_catalog(), "learner", options.name).options;
  if (find_option(own, "logits") == nullptr) return std::nullopt;
  return stored_logits_options().read(options.settings).logits;
}

void store_missing_logits(Memory& memory, Learner& learner) {
  if (!learner.stores_logits()) return;
  std::vector<std::size_t> slots;
  for (std::size_t slot = 0; slot < memory.size(); ++slot) {
    if (!memory[slot].logits) slots.push_back(slot);
  }
  const std::size_t classes = learner.classes();
  std::vector<float> logits(slots.size() * classes);
  for_decoded(memory, slots, [&](std::size_t first, ImageRows images) {
    learner.scores(images, std::span(logits).subspan(first * classes, images.size() * classes));
  });
  for (std::size_t k = 0; k < slots.size(); ++k) {
    Example example = memory[slots[k]];
    example.logits =
        store_logits(std::span(logits).subspan(k * classes, classes), memory.format().logits);
    memory.replace(slots[k], std::move(example));
  }
}

}  // namespace gps
