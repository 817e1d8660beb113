// Changes of a state between two tasks that learn nothing: another memory, policy or learner, and
// classes that are renamed or removed, and images that are removed. They change the state in
// memory; state_folder.h keeps it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gps/deployment/learn_state.h"

namespace gps {

// Gives the state options that change_options() has changed, and returns what that means for what
// is stored, one line each; nothing if nothing of it changes.
//
// A smaller memory shrinks by the rules of its policy. Policies with shares for each task shrink
// every task to its new share, the images that were chosen at random first; the others lose images
// at random. A larger one is filled by later tasks: images that are gone do not come back. Test
// images shrink likewise, from the end of each task's list. Another policy chooses from the next
// task on. A learner that stores logits gets those of the network as it is. The network stays.
//
// REQUIRES: settled options, of the same network, images and codec. Throws UsageError for a learner
// that answers by stored images (icarl) if a class has none.
std::vector<std::string> adopt(LearnState& state, const LearnOptions& changed);

// Gives a class another name, and returns it as it is stored: in one form of Unicode. Throws
// UsageError if there is no such class, or if the new name is empty, not in UTF-8 or that of
// another class.
std::string rename_class(LearnState& state, std::string_view name, std::string_view new_name);

struct RemovedImages {
  std::size_t replayed = 0;  // stored images that were removed
  std::size_t tests = 0;
};

// Removes a class: its stored images, their logits, its output, its name. Its accuracies in
// records of tasks stay, and so do the hashes of its images: nobody knows which they are. The other
// weights stay as they are, also where images of the class have changed them. Throws UsageError if
// there is no such class, if it is the only one, or if the network is the user's own.
RemovedImages remove_class(LearnState& state, std::string_view name);

// Removes stored images by the hashes of their pixels (stored/image_hash.h), and what is stored
// with them. The weights stay. Throws UsageError if the learner answers by stored images (icarl)
// and a class would be left without.
RemovedImages remove_images(LearnState& state, const std::vector<std::uint64_t>& hashes);

// Returns whether the state has this class.
bool has_class(const LearnState& state, std::string_view name);

}  // namespace gps
