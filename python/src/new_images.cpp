#include "new_images.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "gps/benchmarks/own_stream.h"
#include "gps/core/text/normal_form.h"
#include "gps/core/text/printable.h"
#include "gps/experiments/spec/fit_to_data.h"

namespace gps::python {

ImageShape shape_of_rows(const py::buffer_info& rows) {
  const auto side = [&](int k) {
    return static_cast<int>(rows.shape[static_cast<std::size_t>(k)]);
  };
  return {side(1), side(2), side(3)};
}

std::vector<std::uint8_t> copied(const py::buffer_info& rows) {
  const auto* first = static_cast<const std::uint8_t*>(rows.ptr);
  return {first, first + rows.size};
}

DataFacts NewImages::facts(const ImageShape& learnt, const std::string& model) const {
  if (listing) return facts_of(*listing, learnt, model);
  DataFacts known;
  known.image = learnt;
  known.model = model;
  known.images = train_classes.size();
  const std::set<std::string> names(train_classes.begin(), train_classes.end());
  known.classes = static_cast<int>(names.size());
  if (model.empty() && wants_convolutions(known)) known.has_libtorch = has_libtorch();
  return known;
}

std::vector<std::string> normalised_names(std::vector<std::string> names) {
  for (std::string& name : names) {
    if (!is_utf8(name) || name.empty())
      throw UsageError(fmt::format("'{}' cannot be the name of a class", printable(name)));
    name = normal_form(name);
  }
  return names;
}

std::vector<std::string> known_and_new(std::vector<std::string> known,
                                       const std::vector<std::string>& seen) {
  for (const std::string& name : seen) {
    if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
  }
  return known;
}

std::vector<Label> labels_among(const std::vector<std::string>& names,
                                const std::vector<std::string>& classes) {
  std::vector<Label> labels;
  for (const std::string& name : names) {
    const auto at = std::find(classes.begin(), classes.end(), name);
    labels.push_back(static_cast<Label>(at - classes.begin()));
  }
  return labels;
}

std::vector<Label> ascending(std::vector<Label> labels) {
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  return labels;
}

void set_shape(LearnOptions& options, const LearnCall& call, const NewImages& images) {
  options.shape = images.listing ? shape_of(*images.listing) : images.shape;
  if (!images.listing) return;
  if (!call.image_size.empty()) {
    const auto size = parse_image_size(call.image_size);
    if (!size || std::max(size->first, size->second) > kMostSide) {
      throw OptionError("image-size",
                        fmt::format("must be N or HxW, with sides of 1 to {} pixels, got '{}'",
                                    kMostSide, call.image_size));
    }
    options.shape.height = size->first;
    options.shape.width = size->second;
  }
  if (call.colour != "auto") options.shape.channels = call.colour == "grey" ? 1 : 3;
}

void fill(NewTask& task, NewImages images, const LearnState& state, const LearnCall& call,
          const LoadHooks& hooks) {
  if (images.listing) {
    LabelledImages read = read_images(*images.listing, task.classes, state.options, hooks);
    if (!read.bad.empty() && !call.skip_bad) {
      throw ManyProblems(fmt::format(
          "{}: {}\n  repair or remove them, or leave them out with `skip-bad`=True",
          printable(images.path), bad_images_text(read.bad, images.listing->files.size())));
    }
    task.train = std::move(read.train);
    task.test = std::move(read.test);
    return;
  }
  const auto classes = static_cast<int>(task.classes.size());
  task.train = Dataset(images.shape, std::move(images.train),
                       labels_among(images.train_classes, task.classes), classes);
  if (!images.test_classes.empty()) {
    task.test = Dataset(images.shape, std::move(images.test),
                        labels_among(images.test_classes, task.classes), classes);
  }
}

}  // namespace gps::python
