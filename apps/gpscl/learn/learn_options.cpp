#include "learn/learn_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gps/benchmarks/own_stream.h"
#include "gps/core/text/shell.h"
#include "gps/deployment/new_data.h"
#include "gps/nn/backbone.h"

namespace gps::cli {
namespace {

void set_size(ImageShape& shape, const std::string& text) {
  const auto size = parse_image_size(text);
  if (!size || std::max(size->first, size->second) > kMostSide) {
    throw OptionError(
        "image-size",
        fmt::format("must be N or HxW, with sides of 1 to {} pixels, got '{}'", kMostSide, text));
  }
  shape.height = size->first;
  shape.width = size->second;
}

// Returns the number of channels, or 0 to use that of the images.
int channels_of(const std::string& colour) {
  if (colour == "auto") return 0;
  return colour == "grey" ? 1 : 3;
}

// Returns how many images fit into this many megabytes.
int images_in(double megabytes, const LearnOptions& options) {
  constexpr double kMost = 1e9;  // images of a memory
  const ImageShape& shape = options.shape;
  const std::size_t bytes = options.rows().bytes();
  const double each = static_cast<double>(bytes);
  const double images = std::floor(megabytes * 1e6 / each);
  if (!(images < kMost)) {
    throw OptionError("memory-mb", fmt::format("is too large: must be below {} for these images, "
                                               "got {}",
                                               kMost * each / 1e6, megabytes));
  }
  if (images < 1 && options.has_backbone()) {
    throw UsageError(fmt::format("`memory-mb` {} is less than one image: {} features take {} bytes",
                                 megabytes, options.features, bytes));
  }
  if (images < 1) {
    throw UsageError(
        fmt::format("`memory-mb` {} is less than one image: {} x {} in {} take {} bytes", megabytes,
                    shape.height, shape.width, shape.channels == 1 ? "grey" : "colour", bytes));
  }
  return static_cast<int>(images);
}

// Throws OptionError if the budget cannot be said in bytes of pixels alone.
void check_megabytes(const LearnOptions& options) {
  const std::string& learner = options.method.learner.name;
  if (learner.starts_with("der")) {
    throw OptionError(
        "memory-mb",
        fmt::format("cannot be used with learner '{}': it also stores four bytes for each class "
                    "with every image, and the number of classes is not known; use `memory` N",
                    learner));
  }
  if (options.method.codec != Method().codec) {
    throw OptionError("memory-mb",
                      fmt::format("counts pixels only and cannot be used with `codec` {}; use "
                                  "`memory`, as in 2MB",
                                  options.method.codec));
  }
}

// Returns options of a new state whose images are not known yet, to refuse early what no images
// could make right.
LearnOptions first_options(const GivenTexts& given) {
  try {
    return new_learn_options(given);
  } catch (const OptionError&) {  // for example --width, which the mlp does not have
    if (given.contains("model")) throw;
    DataFacts photographs;
    photographs.image.channels = 3;
    try {
      return new_learn_options(given, photographs);
    } catch (const OptionError&) {
    }
    throw;
  }
}

}  // namespace

std::vector<Option> all_learn_options() {
  std::vector<Option> all = learn_actions().rows();
  for (const LearnOption& option : learn_rows()) all.push_back(option.row);
  return all + learn_image_options().rows() + learn_call_options().rows();
}

void LearnRequest::add_to(CLI::App& command) {
  command.add_option("state", state);
  command.add_option("data", data);
  command.add_flag("-h,--help", wants_help);
  command.add_flag("--help-all", wants_all_help);
  for (const Option& option : all_learn_options()) {
    const std::string dashed = "--" + option.flag;
    if (command.get_option_no_throw(dashed) != nullptr) continue;  // init is a name or a file
    if (option.kind == OptionKind::flag) {
      command.add_flag(dashed, [this, flag = option.flag](std::int64_t) { given[flag] = "true"; });
    } else {
      command.add_option_function<std::string>(
          dashed, [this, flag = option.flag](const std::string& text) { given[flag] = text; });
    }
  }
}

std::string LearnRequest::command() const {
  std::string text = "gpscl learn " + shell_quoted(state);
  if (!data.empty()) text += " " + shell_quoted(data);
  for (const Option& option : all_learn_options()) {
    const auto at = given.find(option.flag);
    if (at == given.end()) continue;
    text += " --" + option.flag;
    if (option.kind != OptionKind::flag) text += " " + shell_quoted(at->second);
  }
  return text;
}

LearnOptions LearnRequest::for_new_state(const ImageListing& listing) const {
  const bool is_in_megabytes = was_given("memory-mb");
  if (is_in_megabytes && was_given("memory"))
    throw UsageError("`memory` and `memory-mb` cannot be used together");
  LearnOptions options = first_options(given);
  if (is_in_megabytes) check_megabytes(options);
  settle(options);  // before anything is read
  const int channels = channels_of(colour);
  ImageShape shape;
  if (!was_given("image-size") || channels == 0) shape = shape_of(listing);
  if (was_given("image-size")) set_size(shape, image_size);
  if (channels > 0) shape.channels = channels;
  const std::string model = was_given("model") ? given.at("model") : "";
  options = new_learn_options(given, facts_of(listing, shape, model));
  options.shape = shape;
  options.method.network = identified(options.method.network);
  if (options.has_backbone()) {
    const auto backbone = open_backbone(options.method.network, options.shape);
    options.features = static_cast<int>(backbone->features());
  }
  if (is_in_megabytes) options.memory = images_in(memory_mb, options);
  settle(options);
  return options;
}

void LearnRequest::change_state(LearnOptions& options) const {
  const ImageShape& shape = options.shape;
  if (was_given("image-size")) {
    ImageShape wanted = shape;
    set_size(wanted, image_size);
    if (!(wanted == shape))
      refuse_change("image-size", fmt::format("{}x{}", shape.height, shape.width), image_size);
  }
  const int channels = channels_of(colour);
  if (channels != 0 && channels != shape.channels)
    refuse_change("colour", shape.channels == 1 ? "grey" : "rgb", colour);
  GivenTexts said = given;
  if (was_given("memory-mb")) {
    if (was_given("memory")) throw UsageError("`memory` and `memory-mb` cannot be used together");
    said["memory"] = std::to_string(images_in(memory_mb, options));
  }
  change_options(options, said);
  if (was_given("memory-mb")) check_megabytes(options);
}

}  // namespace gps::cli
