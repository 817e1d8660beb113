// States of gpscl learn, without their frame: what was read is the same when it is written and read
// again, is free of contradictions, and can predict. The first byte chooses the format.
#include <optional>

#include "fuzz/fuzz.h"
#include "gps/deployment/learn_state.h"
#include "gps/deployment/predict.h"

namespace gps::fuzz {
namespace {

void check_examples(const LearnState& state, const Memory& memory) {
  require(memory.size() <= memory.capacity(), "a memory is not over its capacity");
  std::vector<std::uint8_t> scratch(memory.image_bytes());
  for (const Example& example : memory.examples()) {
    require(example.label < state.classes.size(), "an example has a known class");
    require(example.task >= 1 && static_cast<std::size_t>(example.task) <= state.tasks.size(),
            "an example has a known task");
    // A row that its codec did not write is refused when it is read.
    is_readable([&] { touch({memory.image(example, scratch), memory.image_bytes()}); });
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::uint32_t format = 1 + data[0] % kStateFormat;
  std::optional<LearnState> state;
  if (!is_accepted([&] { state = state_from(text_of(data + 1, size - 1), folder(), format); }))
    return 0;
  check_examples(*state, state->memory);
  check_examples(*state, state->tests);
  for (const TaskRecord& task : state->tasks) {
    for (const Label label : task.labels)
      require(label < state->classes.size(), "a task has known classes");
  }
  const std::string bytes = to_bytes(*state);
  LearnState again = state_from(bytes, folder());
  require(to_bytes(again) == bytes, "a state is read as it was written");
  const std::vector<std::uint8_t> image(state->options.shape.bytes());
  const std::uint8_t* const row = image.data();
  predict(*state, {&row, 1}, /*top=*/3);
  return 0;
}

}  // namespace gps::fuzz
