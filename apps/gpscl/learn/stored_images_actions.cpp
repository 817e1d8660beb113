#include "learn/stored_images_actions.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "gps/core/files/csv.h"
#include "gps/core/files/files.h"
#include "gps/core/text/printable.h"
#include "gps/experiments/export/png.h"
#include "gps/report/learning/image_list.h"

namespace gps::cli {
namespace {

namespace fs = std::filesystem;

Picture picture_of(std::span<const std::uint8_t> planes, const ImageShape& shape) {
  Picture picture{
      .height = shape.height, .width = shape.width, .channels = shape.channels, .pixels = {}};
  const auto channels = static_cast<std::size_t>(shape.channels);
  for (std::size_t pixel = 0; pixel < shape.pixels(); ++pixel) {
    for (std::size_t channel = 0; channel < channels; ++channel)
      picture.pixels.push_back(planes[channel * shape.pixels() + pixel]);
  }
  return picture;
}

// Returns a folder for a class: its name, if that is a plain name of a folder.
std::string folder_of_class(const std::string& name, Label label) {
  const bool is_plain = !name.empty() && name.size() < 200 && name.front() != '.' &&
                        name.find('/') == std::string::npos && printable(name) == name;
  return is_plain ? name : fmt::format("class {}", label);
}

void check_is_empty(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder, error)) return;
  if (!fs::is_directory(folder, error))
    throw UsageError(fmt::format("'{}' is a file; give a new or empty folder", folder.string()));
  if (!fs::is_empty(folder, error))
    throw UsageError(fmt::format("'{}' is not empty; give a new or empty folder", folder.string()));
}

}  // namespace

int list_stored_images(const LearnRequest& request, const StateFolder& folder) {
  const LearnState state = folder.load();
  const std::vector<StoredImageRecord> images = stored_images(state);
  if (request.json || request.format == "json") {
    fmt::print("{}\n", image_list_as_json(state, images)
                           .dump(1, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    const Table table = image_table(state, images);
    fmt::print("{}", request.format == "csv" ? csv_table(table) : text_table(table));
  }
  return 0;
}

int write_stored_images(const LearnRequest& request, const StateFolder& folder) {
  const LearnState state = folder.load();
  if (state.options.has_backbone()) {
    throw UsageError(
        fmt::format("{}: stores features of images, not the images themselves", request.state));
  }
  const fs::path target = request.images_folder;
  check_is_empty(target);
  std::string manifest = "path,label,split,hash\n";
  std::set<fs::path> written;  // the same image may be stored twice
  try {
    for (const StoredImageRecord& image : stored_images(state)) {
      const std::string& name = state.classes.at(image.label);
      const std::string split = image.role == Role::replay ? "train" : "test";
      const std::string hash = hash_text(image.hash);
      const fs::path file = fs::path(split) / folder_of_class(name, image.label) / (hash + ".png");
      if (!written.insert(file).second) continue;
      fs::create_directories((target / file).parent_path());
      write_file(target / file, png_of(picture_of(pixels_of(state, image), state.options.shape)));
      manifest += fmt::format("{},{},{},{}\n", csv_field(file.string()),
                              csv_field(guarded_text(name)), split, hash);
    }
    fs::create_directories(target);
    write_file(target / "images.csv", manifest);
  } catch (const fs::filesystem_error& error) {
    throw DataError(
        fmt::format("{}: cannot be made: {}", error.path1().string(), error.code().message()));
  }
  if (request.json) {
    nlohmann::json json;
    json["folder"] = request.images_folder;
    json["images"] = written.size();
    fmt::print("{}\n", json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    fmt::print("{}: {} image{}, and images.csv with their classes\n",
               printable(request.images_folder), written.size(), written.size() == 1 ? "" : "s");
  }
  return 0;
}

}  // namespace gps::cli
