// A stream of the user's own images: a folder or a manifest (data/images/image_listing.h), or a
// folder of IDX files (data/readers/idx_folder.h).
//
// Tasks and classes come in the natural order of their names (core/natural_order.h). If the data
// has tasks, it also gives the classes of each task. If it has none, the classes are divided among
// the tasks: the same number for each, and the rest for the last. If some task lacks some class,
// tasks have their own labels (task-incremental). Otherwise all tasks have all labels
// (domain-incremental). If the data does not mark test images, a share of each class of each task
// is drawn from the seed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gps/core/option.h"
#include "gps/data/dataset.h"
#include "gps/data/loading.h"

namespace gps {

class BenchmarkSource;
struct BenchmarkOptions;

enum class Colour { automatic, grey, rgb };
std::string name_of(Colour value);

// What the user says of it.
struct OwnStreamOptions {
  int classes_per_task = 0;  // where the data has no tasks; 0: not said
  int tasks = 0;             // so many tasks instead; 0: not said
  int height = 0;            // 0 x 0: as the images are, which must all have the same size then
  int width = 0;
  Colour colour = Colour::automatic;  // automatic: as soon as one image is in colour
  double test_fraction = 0;           // where the data has no test images; 0: a fifth
  bool skip_bad = false;              // leave out images that cannot be read
};

const OptionTable<OwnStreamOptions>& own_stream_options();

// What was found there: all that a run depends on, before any image is decoded.
struct OwnStream {
  std::string fingerprint;  // of all images, their order, and what is said of each
  std::size_t images = 0;
  int classes = 0;
  std::vector<int> classes_of_tasks;  // how many of them each task has
  ImageShape shape;
  int classes_per_task = 0;  // 0: the data says which classes a task has
  double test_fraction = 0;  // 0: the data says which images are for testing
  bool skip_bad = false;

  bool divides_classes() const;  // do tasks have labels of their own?
  friend bool operator==(const OwnStream&, const OwnStream&) = default;
};

// What to call it: a folder with one slash at its end, so that it is a path wherever it is read.
std::string path_name(std::string path);

// Height and width of "32" or "24x32"; nothing for what is none of at least 1 x 1.
std::optional<std::pair<int, int>> parse_image_size(const std::string& text);

// Is this the path of such a stream, rather than a name? It has a slash, ends in .csv, or is a
// folder, and is no name of benchmark_catalog().
bool is_own_stream(const std::string& benchmark);

// How many of so many examples of a class are held out for testing: the share, rounded, but at
// least one, and not all. REQUIRES: at least two examples.
std::size_t test_examples(std::size_t examples, double fraction);

// Reads every file once, for the fingerprint. Throws UsageError if there is nothing at the path, if
// a value is impossible or contradicts the data, or if an option is missing. Throws DataError if
// the data makes no stream.
OwnStream look_at_stream(const std::filesystem::path& path, const OwnStreamOptions& asked,
                         const LoadHooks& hooks = {});

// Decodes the images: once, into the user's cache (data/images/image_cache.h), if all are good and
// there is a cache; otherwise in memory. Throws DataError if the data has changed. Throws DataError
// that lists all images that cannot be read, unless they are to be skipped. REQUIRES: options.own.
std::unique_ptr<BenchmarkSource> open_own_stream(const BenchmarkOptions& options,
                                                 const LoadHooks& hooks);

}  // namespace gps
