// The images of a call of learn(), and what it says of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bindings.h"
#include "gps/data/images/image_listing.h"
#include "gps/deployment/learn.h"
#include "gps/deployment/learn_rows.h"
#include "gps/deployment/new_data.h"

namespace gps::python {

// What a call of learn() says besides its data.
struct LearnCall {
  std::string name;
  GivenTexts given;
  std::string image_size;
  std::string colour = "auto";
  bool skip_bad = false;
  bool again = false;
  bool accept = false;
  bool new_classes = true;
  bool wait = true;
  int jobs = 0;
};

// An array: n x channels x height x width.
ImageShape shape_of_rows(const py::buffer_info& rows);
std::vector<std::uint8_t> copied(const py::buffer_info& rows);

// New data: files, or rows of bytes that are in memory.
struct NewImages {
  std::optional<ImageListing> listing;
  std::string path;
  ImageShape shape;  // of the rows
  std::vector<std::uint8_t> train;
  std::vector<std::string> train_classes;
  std::vector<std::uint8_t> test;
  std::vector<std::string> test_classes;

  // Returns what is known of images that are learnt in this shape.
  DataFacts facts(const ImageShape& learnt, const std::string& model) const;
};

// Returns the names of classes in normal form. Throws UsageError for one that cannot be a name.
std::vector<std::string> normalised_names(std::vector<std::string> names);
// Returns the known names, and behind them those of the others that are new.
std::vector<std::string> known_and_new(std::vector<std::string> known,
                                       const std::vector<std::string>& seen);
// REQUIRES: all names are among the classes.
std::vector<Label> labels_among(const std::vector<std::string>& names,
                                const std::vector<std::string>& classes);
// Returns each label once.
std::vector<Label> ascending(std::vector<Label> labels);

// Sets the shape of a new state from the images and from what the call says of them.
void set_shape(LearnOptions& options, const LearnCall& call, const NewImages& images);

// Fills in the images of the task. Its classes must be there.
void fill(NewTask& task, NewImages images, const LearnState& state, const LearnCall& call,
          const LoadHooks& hooks);

}  // namespace gps::python
