// Calls of `gpscl learn` that change a state and learn nothing: options, --rename, --remove-class,
// --accept.
// docs/learn.md says what each does.
#pragma once

#include <string>
#include <vector>

#include "gps/deployment/state_folder.h"
#include "gps/deployment/stored/state_log.h"
#include "learn/learn_options.h"

namespace gps::cli {

// Whether the request is one of these.
bool changes_state(const LearnRequest& request);

// Carries it out, prints what was done, and returns the exit code.
// REQUIRES: changes_state(request); the lock of the folder.
int change_state(const LearnRequest& request, StateFolder& folder, StateLog& log);

// Goes back to the version before, and returns the exit code.
// REQUIRES: the lock of the folder.
int roll_back(const LearnRequest& request, StateFolder& folder, StateLog& log);

// Gives a state the options that the request changes, and tells the user what that means for what
// is stored. Throws UsageError for options that cannot change.
void change_options_of(LearnState& state, const LearnRequest& request);

// Tells the user about files that may still contain images which the state no longer has.
void tell_left_files(const std::vector<std::string>& files);

// Prints the report of a version that is kept. Throws DataError that says so if it cannot.
void print_kept(const std::string& text, int version);

}  // namespace gps::cli
