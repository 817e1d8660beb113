// The images of a folder or a manifest (data/images/image_listing.h) as a state learns them.
#pragma once

#include <string>
#include <vector>

#include "gps/data/images/decode_image.h"
#include "gps/data/images/image_listing.h"
#include "gps/data/loading.h"
#include "gps/data/normalisation.h"

namespace gps {

// Throws DataError if some image has no label, or the listing has several tasks: those come one at
// a time.
void check_is_one_task(const ImageListing& listing, const std::string& name);

// The known classes, and after them those of the listing that are new, in its order.
std::vector<std::string> classes_with(const std::vector<std::string>& known,
                                      const ImageListing& listing);

// The labels of the listing's training images among these classes, ascending.
std::vector<Label> labels_of(const ImageListing& listing, const std::vector<std::string>& classes);

// Sides of the first image, if they are at most kLargestSide, or kUsualSide; colour if the first
// image of some class has it. Throws DataError if none of them can be read.
inline constexpr int kLargestSide = 64;
inline constexpr int kUsualSide = 32;
ImageShape shape_of(const ImageListing& listing);

// Decoded images of one shape, divided as the listing says.
struct LabelledImages {
  Dataset train;
  Dataset test;
  std::vector<BadImage> bad;
};
// REQUIRES: all labels are among the classes.
LabelledImages read_images(const ImageListing& listing, const std::vector<std::string>& classes,
                           const ImageShape& shape, const LoadHooks& hooks);

// Mean and deviation of all pixels, channel by channel. A deviation is at least 1/255.
Normalisation measured(const Dataset& data);

}  // namespace gps
