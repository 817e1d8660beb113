// Which images a folder or a manifest names, and what it says of each: its label, its task, and
// whether it is there to train or to test. No image is looked into.
//
//   FOLDER/image.png                  images without labels
//   FOLDER/class/image.png
//   FOLDER/task/class/image.png
//
// Above, or directly below the tasks or classes, there may be one more level of folders: train/ and
// test/, whatever their letters' case, and nothing else: val/ and the like beside them are refused.
// Names that begin with a dot are skipped. Files without an image ending are skipped in folders
// without images; beside images, every file counts as an image.
//
// A manifest is a file that ends in .csv (core/files/csv.h). Its first line names its columns, in
// any order: path, and optionally label, task and split (train or test). Other columns are ignored.
// A column whose name differs from these only in blanks is refused. Blanks around the names of
// columns, labels, tasks and splits do not count; those of a path do. Paths are relative to the
// manifest.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gps {

enum class Split { unsaid, train, test };

struct ImageFile {
  std::filesystem::path path;  // to be opened
  std::string label;           // this and the next: "" where nothing says it
  std::string task;
  Split split = Split::unsaid;
};

struct ImageListing {
  std::filesystem::path root;    // the folder; of a manifest, the one it lies in
  std::vector<ImageFile> files;  // by task, label, split and path, in natural order; no path twice
};

// Has the name the ending of an image? Kinds that cannot be read are among them: they are to be
// refused, not passed over.
bool is_called_like_an_image(const std::filesystem::path& path);

// Is it the name of a manifest?
bool is_manifest(const std::filesystem::path& path);

// Of a folder, a manifest, or an image by itself. Throws UsageError if there is nothing at `path`;
// DataError, naming the file, the line or the two images that do not go together, for what has no
// images or is not laid out as above.
ImageListing list_images(const std::filesystem::path& path);

}  // namespace gps
