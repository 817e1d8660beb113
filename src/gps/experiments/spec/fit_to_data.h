// Applies the settings that fit the data (data/usual_settings.h) to a method or a run.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "gps/data/usual_settings.h"
#include "gps/experiments/spec/spec.h"

namespace gps {

// Returns whether networks that need LibTorch can be made. Loads it.
bool has_libtorch();

// Returns the facts about the user's own images; `model` is the network if the user chose one.
// Lists the files again, to see which of them are for training. REQUIRES: stream.own.
DataFacts facts_of(const BenchmarkOptions& stream, const std::string& learner,
                   const std::string& model);

// Sets the network, the learning rate, the length and the weights of a method. A network that the
// user chose keeps its own width. ogd keeps its learning rate (presets.h).
void fit(Method& method, const UsualSettings& settings);

// Does so for a run before the user's options are set: all of it for the user's own images, with
// the same number of steps for every task unless tasks are large. For a benchmark only the learning
// rate and the weights, and only if `model` is not that of the paper. Returns what was chosen for
// the user's own images.
std::optional<UsualSettings> fit_to_data(Spec& spec, const std::string& model);

// Returns what was chosen, for a person: "model convnet of width 16 because the images are in
// colour, learning rate 0.03, 10 epochs because a task has about 80 images". Leaves out what was
// given: texts by flag.
std::string chosen_text(const Method& method, const UsualSettings& settings,
                        const std::map<std::string, std::string>& given);

}  // namespace gps
