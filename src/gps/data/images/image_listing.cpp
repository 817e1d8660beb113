#include "gps/data/images/image_listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>

#include "gps/core/errors.h"
#include "gps/core/files/csv.h"
#include "gps/core/files/files.h"
#include "gps/core/text/natural_order.h"
#include "gps/core/text/nearest.h"
#include "gps/core/text/normal_form.h"
#include "gps/core/text/printable.h"
#include "gps/core/text/text.h"

namespace gps {
namespace {

namespace fs = std::filesystem;

std::string lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

constexpr std::string_view kBlanks = " \t\r\n\v\f";

std::string without_outer_blanks(const std::string& text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

std::string without_blanks(std::string text) {
  std::erase_if(text, [](char c) { return kBlanks.find(c) != std::string_view::npos; });
  return text;
}

// Compares paths as text, because fs::path compares separators differently.
bool comes_before(const ImageFile& a, const ImageFile& b) {
  if (a.task != b.task) return natural_less(a.task, b.task);
  if (a.label != b.label) return natural_less(a.label, b.label);
  if (a.split != b.split) return a.split < b.split;
  return natural_less(a.path.native(), b.path.native());
}

// A file and the names of the folders between the root and it.
struct Found {
  fs::path path;
  std::vector<std::string> folders;
};

// Whether a system or a program puts a file or folder of this name beside pictures, unasked.
bool is_made_by_a_system(const std::string& name) {
  const std::string small = in_small_letters(name);
  return small == "thumbs.db" || small == "ehthumbs.db" || small == "desktop.ini" ||
         small == "__macosx" || small == "@eadir";
}

// Whether the name is that of a text, such as notes or annotations that people keep beside
// pictures.
bool is_called_like_a_text(const std::string& name) {
  constexpr std::array kEndings = {".txt", ".md",   ".csv", ".tsv",  ".json",
                                   ".xml", ".yaml", ".yml", ".html", ".log"};
  const std::string small = lower(name);
  return std::any_of(kEndings.begin(), kEndings.end(),
                     [&](const char* ending) { return small.ends_with(ending); });
}

void walk(const fs::path& folder, const std::vector<std::string>& folders,
          std::vector<Found>& found) {
  constexpr std::size_t kDeepest = 3;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with('.') || is_made_by_a_system(name)) continue;
    std::error_code ignored;
    if (!at->is_directory(ignored)) {
      if (!is_called_like_a_text(name)) found.push_back({at->path(), folders});
      continue;
    }
    if (folders.size() == kDeepest)
      refuse(at->path(), "is nested too deeply; expected images in task/class/ or class/");
    std::vector<std::string> below = folders;
    below.push_back(name);
    walk(at->path(), below, found);
  }
  if (error) refuse(folder, fmt::format("cannot be read: {}", error.message()));
}

std::optional<Split> split_called(const std::string& name) {
  if (lower(name) == "train") return Split::train;
  if (lower(name) == "test") return Split::test;
  return std::nullopt;
}

// Returns whether other tools use the name for a split, but we do not.
bool is_foreign_split(const std::string& name) {
  constexpr std::array kNames = {"val",  "valid",    "validation", "dev",
                                 "eval", "training", "testing"};
  return std::find(kNames.begin(), kNames.end(), lower(name)) != kNames.end();
}

// "a/, b/ and c/"
std::string folders_text(const std::vector<std::string>& names) {
  std::string text = names.front() + "/";
  for (std::size_t k = 1; k < names.size(); ++k)
    text += (k + 1 < names.size() ? ", " : " and ") + names[k] + "/";
  return text;
}

// Returns the level at which all folders are train/ or test/: 0, 1, or none. Refuses train/ or
// test/ beside only names such as val/: they would be taken for tasks or classes, and test images
// would be trained on.
std::optional<std::size_t> split_level(const fs::path& root, const std::vector<Found>& found) {
  for (const std::size_t level : {0u, 1u}) {
    if (std::any_of(found.begin(), found.end(),
                    [level](const Found& file) { return file.folders.size() <= level; }))
      return std::nullopt;
    std::set<std::string> names;
    for (const Found& file : found) names.insert(file.folders[level]);
    std::vector<std::string> foreign;
    std::copy_if(names.begin(), names.end(), std::back_inserter(foreign), is_foreign_split);
    const auto known = static_cast<std::size_t>(
        std::count_if(names.begin(), names.end(), [](const auto& n) { return split_called(n); }));
    if (known == names.size()) return level;
    if (known > 0 && known + foreign.size() == names.size()) {
      refuse(
          root,
          fmt::format(
              "has the folders {} side by side; expected only train/ and test/: rename or move {}",
              folders_text({names.begin(), names.end()}), folders_text(foreign)));
    }
  }
  return std::nullopt;
}

std::string depth_text(const Found& file) {
  const std::size_t depth = file.folders.size();
  return fmt::format("{} is in {} folder{}", file.path.string(), depth, depth == 1 ? "" : "s");
}

ImageListing list_folder(const fs::path& root) {
  std::vector<Found> found;
  walk(root, {}, found);
  // At the depth of the images every other file counts as an image; elsewhere its ending decides.
  const auto is_image = [](const Found& file) { return is_called_like_an_image(file.path); };
  const auto first = std::find_if(found.begin(), found.end(), is_image);
  if (first != found.end()) {
    const std::size_t depth = first->folders.size();
    std::erase_if(
        found, [&](const Found& file) { return file.folders.size() != depth && !is_image(file); });
  }
  if (found.empty()) refuse(root, "contains no images; expected class/image or task/class/image");
  std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    return natural_less(a.path.native(), b.path.native());
  });
  const std::optional<std::size_t> splits = split_level(root, found);
  ImageListing listing{root, {}};
  for (Found& file : found) {
    if (file.folders.size() != found.front().folders.size()) {
      refuse(root, fmt::format("{}, but {}; expected all images at the same depth",
                               depth_text(found.front()), depth_text(file)));
    }
    ImageFile image{file.path, "", "", Split::unsaid};
    std::vector<std::string> names = file.folders;
    if (splits) {
      image.split = *split_called(names[*splits]);
      names.erase(names.begin() + static_cast<std::ptrdiff_t>(*splits));
    }
    if (names.size() > 2) {
      refuse(root, depth_text(file) +
                       "; expected class/ or task/class/, with train/ and test/ above at most");
    }
    if (!names.empty()) image.label = names.back();
    if (names.size() == 2) image.task = names.front();
    listing.files.push_back(std::move(image));
  }
  return listing;
}

ImageListing list_manifest(const fs::path& path) {
  const std::string name = path.string();
  const std::vector<CsvRow> rows = parse_csv(read_file(path), name);
  const auto fail = [&](int line, const std::string& reason) {
    throw DataError(fmt::format("{}:{}: {}", name, line, reason));
  };
  if (rows.size() < 2) refuse(path, "names no images; expected a line for each, below path,label");
  const CsvRow& head = rows.front();
  const auto column = [&](const char* title) -> std::optional<std::size_t> {
    std::optional<std::size_t> at;
    for (std::size_t k = 0; k < head.fields.size(); ++k) {
      const std::string given = lower(without_outer_blanks(head.fields[k]));
      if (given != title && without_blanks(given) == title) {
        fail(head.line,
             fmt::format("has a column '{}'; expected {}, or another name", head.fields[k], title));
      }
      if (given != title) continue;
      if (at) fail(head.line, fmt::format("has two columns '{}'", title));
      at = k;
    }
    return at;
  };
  const auto paths = column("path");
  const auto labels = column("label");
  const auto tasks = column("task");
  const auto splits = column("split");
  if (!paths) {
    fail(head.line,
         fmt::format("has no column 'path'; expected columns path and label, separated by commas; "
                     "task and split may follow; got '{}'",
                     join(head.fields, "', '")));
  }
  ImageListing listing{path.parent_path(), {}, head.fields};
  std::map<fs::path, int> lines;  // the line that names each image
  for (const CsvRow& row : std::span(rows).subspan(1)) {
    if (row.fields.size() != head.fields.size()) {
      fail(row.line, fmt::format("has {} fields; expected {}, as the first line has",
                                 row.fields.size(), head.fields.size()));
    }
    const auto field = [&](std::optional<std::size_t> at) {
      return at ? unguarded_text(without_outer_blanks(row.fields[*at])) : std::string();
    };
    const std::string& file = row.fields[*paths];  // a name may begin or end with a blank
    if (file.empty()) fail(row.line, "names no image");
    if (labels && field(labels).empty()) fail(row.line, "has no label");
    ImageFile image{(listing.root / file).lexically_normal(), field(labels), field(tasks),
                    Split::unsaid};
    if (const std::string split = field(splits); !split.empty()) {
      const auto known = split_called(split);
      if (!known) fail(row.line, fmt::format("split is '{}'; expected train or test", split));
      image.split = *known;
    }
    const auto [at, is_new] = lines.emplace(image.path, row.line);
    if (!is_new) fail(row.line, fmt::format("names {} again, as line {} does", file, at->second));
    listing.files.push_back(std::move(image));
  }
  return listing;
}

}  // namespace

bool is_called_like_an_image(const fs::path& path) {
  constexpr std::array kEndings = {".jpg", ".jpeg", ".jpe",  ".jfif", ".png", ".gif",
                                   ".bmp", ".webp", ".tiff", ".tif",  ".ppm", ".pgm"};
  return std::find(kEndings.begin(), kEndings.end(), lower(path.extension().string())) !=
         kEndings.end();
}

bool is_manifest(const fs::path& path) { return lower(path.extension().string()) == ".csv"; }

ImageListing list_images(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    throw UsageError(fmt::format("'{}' does not exist; expected a folder of images, or a manifest",
                                 path.string()));
  }
  ImageListing listing;
  if (fs::is_directory(status)) {
    listing = list_folder(path);
  } else if (is_manifest(path)) {
    listing = list_manifest(path);
  } else {
    listing = {path.parent_path(), {{path, "", "", Split::unsaid}}};
  }
  for (ImageFile& file : listing.files) {
    file.label = normal_form(file.label);
    file.task = normal_form(file.task);
  }
  std::sort(listing.files.begin(), listing.files.end(), comes_before);
  return listing;
}

void check_names(const fs::path& path, const std::vector<ImageFile>& files) {
  const auto check = [&](const char* what, const std::string& name) {
    if (is_utf8(name)) return;
    refuse(path,
           fmt::format("the name of the {} '{}' is not in UTF-8; {}", what, printable(name),
                       is_manifest(path) ? "save the manifest in UTF-8" : "rename the folder"));
  };
  for (const ImageFile& file : files) {
    check("class", file.label);
    check("task", file.task);
  }
}

}  // namespace gps
