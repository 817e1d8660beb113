// The options of a deployed classifier as one table: those that only it has, and those of its
// method (experiments/method_options.h). The command line of `gpscl learn`, its help, shell
// completion, and what a later call may change are derived from it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "gps/deployment/learn_options.h"
#include "gps/experiments/method_options.h"

namespace gps {

struct LearnOption : FamilyOption {
  bool may_change = false;  // in any call; otherwise it is fixed when the state is made
  std::function<OptionValue(const LearnOptions&)> get = {};  // the value that is used
  std::function<void(LearnOptions&, const OptionValue&)> set = {};
  std::function<bool(const LearnOptions&)> concerns = {};  // is it looked at with these options?
  // What there is instead if it is not, as in MethodOption.
  std::function<std::string(const LearnOptions&)> instead = {};
};

// In the order of the help. All options of a method that runs have, except those that only learners
// look at which cannot be deployed, those that would have one possible value here, and
// unknown-length: the number of tasks is never known.
const std::vector<LearnOption>& learn_rows();

// What a user said: text by flag. Flags that are not in the table belong to others.
using GivenTexts = std::map<std::string, std::string>;

// Returns the options of a new state, before settle(): the defaults of the learner, policy and
// model that are given, then everything else that is given. The facts say what fits the data; the
// learner and the model in them do not matter. Throws UsageError, also for an option that has no
// effect.
LearnOptions new_learn_options(const GivenTexts& given, const DataFacts& facts = {});

// Changes what may change in a state. A learner or policy that is new to the state has its defaults
// in all that is not given, except for the learning rate and the images of a step. Throws
// UsageError for an option that has no effect, and for one that is fixed and has another value in
// this state. The state itself follows with adopt() (change_state.h).
void change_options(LearnOptions& options, const GivenTexts& given);

// Throws OptionError: "`memory` is 40 in this state and cannot change, got 50; start a new
// state for that".
[[noreturn]] void refuse_change(const std::string& flag, const std::string& has,
                                const std::string& got);

}  // namespace gps
