#include "gps/benchmarks/own_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <set>
#include <tuple>

#include "gps/benchmarks/own_benchmark.h"
#include "gps/benchmarks/own_material.h"
#include "gps/core/option.h"
#include "gps/core/text/printable.h"
#include "gps/data/images/decode_image.h"
#include "gps/data/images/remarks.h"
#include "gps/data/usual_settings.h"

namespace gps {
namespace {

namespace fs = std::filesystem;

constexpr double kUsualTestFraction = 0.2;

// Returns the requested size, or the usual one for the largest images, and the channels.
ImageShape shape_of(const fs::path& path, const OwnStreamOptions& asked, const Material& material) {
  constexpr int kMostSide = 1024;
  ImageShape shape{1, asked.height, asked.width};
  int height = 0;
  int width = 0;
  for (const std::optional<ImageHeader>& header : material.headers) {
    if (!header) continue;
    if (asked.colour != Colour::grey && header->channels == 3) shape.channels = 3;
    height = std::max(height, header->height);
    width = std::max(width, header->width);
  }
  if (asked.height == 0) std::tie(shape.height, shape.width) = usual_size(height, width);
  if (asked.colour == Colour::rgb) shape.channels = 3;
  if (shape.height == 0) {
    std::vector<BadImage> bad = decode_images(material.files, {1, 1, 1}, {}).bad;
    throw ManyProblems(printable(path.string()) + ": " +
                       bad_images_text(bad, material.files.size()));
  }
  if (std::max(shape.height, shape.width) > kMostSide) {
    throw UsageError(
        fmt::format("{}: images of {} x {} pixels are too large to learn from; set `image-size` N "
                    "or HxW, at most {}",
                    path.string(), shape.width, shape.height, kMostSide));
  }
  return shape;
}

// Sets the number of classes of each task, from the data or from the options.
void divide(const fs::path& path, const OwnStreamOptions& asked, const Outline& outline,
            OwnStream& stream) {
  const auto classes = static_cast<int>(outline.class_names.size());
  if (!outline.task_names.empty()) {
    const auto tasks = static_cast<int>(outline.task_names.size());
    if (asked.classes_per_task != 0) {
      throw OptionError(
          "classes-per-task",
          fmt::format("works only with data without tasks, but {} has {}", path.string(), tasks));
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
          "tasks",
          fmt::format("{} does not divide the {} classes of {}; use `classes-per-task` instead",
                      asked.tasks, classes, path.string()));
    }
    each = classes / asked.tasks;
  }
  if (each == 0) {
    throw UsageError(
        fmt::format("{} has {} classes and no tasks; set the number of new classes in each task "
                    "with `classes-per-task`",
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
    throw OptionError("tasks",
                      fmt::format("is {}, but {} classes with {} in each task make {}", asked.tasks,
                                  classes, each, stream.classes_of_tasks.size()));
  }
  stream.classes_per_task = each;
}

void validate(const OwnStreamOptions& asked) {
  own_stream_options().check_all(asked);
  if (asked.tasks < 0)
    throw OptionError("tasks", fmt::format("must be at least 1, got {}", asked.tasks));
}

// Returns the hashes of the files that are images, and 0 for others.
std::vector<std::uint64_t> hashes_of_images(const Material& material) {
  std::vector<std::uint64_t> hashes = material.hashes;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (!material.headers[i]) hashes[i] = 0;
  }
  return hashes;
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

}  // namespace

bool OwnStream::divides_classes() const {
  return std::any_of(classes_of_tasks.begin(), classes_of_tasks.end(),
                     [this](int own) { return own < classes; });
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
  if (!is_utf8(path.native()))
    throw UsageError(fmt::format("the path '{}' is not in UTF-8, so results cannot name it",
                                 printable(path.native())));
  const Material material = read_material(path, hooks);
  const Outline outline = outline_of(path, material.files);
  if (outline.has_split && asked.test_fraction != 0) {
    throw OptionError(
        "test-fraction",
        fmt::format("works only with data without test images, but {} names them", path.string()));
  }
  OwnStream stream;
  stream.fingerprint = material.fingerprint;
  stream.images = material.files.size();
  stream.classes = static_cast<int>(outline.class_names.size());
  stream.skip_bad = asked.skip_bad;
  if (!outline.has_split)
    stream.test_fraction = asked.test_fraction == 0 ? kUsualTestFraction : asked.test_fraction;
  divide(path, asked, outline, stream);
  check_examples(path, outline, stream.classes_of_tasks.size());
  stream.shape = shape_of(path, asked, material);
  return stream;
}

std::unique_ptr<BenchmarkSource> open_own_stream(const BenchmarkOptions& options,
                                                 const LoadHooks& hooks,
                                                 const ConvertImages& convert) {
  assert(options.own);
  const LoadHooks quiet{.executor = hooks.executor, .stop = hooks.stop};
  const Material material = read_material(options.name, quiet);
  if (material.fingerprint != options.own->fingerprint) {
    refuse(options.name, fmt::format("has changed since this run was defined: its fingerprint is "
                                     "{} instead of {}; start a new run",
                                     material.fingerprint, options.own->fingerprint));
  }
  OwnData data = decoded(options, material, outline_of(options.name, material.files), hooks);
  check_examples(options.name, data.outline, options.own->classes_of_tasks.size());
  const auto remark = [&](const std::string& text) {
    if (hooks.tell && !text.empty()) hooks.tell(printable(options.name + ": " + text));
  };
  remark(similar_names_text(data.outline.class_names));
  if (material.pixels.empty()) remark(same_images_text(material.files, hashes_of_images(material)));
  remark(single_images_text(single_images(data.outline)));
  if (convert) {
    data.images = convert(data.images, printable(options.name));
  } else {
    data.sums = channel_sums(data.images, hooks);
  }
  return std::make_unique<OwnSource>(std::move(data), options);
}

}  // namespace gps
