// What is probably a mistake in a user's images, but no reason to refuse them: one line each, ""
// if there is nothing to say.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gps/data/images/image_listing.h"

namespace gps {

// Says which classes have names that differ only in letter case or blanks at the ends. Classes
// before `first_new` are known already: those that are only like each other are not named.
std::string similar_names_text(const std::vector<std::string>& classes, std::size_t first_new = 0);

// Says how many images appear under more than one label, with an example. `hashes` are those of the
// images' contents; 0: not readable. REQUIRES: one hash for each file.
std::string same_images_text(std::span<const ImageFile> files,
                             std::span<const std::uint64_t> hashes);

// Says which classes have one image, which is for training. `classes` are words such as "class 'a'
// of task 'b'".
std::string single_images_text(const std::vector<std::string>& classes);

}  // namespace gps
