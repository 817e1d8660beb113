// The memory of a method, for images that are known: its format, and how many examples it holds.
#pragma once

#include "gps/experiments/method.h"
#include "gps/memory/memory.h"

namespace gps {

// How the method's memory stores an example. Throws OptionError for an unknown codec.
ExampleFormat example_format(const Method& method);

// Turns a budget in bytes into the number of examples of this shape that it holds, at most
// kLargestMemory: sets method.memory, and method.memory_bytes to 0. `classes` is the number of
// logits that learners store. Changes nothing if the budget is a number of examples, or if there is
// no memory. Throws OptionError if not even one example fits.
void count_in_examples(Method& method, const ImageShape& shape, int classes);

// Makes the method's memory, which is empty. Throws OptionError if it cannot store such images, or
// not even one of them.
Memory make_memory(const Method& method, const ImageShape& shape, const Augmentation& augmentation,
                   int classes);

}  // namespace gps
