// The class, the task and the split (training or test) of each of the user's own images, with names
// turned into numbers.
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
  bool has_split = false;                // whether the data marks test images
  // One element per image:
  std::vector<Label> labels;
  std::vector<std::size_t> tasks;  // from 0
  std::vector<Split> splits;

  // Returns the outline of some of the images. Names keep their numbers.
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

// Numbers the names in natural order. Throws DataError, which names `path` and an image, if an
// image has no label, if only some images have a task or a split, or if a name is not in UTF-8.
Outline outline_of(const std::filesystem::path& path, const std::vector<ImageFile>& files);

// Throws DataError unless every class of every task has training examples, and every task can have
// test examples. If nothing marks them, a class with one image has none. `tasks` is the number of
// tasks that the classes are divided among, if the data has no tasks.
void check_examples(const std::filesystem::path& path, const Outline& outline, std::size_t tasks);

// Returns the classes that have one image, which is not for testing: "class 'a' of task 'b'".
std::vector<std::string> single_images(const Outline& outline);

}  // namespace gps
