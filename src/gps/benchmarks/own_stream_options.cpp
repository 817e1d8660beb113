#include <fmt/format.h>

#include "gps/benchmarks/own_stream.h"
#include "gps/core/option_table.h"
#include "gps/core/text/numbers.h"
#include "gps/core/text/text.h"

namespace gps {

std::string name_of(Colour value) {
  return value == Colour::automatic ? "auto" : value == Colour::grey ? "grey" : "rgb";
}

std::optional<std::pair<int, int>> parse_image_size(const std::string& text) {
  std::vector<int> sides;
  for (const std::string& word : split(text, 'x')) {
    const std::optional<int> side = parse_number<int>(word);
    if (!side || *side < 1) return std::nullopt;
    sides.push_back(*side);
  }
  if (sides.size() > 2) return std::nullopt;
  return std::pair(sides.front(), sides.back());
}

const OptionTable<OwnStreamOptions>& own_stream_options() {
  static const auto image_size = [] {
    BoundOption<OwnStreamOptions> bound;
    bound.row = {.key = "image_size",
                 .flag = "image-size",
                 .kind = OptionKind::text,
                 .usual = std::string(),
                 .help = "scale all images to this size: area means to shrink, bilinear to enlarge",
                 .usual_text = "as they are, if all have one size",
                 .value_name = "N|HxW"};
    bound.get = [](const OwnStreamOptions& asked) -> OptionValue {
      return asked.height == 0 ? std::string() : fmt::format("{}x{}", asked.height, asked.width);
    };
    bound.set = [](OwnStreamOptions& asked, const OptionValue& value) {
      const std::string& text = std::get<std::string>(value);
      const auto size = parse_image_size(text);
      if (!size) throw OptionError("image-size", fmt::format("must be N or HxW, got '{}'", text));
      asked.height = size->first;
      asked.width = size->second;
    };
    return bound;
  }();
  static const OptionTable<OwnStreamOptions> table = {
      option("classes_per_task", &OwnStreamOptions::classes_per_task,
             "new classes in each task, for data without tasks (or use `tasks`)")
          .at_least(1)
          .usually("none"),
      image_size,
      choice("colour", &OwnStreamOptions::colour,
             {{"auto", Colour::automatic}, {"grey", Colour::grey}, {"rgb", Colour::rgb}},
             "auto: colour if any image has colour. Defaults: for colour resnet18 and the values "
             "of s-cifar-10, for grey those of s-mnist"),
      option("test_fraction", &OwnStreamOptions::test_fraction,
             "share of each class drawn for testing, by seed, if the data names no test images")
          .above(0)
          .below(1)
          .usually("0.2"),
      option("skip_bad", &OwnStreamOptions::skip_bad,
             "list images that cannot be read and leave them out; without this option they are an "
             "error"),
  };
  return table;
}

OwnStreamOptions own_options_of(const OwnStream& stream) {
  return {.classes_per_task = stream.classes_per_task,
          .height = stream.shape.height,
          .width = stream.shape.width,
          .colour = stream.shape.channels == 3 ? Colour::rgb : Colour::grey,
          .test_fraction = stream.test_fraction,
          .skip_bad = stream.skip_bad};
}

void set_own_options(OwnStream& stream, const OwnStreamOptions& options) {
  if (options.height == 0) throw OptionError("image-size", "is missing");
  if (options.colour == Colour::automatic) throw OptionError("colour", "must be grey or rgb");
  stream.shape = {options.colour == Colour::rgb ? 3 : 1, options.height, options.width};
  stream.classes_per_task = options.classes_per_task;
  stream.test_fraction = options.test_fraction;
  stream.skip_bad = options.skip_bad;
}

}  // namespace gps
