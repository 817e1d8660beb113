#include "gps/benchmarks/own_material.h"

#include <fmt/format.h>

#include <algorithm>

#include "gps/benchmarks/benchmark.h"
#include "gps/core/hash.h"
#include "gps/core/text/printable.h"
#include "gps/data/images/image_cache.h"
#include "gps/data/images/resize.h"
#include "gps/data/readers/idx_folder.h"
#include "gps/data/sets/locate.h"

namespace gps {
namespace {

namespace fs = std::filesystem;

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
  material.hashes.resize(material.files.size());
  for_each_part(material.files.size(), "looking at " + path.string(), hooks,
                [&](std::size_t begin, std::size_t end) {
                  std::vector<std::uint8_t> bytes;
                  for (std::size_t i = begin; i < end; ++i) {
                    try {
                      read_image_file(material.files[i].path, bytes);
                      material.hashes[i] = hash64(std::span<const std::uint8_t>(bytes));
                      material.headers[i] = read_image_header(bytes, "");
                    } catch (const DataError&) {  // decoded() reports the reason
                    }
                  }
                });
  material.fingerprint = fingerprint_of(material.files, material.hashes);
  return material;
}

Material read_idx_files(const fs::path& path) {
  const IdxFolder folder = read_idx_folder(path);
  Material material;
  const auto add = [&](const Dataset& data, Split split) {
    const ImageShape& shape = data.shape();
    for (std::size_t i = 0; i < data.size(); ++i) {
      const std::uint8_t* image = data.image(i, {});  // as it is stored
      material.files.push_back({path, fmt::format("{}", data.label(i)), "", split});
      material.headers.push_back(ImageHeader{shape.width, shape.height, 1});
      material.pixels.push_back({shape.width, shape.height, 1, {image, image + shape.bytes()}});
      material.hashes.push_back(hash64(std::span(image, shape.bytes())));
    }
  };
  add(folder.train, folder.test ? Split::train : Split::unsaid);
  if (folder.test) add(*folder.test, Split::test);
  material.fingerprint = fingerprint_of(material.files, material.hashes);
  return material;
}

// Returns all images from the cache, after decoding them into it if necessary. Returns null if the
// cache cannot be used or an image cannot be decoded.
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
  constexpr const char* kWay = "resized 2";  // change this when decoding gives other pixels
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

}  // namespace

Material read_material(const fs::path& path, const LoadHooks& hooks) {
  return is_idx_folder(path) ? read_idx_files(path) : read_files(path, hooks);
}

OwnData decoded(const BenchmarkOptions& options, const Material& material, Outline outline,
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
  DecodedImages found = decode_images(material.files, own.shape, hooks);
  if (!found.bad.empty()) {
    const std::string text = bad_images_text(found.bad, material.files.size());
    if (!own.skip_bad) {
      throw ManyProblems(printable(options.name) + ": " + text +
                         "\n  repair or remove them, or leave them out with `skip-bad`");
    }
    if (hooks.tell) hooks.tell(fmt::format("{}: left out: {}", printable(options.name), text));
    outline = outline.restricted(found.good);
  }
  Dataset images(own.shape, std::move(found.bytes), outline.labels, classes);
  return {std::move(outline), std::move(images), {}, found.bad.size()};
}

}  // namespace gps
