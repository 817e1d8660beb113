#include "gps/benchmarks/own_stream.h"
#include "gps/core/option.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>

#include "gps/benchmarks/own_benchmark.h"
#include "gps/core/hash.h"
#include "gps/core/text.h"
#include "gps/data/images/decode_image.h"
#include "gps/data/images/image_cache.h"
#include "gps/data/images/resize.h"
#include "gps/data/readers/idx_folder.h"
#include "gps/data/sets/locate.h"

namespace gps {
namespace {

namespace fs = std::filesystem;

constexpr double kUsualTestFraction = 0.2;

// What lies at the path: files, or images that came out of IDX files and have no file each.
struct Material {
  std::vector<ImageFile> files;
  std::vector<std::optional<ImageHeader>> headers;  // none: not to be read
  std::vector<Pixels> pixels;                       // of IDX files; else empty
  std::string fingerprint;
};

std::string fingerprint_of(const std::vector<ImageFile>& files,
                           const std::vector<std::uint64_t>& hashes) {
  std::string description;
  for (std::size_t i = 0; i < files.size(); ++i) {
    fmt::format_to(std::back_inserter(description), "{}\t{}\t{}\t{:016x}\n", files[i].task,
                   files[i].label, static_cast<int>(files[i].split), hashes[i]);
  }
  return fmt::format("{:016x}", hash64(std::string_view(description)));
}

Material read_files(const fs::path& path, const LoadHooks& hooks) {
  Material material;
  material.files = list_images(path).files;
  material.headers.resize(material.files.size());
  std::vector<std::uint64_t> hashes(material.files.size());
  for_each_part(material.files.size(), "looking at " + path.string(), hooks,
                [&](std::size_t begin, std::size_t end) {
                  std::vector<std::uint8_t> bytes;
                  for (std::size_t i = begin; i < end; ++i) {
                    try {
                      read_image_file(material.files[i].path, bytes);
                      hashes[i] = hash64(std::span<const std::uint8_t>(bytes));
                      material.headers[i] = read_image_header(bytes, "");
                    } catch (const DataError&) {  // decoding will find it, and say why
                    }
                  }
                });
  material.fingerprint = fingerprint_of(material.files, hashes);
  return material;
}

Material read_idx_files(const fs::path& path) {
  const IdxFolder folder = read_idx_folder(path);
  Material material;
  std::vector<std::uint64_t> hashes;
  const auto add = [&](const Dataset& data, Split split) {
    const ImageShape& shape = data.shape();
    for (std::size_t i = 0; i < data.size(); ++i) {
      const std::uint8_t* image = data.image(i, {});  // as it is stored
      material.files.push_back({path, fmt::format("{}", data.label(i)), "", split});
      material.headers.push_back(ImageHeader{shape.width, shape.height, 1});
      material.pixels.push_back({shape.width, shape.height, 1, {image, image + shape.bytes()}});
      hashes.push_back(hash64(std::span(image, shape.bytes())));
    }
  };
  add(folder.train, folder.test ? Split::train : Split::unsaid);
  if (folder.test) add(*folder.test, Split::test);
  material.fingerprint = fingerprint_of(material.files, hashes);
  return material;
}

Material read_material(const fs::path& path, const LoadHooks& hooks) {
  return is_idx_folder(path) ? read_idx_files(path) : read_files(path, hooks);
}

// The size that all images have, or that was asked for; and the channels.
ImageShape shape_of(const fs::path& path, const OwnStreamOptions& asked, const Material& material) {
  constexpr int kMostSide = 1024;
  ImageShape shape{1, asked.height, asked.width};
  const ImageHeader* first = nullptr;
  const ImageFile* first_file = nullptr;
  for (std::size_t i = 0; i < material.headers.size(); ++i) {
    if (!material.headers[i]) continue;
    const ImageHeader& header = *material.headers[i];
    if (asked.colour != Colour::grey && header.channels == 3) shape.channels = 3;
    if (first == nullptr) {
      first = &header;
      first_file = &material.files[i];
    }
    if (asked.height > 0) continue;
    if (header.width != first->width || header.height != first->height) {
      throw UsageError(fmt::format(
          "{}: images differ in size: {} is {} x {} pixels and {} is {} x {}; say which size all "
          "should have, with `image-size` N or HxW",
          path.string(), first_file->path.string(), first->width, first->height,
          material.files[i].path.string(), header.width, header.height));
    }
    shape.height = header.height;
    shape.width = header.width;
  }
  if (asked.colour == Colour::rgb) shape.channels = 3;
  if (shape.height == 0) {
    std::vector<BadImage> bad = decode_images(material.files, {1, 1, 1}, {}).bad;
    refuse(path, bad_images_text(bad, material.files.size()));
  }
  if (std::max(shape.height, shape.width) > kMostSide) {
    throw UsageError(fmt::format(
        "{}: images of {} x {} pixels are too large to learn from; say `image-size` N or HxW, of "
        "at most {}",
        path.string(), shape.width, shape.height, kMostSide));
  }
  return shape;
}

// Which classes the tasks have, as far as that depends on the options.
void divide(const fs::path& path, const OwnStreamOptions& asked, const Outline& outline,
            OwnStream& stream) {
  const auto classes = static_cast<int>(outline.class_names.size());
  if (!outline.task_names.empty()) {
    const auto tasks = static_cast<int>(outline.task_names.size());
    if (asked.classes_per_task != 0) {
      throw OptionError(
          "classes-per-task",
          fmt::format("is for data without tasks, and {} has {} of its own", path.string(), tasks));
    }
    if (asked.tasks != 0 && asked.tasks != tasks) {
      throw OptionError("tasks",
                        fmt::format("is {}, but {} has {}", asked.tasks, path.string(), tasks));
    }
    std::vector<std::set<Label>> own(outline.task_names.size());
    for (std::size_t i = 0; i < outline.labels.size(); ++i)
      own[outline.tasks[i]].insert(outline.labels[i]);
    for (const auto& labels : own)
      stream.classes_of_tasks.push_back(static_cast<int>(labels.size()));
    return;
  }
  int each = asked.classes_per_task;
  if (each == 0 && asked.tasks > 0) {
    if (classes % asked.tasks != 0) {
      throw OptionError(
          "tasks", fmt::format("{} does not divide the {} classes of {}; say `classes-per-task`",
                               asked.tasks, classes, path.string()));
    }
    each = classes / asked.tasks;
  }
  if (each == 0) {
    throw UsageError(
        fmt::format("{} has {} classes and no tasks; say how many classes each task brings, with "
                    "`classes-per-task`",
                    path.string(), classes));
  }
  if (each > classes) {
    throw OptionError(
        "classes-per-task",
        fmt::format("must be at most the {} classes of {}, got {}", classes, path.string(), each));
  }
  for (int left = classes; left > 0; left -= each)
    stream.classes_of_tasks.push_back(std::min(left, each));
  if (asked.tasks != 0 && static_cast<std::size_t>(asked.tasks) != stream.classes_of_tasks.size()) {
    throw OptionError("tasks", fmt::format("is {}, but {} classes, {} a task, make {}", asked.tasks,
                                           classes, each, stream.classes_of_tasks.size()));
  }
  stream.classes_per_task = each;
}

void validate(const OwnStreamOptions& asked) {
  if (asked.classes_per_task < 0) {
    throw OptionError("classes-per-task",
                      fmt::format("must be at least 1, got {}", asked.classes_per_task));
  }
  if (asked.tasks < 0)
    throw OptionError("tasks", fmt::format("must be at least 1, got {}", asked.tasks));
  if (!(asked.test_fraction >= 0 && asked.test_fraction < 1)) {
    throw OptionError("test-fraction",
                      fmt::format("must be above 0 and below 1, got {}", asked.test_fraction));
  }
}

class OwnSource final : public BenchmarkSource {
 public:
  OwnSource(OwnData data, BenchmarkOptions options)
      : data_(std::make_shared<const OwnData>(std::move(data))), options_(std::move(options)) {}
  std::unique_ptr<Benchmark> stream(std::uint64_t seed) const override {
    return make_own_benchmark(data_, options_, Rng(seed).fork("benchmark"));
  }

 private:
  std::shared_ptr<const OwnData> data_;
  BenchmarkOptions options_;
};

// All images out of the cache, where they are decoded now if they are not there; null if there is
// no cache to be used, or an image that cannot be decoded.
ImageStore cached(const std::string& name, const Material& material, const ImageShape& shape,
                  const std::vector<Label>& labels, const LoadHooks& hooks) {
  const fs::path cache = user_cache();
  const auto has_header = [](const auto& header) { return header.has_value(); };
  if (cache.empty() || !std::all_of(material.headers.begin(), material.headers.end(), has_header))
    return nullptr;
  const std::string sides = fmt::format("{}x{}x{}", shape.channels, shape.height, shape.width);
  std::error_code ignored;
  const std::uint64_t place =
      hash64(std::string_view(fs::weakly_canonical(name, ignored).native()));
  constexpr const char* kWay = "resized 1";  // to be changed when decoding gives other pixels
  const std::uint64_t key =
      hash64(std::string_view(fmt::format("{} {} {}", material.fingerprint, sides, kWay)));
  const auto decode = [&](std::size_t i, std::span<std::uint8_t> out) {
    std::vector<std::uint8_t> bytes;
    read_image_file(material.files[i].path, bytes);
    decode_image(bytes, "", shape, out);
  };
  try {
    return cached_images(cache / "decoded" / fmt::format("own-{:016x}-{}.images", place, sides),
                         {name, key, shape, labels, decode}, hooks);
  } catch (const DataError&) {
    return nullptr;
  } catch (const fs::filesystem_error&) {
    return nullptr;
  }
}

OwnData decode(const BenchmarkOptions& options, const Material& material, Outline outline,
               const LoadHooks& hooks) {
  const OwnStream& own = *options.own;
  const auto classes = static_cast<int>(outline.class_names.size());
  if (!material.pixels.empty()) {
    std::vector<std::uint8_t> bytes(material.pixels.size() * own.shape.bytes());
    for (std::size_t i = 0; i < material.pixels.size(); ++i)
      resize(material.pixels[i], own.shape,
             std::span(bytes).subspan(i * own.shape.bytes(), own.shape.bytes()));
    Dataset images(own.shape, std::move(bytes), outline.labels, classes);
    return {std::move(outline), std::move(images), {}, 0};
  }
  if (const ImageStore store = cached(options.name, material, own.shape, outline.labels, hooks)) {
    Dataset images(own.shape, store, outline.labels, classes);
    return {std::move(outline), std::move(images), {}, 0};
  }
  DecodedImages decoded = decode_images(material.files, own.shape, hooks);
  if (!decoded.bad.empty()) {
    const std::string text = bad_images_text(decoded.bad, material.files.size());
    if (!own.skip_bad) {
      refuse(options.name, text + "\n  repair or remove them, or leave them out with `skip-bad`");
    }
    if (hooks.tell) hooks.tell(fmt::format("{}: left out: {}", options.name, text));
    outline = outline.restricted(decoded.good);
  }
  Dataset images(own.shape, std::move(decoded.bytes), outline.labels, classes);
  return {std::move(outline), std::move(images), {}, decoded.bad.size()};
}

}  // namespace

std::string name_of(Colour value) {
  return value == Colour::automatic ? "auto" : value == Colour::grey ? "grey" : "rgb";
}

bool OwnStream::divides_classes() const {
  return std::any_of(classes_of_tasks.begin(), classes_of_tasks.end(),
                     [this](int own) { return own < classes; });
}

std::optional<std::pair<int, int>> parse_image_size(const std::string& text) {
  std::vector<int> sides;
  for (const std::string& word : split(text, 'x')) {
    int side = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), side);
    if (error != std::errc() || end != word.data() + word.size() || side < 1) return std::nullopt;
    sides.push_back(side);
  }
  if (sides.size() > 2) return std::nullopt;
  return std::pair(sides.front(), sides.back());
}

bool is_own_stream(const std::string& benchmark) {
  const std::vector<std::string> known = names(benchmark_catalog());
  if (std::find(known.begin(), known.end(), benchmark) != known.end()) return false;
  std::error_code error;
  return benchmark.find('/') != std::string::npos || is_manifest(benchmark) ||
         fs::is_directory(benchmark, error);
}

std::string path_name(std::string path) {
  std::error_code error;
  const bool is_folder = fs::is_directory(path, error) || path.ends_with('/');
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return is_folder && path != "/" ? path + "/" : path;
}

std::size_t test_examples(std::size_t examples, double fraction) {
  assert(examples >= 2);
  const auto nearest = std::lround(static_cast<double>(examples) * fraction);
  return std::clamp<std::size_t>(static_cast<std::size_t>(nearest), 1, examples - 1);
}

OwnStream look_at_stream(const fs::path& path, const OwnStreamOptions& asked,
                         const LoadHooks& hooks) {
  validate(asked);
  const Material material = read_material(path, hooks);
  const Outline outline = outline_of(path, material.files);
  if (outline.has_split && asked.test_fraction != 0) {
    throw OptionError(
        "test-fraction",
        fmt::format("is for data without test images, and {} says which ones are", path.string()));
  }
  OwnStream stream;
  stream.fingerprint = material.fingerprint;
  stream.images = material.files.size();
  stream.classes = static_cast<int>(outline.class_names.size());
  stream.skip_bad = asked.skip_bad;
  if (!outline.has_split)
    stream.test_fraction = asked.test_fraction == 0 ? kUsualTestFraction : asked.test_fraction;
  divide(path, asked, outline, stream);
  check_examples(path, outline);
  stream.shape = shape_of(path, asked, material);
  return stream;
}

std::unique_ptr<BenchmarkSource> open_own_stream(const BenchmarkOptions& options,
                                                 const LoadHooks& hooks) {
  assert(options.own);
  const LoadHooks quiet{.executor = hooks.executor, .stop = hooks.stop};
  const Material material = read_material(options.name, quiet);
  if (material.fingerprint != options.own->fingerprint) {
    refuse(options.name,
           fmt::format("is not what this run is to learn from: its fingerprint is {}, "
                       "and not {}; begin a new run",
                       material.fingerprint, options.own->fingerprint));
  }
  OwnData data = decode(options, material, outline_of(options.name, material.files), hooks);
  check_examples(options.name, data.outline);
  if (data.images.shape().channels == 3) data.sums = channel_sums(data.images, hooks);
  return std::make_unique<OwnSource>(std::move(data), options);
}

const OptionTable<OwnStreamOptions>& own_stream_options() {
  static const auto image_size = [] {
    BoundOption<OwnStreamOptions> bound;
    bound.row = {.key = "image_size",
                 .flag = "image-size",
                 .kind = OptionKind::text,
                 .usual = std::string(),
                 .help =
                     "stretch them to this size: means of areas where they shrink, bilinear "
                     "where they grow",
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
             "where there are no tasks: how many classes each brings (or `tasks`)")
          .at_least(1)
          .usually("none"),
      image_size,
      choice("colour", &OwnStreamOptions::colour,
             {{"auto", Colour::automatic}, {"grey", Colour::grey}, {"rgb", Colour::rgb}},
             "auto: in colour if any of them is; then resnet18 and the values of s-cifar-10 are "
             "what options are without being given, else those of s-mnist"),
      option("test_fraction", &OwnStreamOptions::test_fraction,
             "where nothing says which are for testing: of each class, by seed")
          .above(0)
          .below(1)
          .usually("0.2"),
      option("skip_bad", &OwnStreamOptions::skip_bad,
             "leave out images that cannot be read, listing them; else they are refused"),
  };
  return table;
}

}  // namespace gps
