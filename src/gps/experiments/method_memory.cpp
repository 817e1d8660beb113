#include "gps/experiments/method_memory.h"

#include <algorithm>
#include <utility>

#include "gps/learners/stored_logits.h"

namespace gps {

ExampleFormat example_format(const Method& method) {
  return {make_codec(method.codec),
          stored_logits_format(method.learner).value_or(LogitsFormat::float32)};
}

void count_in_examples(Method& method, const ImageShape& shape, int classes) {
  if (method.memory_bytes == 0 || method.policy.name == "none") return;
  const bool has_logits = stored_logits_format(method.learner).has_value();
  const std::size_t fit = examples_within(method.memory_bytes, example_format(method), shape,
                                          has_logits ? static_cast<std::size_t>(classes) : 0);
  method.memory = static_cast<int>(std::min<std::size_t>(fit, kLargestMemory));
  method.memory_bytes = 0;
}

Memory make_memory(const Method& method, const ImageShape& shape, const Augmentation& augmentation,
                   int classes) {
  ExampleFormat format = example_format(method);
  format.codec->check(shape);
  Method counted = method;
  count_in_examples(counted, shape, classes);
  return {static_cast<std::size_t>(counted.memory), shape, augmentation, std::move(format)};
}

}  // namespace gps
