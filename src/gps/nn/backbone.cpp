#include "gps/nn/backbone.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <filesystem>
#include <mutex>

#include "gps/core/errors.h"
#include "gps/core/hash.h"
#include "gps/core/option.h"
#include "gps/core/simd_target.h"
#include "gps/data/features.h"
#include "gps/data/images/image_cache.h"
#include "gps/data/sets/locate.h"
#include "gps/nn/torch/torch_backend.h"

namespace gps {
namespace {

namespace fs = std::filesystem;

// Writes one row of features.
void write_row(const std::uint8_t* image, const Backbone& backbone, const NetworkOptions& options,
               std::span<std::uint8_t> row) {
  std::vector<float> values(backbone.features());
  backbone.compute(image, values);
  if (write_features(values, row)) return;
  throw DataError(
      fmt::format("{}: gives a feature that is not finite, or beyond 65504; expected numbers that "
                  "fit into 16 bits",
                  options.backbone));
}

std::vector<Label> labels_of_rows(const Dataset& images) {
  std::vector<Label> labels(images.size());
  for (std::size_t i = 0; i < images.size(); ++i) labels[i] = images.label(i);
  return labels;
}

// Identifies the images.
std::uint64_t hash_of_images(const Dataset& images) {
  const std::size_t bytes = images.shape().bytes();
  std::vector<std::uint8_t> scratch(bytes);
  std::vector<std::uint8_t> hashes(images.size() * sizeof(std::uint64_t));
  for (std::size_t i = 0; i < images.size(); ++i) {
    const std::uint64_t hash = hash64(std::span(images.image(i, scratch), bytes));
    std::memcpy(hashes.data() + i * sizeof(hash), &hash, sizeof(hash));
  }
  return hash64(std::span<const std::uint8_t>(hashes));
}

}  // namespace

Normalisation backbone_normalisation(const NetworkOptions& options) {
  if (options.backbone_input != "imagenet") return {};
  return {{0.485f, 0.456f, 0.406f}, {0.229f, 0.224f, 0.225f}};  // those of torchvision
}

void check_backbone_file(const NetworkOptions& options) {
  if (!fs::exists(options.backbone))
    throw DataError(fmt::format("{}: the backbone is missing", options.backbone));
  if (options.backbone_fingerprint.empty()) return;
  const std::string found = fingerprint(options.backbone);
  if (found == options.backbone_fingerprint) return;
  throw DataError(
      fmt::format("{}: is another backbone than at the beginning: its size and hash are "
                  "{} instead of {}",
                  options.backbone, found, options.backbone_fingerprint));
}

std::unique_ptr<Backbone> open_backbone(const NetworkOptions& options, const ImageShape& shape) {
  assert(!options.backbone.empty());
  const Normalisation input = backbone_normalisation(options);
  if (!input.mean.empty() && shape.channels != static_cast<int>(input.mean.size()))
    throw OptionError("backbone-input", "imagenet needs images in colour, but these are grey");
  check_backbone_file(options);
  return torch_backend().open_backbone(options.backbone, shape, input);
}

std::vector<std::uint8_t> features_of(ImageRows images, const Backbone& backbone,
                                      const NetworkOptions& options, const LoadHooks& hooks) {
  const std::size_t bytes = feature_shape(backbone.features()).bytes();
  std::vector<std::uint8_t> rows(images.size() * bytes);
  std::mutex mutex;
  std::size_t done = 0;
  const auto one = [&](std::size_t i) {
    hooks.check_stop();
    write_row(images[i], backbone, options, std::span(rows).subspan(i * bytes, bytes));
    const std::lock_guard lock(mutex);
    hooks.report({"computing features", ++done, images.size()});
  };
  if (hooks.executor != nullptr) {
    hooks.executor->for_each(images.size(), one);
  } else {
    for (std::size_t i = 0; i < images.size(); ++i) one(i);
  }
  return rows;
}

Dataset features_of(const Dataset& images, const Backbone& backbone, const NetworkOptions& options,
                    const LoadHooks& hooks) {
  const Dataset stored = images.materialised();  // so that no image needs scratch space
  std::vector<const std::uint8_t*> rows(stored.size());
  for (std::size_t i = 0; i < stored.size(); ++i) {
    assert(stored.id(i) == i);
    rows[i] = stored.image(i, {});
  }
  return {feature_shape(backbone.features()), features_of(rows, backbone, options, hooks),
          labels_of_rows(stored), stored.classes()};
}

Dataset cached_features_of(const Dataset& images, const std::string& name,
                           const NetworkOptions& options, const LoadHooks& hooks) {
  const std::unique_ptr<Backbone> backbone = open_backbone(options, images.shape());
  const fs::path cache = user_cache();
  if (cache.empty()) return features_of(images, *backbone, options, hooks);
  const ImageShape shape = feature_shape(backbone->features());
  const std::vector<Label> labels = labels_of_rows(images);
  const std::string way =
      fmt::format("{} {}", fingerprint(options.backbone), options.backbone_input);
  const std::string content =
      fmt::format("features 1 {} {:016x} {} {} {}", way, hash_of_images(images),
                  images.shape().height, images.shape().width, cpu_target());
  const fs::path file =
      cache / "decoded" /
      fmt::format("features-{:016x}.images", hash64(std::string_view(name + " " + way)));
  const auto compute = [&](std::size_t i, std::span<std::uint8_t> row) {
    std::vector<std::uint8_t> scratch(images.shape().bytes());
    write_row(images.image(i, scratch), *backbone, options, row);
  };
  try {
    const ImageStore store = cached_images(
        file,
        {name, hash64(std::string_view(content)), shape, labels, compute, "computing features of"},
        hooks);
    return {shape, store, labels, images.classes()};
  } catch (const DataError&) {  // the cache cannot be written, or the backbone fails again below
  } catch (const fs::filesystem_error&) {
  }
  return features_of(images, *backbone, options, hooks);
}

}  // namespace gps
