#include "gps/deployment/new_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "gps/core/errors.h"
#include "gps/core/hash.h"
#include "gps/core/text/nearest.h"
#include "gps/core/text/normal_form.h"
#include "gps/core/text/shell.h"
#include "gps/core/text/text.h"
#include "gps/experiments/spec/fit_to_data.h"
#include "gps/nn/backbone.h"

namespace gps {
namespace {

std::map<std::string, Label> by_name(const std::vector<std::string>& classes) {
  std::map<std::string, Label> labels;
  for (std::size_t k = 0; k < classes.size(); ++k)
    labels.emplace(normal_form(classes[k]), static_cast<Label>(k));
  return labels;
}

}  // namespace

void check_is_one_task(const ImageListing& listing, const std::string& name,
                       const std::string& state) {
  std::vector<std::string> tasks;
  for (const ImageFile& file : listing.files) {
    if (file.label.empty() && is_manifest(name)) {
      throw DataError(
          fmt::format("{}: no column 'label'; got '{}'", name, join(listing.columns, "', '")));
    }
    if (file.label.empty() && file.path == name)
      throw DataError(fmt::format("{}: is neither a folder nor a manifest (.csv)", name));
    if (file.label.empty()) {
      throw DataError(fmt::format(
          "{}: has no label; put the images of a class into a folder with its name: {}/CLASS/IMAGE",
          file.path.string(), name));
    }
    if (tasks.empty() || tasks.back() != file.task) tasks.push_back(file.task);
  }
  check_names(name, listing.files);
  if (tasks.size() > 1) {
    throw DataError(
        fmt::format("{}: has {} tasks ({}, {}{}), but learn takes one at a time: {}", name,
                    tasks.size(), tasks[0], tasks[1], tasks.size() > 2 ? ", …" : "",
                    is_manifest(name) ? std::string("one manifest for each")
                                      : fmt::format("gpscl learn {} {}", shell_quoted(state),
                                                    shell_quoted(name + "/" + tasks[0]))));
  }
}

std::vector<std::string> classes_with(const std::vector<std::string>& known,
                                      const ImageListing& listing) {
  std::vector<std::string> classes = known;
  std::set<std::string> seen;
  for (const std::string& name : known) seen.insert(normal_form(name));
  for (const ImageFile& file : listing.files) {
    if (seen.insert(file.label).second) classes.push_back(file.label);
  }
  return classes;
}

void check_are_known(const std::vector<std::string>& classes, std::size_t known) {
  if (classes.size() == known) return;
  const std::vector<std::string> all(classes.begin(),
                                     classes.begin() + static_cast<std::ptrdiff_t>(known));
  throw UsageError(fmt::format("class '{}' is not known to this state; {}", classes[known],
                               all.empty()
                                   ? "the state has no classes yet"
                                   : fmt::format("the most similar of its {} classes is '{}'",
                                                 known, nearest(classes[known], all))));
}

std::vector<Label> labels_of(const ImageListing& listing, const std::vector<std::string>& classes) {
  const auto labels = by_name(classes);
  std::set<Label> found;
  for (const ImageFile& file : listing.files) {
    if (file.split != Split::test) found.insert(labels.at(file.label));
  }
  return {found.begin(), found.end()};
}

ImageShape shape_of(const ImageListing& listing) {
  ImageShape shape;
  std::set<std::string> seen;
  std::vector<std::uint8_t> bytes;
  std::vector<BadImage> bad;
  for (const ImageFile& file : listing.files) {
    if (seen.contains(file.label)) continue;
    try {
      read_image_file(file.path, bytes);
      const ImageHeader header = read_image_header(bytes, file.path.string());
      seen.insert(file.label);
      if (shape.width == 0) shape = {1, header.height, header.width};
      shape.channels = std::max(shape.channels, header.channels);
    } catch (const ImageError& error) {
      bad.push_back({file.path, error.reason()});
    }
  }
  if (shape.width == 0 && bad.size() == 1) throw ImageError(bad[0].path.string(), bad[0].reason);
  if (shape.width == 0) throw ManyProblems(bad_images_text(bad, listing.files.size()));
  std::tie(shape.height, shape.width) = usual_size(shape.height, shape.width);
  return shape;
}

DataFacts facts_of(const ImageListing& listing, const ImageShape& shape, const std::string& model) {
  DataFacts facts;
  facts.image = shape;
  facts.model = model;
  std::set<std::string> classes;
  for (const ImageFile& file : listing.files) {
    if (file.split == Split::test) continue;
    classes.insert(file.label);
    ++facts.images;
  }
  facts.classes = static_cast<int>(classes.size());
  if (model.empty() && wants_convolutions(facts)) facts.has_libtorch = has_libtorch();
  return facts;
}

LabelledImages read_images(const ImageListing& listing, const std::vector<std::string>& classes,
                           const LearnOptions& options, const LoadHooks& hooks) {
  const ImageShape& shape = options.shape;
  const auto labels = by_name(classes);
  DecodedImages decoded = decode_images(listing.files, shape, hooks);
  std::vector<std::uint64_t> hashes(listing.files.size());
  std::vector<Label> all;
  std::vector<std::uint32_t> train;
  std::vector<std::uint32_t> test;
  for (std::uint32_t k = 0; k < decoded.good.size(); ++k) {
    const ImageFile& file = listing.files[decoded.good[k]];
    all.push_back(labels.at(file.label));
    hashes[decoded.good[k]] = hash64(
        std::span<const std::uint8_t>(decoded.bytes).subspan(k * shape.bytes(), shape.bytes()));
    (file.split == Split::test ? test : train).push_back(k);
  }
  Dataset data(shape, std::move(decoded.bytes), all, static_cast<int>(classes.size()));
  if (options.has_backbone() && data.size() > 0) {
    const NetworkOptions& network = options.method.network;
    data = features_of(data, *open_backbone(network, shape), network, hooks);
  }
  return {data.subset(train), data.subset(test), std::move(decoded.bad), std::move(hashes)};
}

std::vector<std::string> single_images(const LabelledImages& images,
                                       const std::vector<std::string>& classes) {
  std::vector<std::string> found;
  if (images.test.size() > 0) return found;
  const auto rows = images.train.rows_by_class();
  for (std::size_t c = 0; c < rows.size(); ++c) {
    if (rows[c].size() == 1) found.push_back(fmt::format("class '{}'", classes.at(c)));
  }
  return found;
}

Normalisation measured(const Dataset& data) {
  const ImageShape& shape = data.shape();
  std::vector<ChannelSums> channels(static_cast<std::size_t>(shape.channels));
  std::vector<std::uint8_t> scratch(shape.bytes());
  for (std::size_t row = 0; row < data.size(); ++row) {
    const std::uint8_t* image = data.image(row, scratch);
    for (ChannelSums& channel : channels) {
      channel.add({image, shape.pixels()});
      image += shape.pixels();
    }
  }
  return normalisation_from(channels, data.size(), shape.pixels());
}

}  // namespace gps
