// Turns the images of a folder or a manifest (data/images/image_listing.h) into data that a state
// learns.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gps/data/images/decode_image.h"
#include "gps/data/images/image_listing.h"
#include "gps/data/loading.h"
#include "gps/data/normalisation.h"
#include "gps/data/usual_settings.h"
#include "gps/deployment/learn_options.h"

namespace gps {

// Throws DataError if an image has no label, if a name is not in UTF-8, or if the listing has more
// than one task. `name` is the path that was listed; the message proposes a command for `state`.
void check_is_one_task(const ImageListing& listing, const std::string& name,
                       const std::string& state = "STATE");

// Returns the known classes, followed by the new classes of the listing in its order. Names are
// compared in normal form (core/text/normal_form.h).
std::vector<std::string> classes_with(const std::vector<std::string>& known,
                                      const ImageListing& listing);

// Throws UsageError if there are more than `known` classes; it names the first of the others, and
// the most similar known one.
void check_are_known(const std::vector<std::string>& classes, std::size_t known);

// Returns the labels of the listing's training images among these classes, ascending.
std::vector<Label> labels_of(const ImageListing& listing, const std::vector<std::string>& classes);

// Returns the shape for the images. Its sides are usual_size() of the first readable image
// (data/usual_settings.h). It has colour if the first readable image of some class has it. Throws
// DataError that lists the images if none can be read.
ImageShape shape_of(const ImageListing& listing);

// Returns what the listing says of a first task whose images have this shape. `model` is the
// network if the user chose one; if not, and if the one that fits may need it, loads LibTorch to
// see whether it is there.
DataFacts facts_of(const ImageListing& listing, const ImageShape& shape, const std::string& model);

// Decoded images of one shape, split into training and test images as the listing says.
struct LabelledImages {
  Dataset train;
  Dataset test;
  std::vector<BadImage> bad;
  std::vector<std::uint64_t> hashes;  // of the pixels of each file of the listing; 0: not readable
};
// With a backbone, `train` and `test` have features in place of pixels. REQUIRES: all labels are
// among the classes.
LabelledImages read_images(const ImageListing& listing, const std::vector<std::string>& classes,
                           const LearnOptions& options, const LoadHooks& hooks);

// Returns the classes that have one image, which is for training: "class 'a'". Empty if there are
// test images.
std::vector<std::string> single_images(const LabelledImages& images,
                                       const std::vector<std::string>& classes);

// Returns the mean and standard deviation of all pixels of each channel. A deviation is at least
// 1/255.
Normalisation measured(const Dataset& data);

}  // namespace gps
