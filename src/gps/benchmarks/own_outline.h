// The class, the task and the part (training or test) of each of a user's own images. Names become
// numbers.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gps/data/dataset.h"
#include "gps/data/images/image_listing.h"

namespace gps {

struct Outline {
  std::vector<std::string> class_names;  // by label
  std::vector<std::string> task_names;   // empty: the data has no tasks
  bool has_split = false;                // are images for testing named?
  // Of each image:
  std::vector<Label> labels;
  std::vector<std::size_t> tasks;  // from 0
  std::vector<Split> splits;

  // That of some of the images. Names keep their numbers.
  Outline restricted(const std::vector<std::size_t>& images) const {
    Outline some{class_names, task_names, has_split, {}, {}, {}};
    for (const std::size_t i : images) {
      some.labels.push_back(labels[i]);
      some.tasks.push_back(tasks[i]);
      some.splits.push_back(splits[i]);
    }
    return some;
  }
};

// Names are numbered in natural order. Throws DataError, naming `path` and an image, if one has no
// label, or some have a task or a split and others have none, or a name is not in UTF-8.
Outline outline_of(const std::filesystem::path& path, const std::vector<ImageFile>& files);

// Throws DataError unless every class of every task has something to train on, and every task
// something to be tested on.
void check_examples(const std::filesystem::path& path, const Outline& outline);

}  // namespace gps
