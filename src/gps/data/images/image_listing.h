// Lists the images of a folder or a manifest with the label, the task and the split (train or test)
// of each. Does not open any image.
//
//   FOLDER/image.png                  images without labels
//   FOLDER/class/image.png
//   FOLDER/task/class/image.png
//
// There may be one more level of folders, at the top or directly below the first level: train/ and
// test/, in any letter case. Folders such as val/ beside them are refused. Names that begin with a
// dot are skipped. Files without an image ending count as images if they are at the same depth as
// the first image that is found, or if no file has an image ending; otherwise they are skipped.
//
// A manifest is a file that ends in .csv (core/files/csv.h). Its first line names its columns, in
// any order: path, and optionally label, task and split (train or test). Other columns are ignored.
// A column name that equals one of these except for blanks inside it is refused. Blanks around
// column names, labels, tasks and splits are ignored; blanks around a path are part of it. Paths
// are relative to the manifest. Labels and tasks may be guarded against spreadsheets
// (guarded_text in core/files/csv.h).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gps {

enum class Split { unsaid, train, test };

struct ImageFile {
  std::filesystem::path path;  // can be opened as it is
  std::string label;  // label and task: in normal form (core/text/normal_form.h); "" if not given
  std::string task;
  Split split = Split::unsaid;
};

struct ImageListing {
  std::filesystem::path root;    // the folder, or the folder of the manifest
  std::vector<ImageFile> files;  // sorted by task, label, split and path, naturally; no path twice
  std::vector<std::string> columns = {};  // of a manifest, as its first line names them
};

// Returns whether the name has the ending of an image. Also true for kinds that cannot be read:
// they must be refused, not skipped.
bool is_called_like_an_image(const std::filesystem::path& path);

// Returns whether the name is that of a manifest.
bool is_manifest(const std::filesystem::path& path);

// Lists the images of a folder, of a manifest, or of a single image file. Throws UsageError if
// `path` does not exist. Throws DataError if there are no images or the layout is not as above; the
// message names the file, the line, or the two images that do not fit together.
ImageListing list_images(const std::filesystem::path& path);

// Throws DataError if the name of a class or a task is not in UTF-8: results and reports could not
// contain it. `path` is what was listed.
void check_names(const std::filesystem::path& path, const std::vector<ImageFile>& files);

}  // namespace gps
