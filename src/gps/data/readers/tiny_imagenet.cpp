#include "gps/data/readers/tiny_imagenet.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>

#include "gps/core/errors.h"
#include "gps/core/hash.h"
#include "gps/core/text/text.h"
#include "gps/data/images/image_cache.h"
#include "gps/data/images/jpeg.h"

namespace gps {
namespace {

namespace fs = std::filesystem;

constexpr ImageShape kTinyImagenetShape{3, 64, 64};

std::string read_text(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) refuse(path, "is missing or not a file");
  try {
    std::ifstream in(path, std::ios::binary);
    if (in) return {std::istreambuf_iterator<char>(in), {}};
  } catch (const std::ios_base::failure&) {  // a disk error while reading
  }
  refuse(path, "cannot be read");
}

// Returns the non-empty lines, without LF or CRLF.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::string& line : split(text, '\n')) {
    if (line.ends_with('\r')) line.pop_back();
    if (!line.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

// The images and labels that the tree names, before any image is opened.
struct Listing {
  std::vector<fs::path> images;  // training examples, then test examples
  std::vector<Label> labels;
  std::size_t train = 0;
  std::string description;  // of everything that the result depends on

  void add(const fs::path& image, Label label) {
    std::error_code error;
    const std::uintmax_t size = fs::file_size(image, error);
    if (error) refuse(image, fmt::format("cannot be read: {}", error.message()));
    const auto time = fs::last_write_time(image, error).time_since_epoch().count();
    fmt::format_to(std::back_inserter(description), "{} {} {} {}\n", image.filename().string(),
                   label, size, time);
    images.push_back(image);
    labels.push_back(label);
  }
};

using Classes = std::map<std::string, Label>;

Classes read_classes(const fs::path& path, const std::vector<std::string>& wnids, int classes) {
  if (wnids.size() != static_cast<std::size_t>(classes))
    refuse(path, fmt::format("names {} classes; expected {}", wnids.size(), classes));
  Classes labels;
  for (const std::string& wnid : wnids) {
    const bool is_new = labels.emplace(wnid, static_cast<Label>(labels.size())).second;
    if (!is_new || wnid.find('/') != std::string::npos)
      refuse(path, fmt::format("'{}' appears twice or is not a class", wnid));
  }
  return labels;
}

void list_class(const fs::path& folder, Label label, Listing& listing) {
  std::vector<fs::path> images;
  std::error_code error;
  fs::directory_iterator entries(folder, error);
  if (error) refuse(folder, fmt::format("cannot be read: {}", error.message()));
  for (const fs::directory_entry& entry : entries) {
    if (entry.path().extension() == ".JPEG") images.push_back(entry.path());
  }
  if (images.empty()) refuse(folder, "contains no *.JPEG; expected images of its class");
  std::sort(images.begin(), images.end());
  for (const fs::path& image : images) listing.add(image, label);
}

void list_validation(const fs::path& folder, const Classes& labels, Listing& listing) {
  const fs::path path = folder / "val_annotations.txt";
  const std::string text = read_text(path);
  listing.description += text;
  std::size_t number = 0;
  for (const std::string& line : lines_of(text)) {
    ++number;
    const std::vector<std::string> fields = split(line, '\t');
    if (fields.size() < 2 || fields[0].empty() || fields[0].find('/') != std::string::npos)
      refuse(path, fmt::format("line {} is '{}'; expected a file, a class and a box, with tabs "
                               "between them",
                               number, line.substr(0, 80)));
    const auto label = labels.find(fields[1]);
    if (label == labels.end())
      refuse(path,
             fmt::format("line {} has class '{}'; expected one of wnids.txt", number, fields[1]));
    listing.add(folder / "images" / fields[0], label->second);
  }
  if (number == 0) refuse(path, "is empty; expected a line for each image");
}

Listing list_tree(const fs::path& tree, int classes) {
  Listing listing;
  const std::string text = read_text(tree / "wnids.txt");
  const std::vector<std::string> wnids = lines_of(text);
  const Classes labels = read_classes(tree / "wnids.txt", wnids, classes);
  listing.description = text;
  for (const std::string& wnid : wnids)
    list_class(tree / "train" / wnid / "images", labels.at(wnid), listing);
  listing.train = listing.images.size();
  list_validation(tree / "val", labels, listing);
  return listing;
}

}  // namespace

void check_tiny_imagenet(const fs::path& tree, int classes) { list_tree(tree, classes); }

fs::path decoded_tiny_imagenet(const fs::path& tree, const fs::path& cache) {
  // Trees with the same name in different folders are different trees.
  const std::uint64_t place = hash64(std::string_view(fs::canonical(tree).native()));
  return cache / "decoded" / fmt::format("tiny-imagenet-{:016x}.images", place);
}

TrainTest read_tiny_imagenet(const fs::path& tree, int classes, const fs::path& cache,
                             const LoadHooks& hooks) {
  if (cache.empty()) {
    refuse(tree, "there is no folder for its decoded images; set $XDG_CACHE_HOME or $HOME");
  }
  const Listing listing = list_tree(tree, classes);
  const auto decode = [&](std::size_t i, std::span<std::uint8_t> out) {
    const std::string bytes = read_text(listing.images[i]);
    decode_jpeg({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()},
                listing.images[i], kTinyImagenetShape, out);
  };
  const ImageStore images =
      cached_images(decoded_tiny_imagenet(tree, cache),
                    {tree.filename().string(), hash64(std::string_view(listing.description)),
                     kTinyImagenetShape, listing.labels, decode},
                    hooks);
  const std::span labels(listing.labels);
  const ImageStore test(images, images.get() + listing.train * kTinyImagenetShape.bytes());
  return {Dataset(kTinyImagenetShape, images, labels.first(listing.train), classes),
          Dataset(kTinyImagenetShape, test, labels.subspan(listing.train), classes)};
}

}  // namespace gps
