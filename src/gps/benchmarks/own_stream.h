// A stream of the user's own images: a folder or a manifest (data/images/image_listing.h), or a
// folder of IDX files (data/readers/idx_folder.h).
//
// Tasks and classes come in the natural order of their names (core/text/natural_order.h). If the
// data has tasks, it also gives the classes of each task. If it has none, the classes are divided
// among the tasks: the same number for each, and the rest for the last. If some task lacks some
// class, tasks have their own labels (task-incremental). Otherwise all tasks have all labels
// (domain-incremental). If the data does not mark test images, a share of each class of each task
// is drawn with the seed.
#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gps/core/option_table.h"
#include "gps/data/dataset.h"
#include "gps/data/features.h"
#include "gps/data/loading.h"

namespace gps {

class BenchmarkSource;
struct BenchmarkOptions;

enum class Colour { automatic, grey, rgb };
std::string name_of(Colour value);

// The user's options.
struct OwnStreamOptions {
  int classes_per_task = 0;  // if the data has no tasks; 0: not given
  int tasks = 0;             // number of tasks instead; 0: not given
  int height = 0;            // 0 x 0: the size of the images, which must then be the same for all
  int width = 0;
  Colour colour = Colour::automatic;  // automatic: rgb if any image is in colour
  double test_fraction = 0;           // if the data marks no test images; 0: a fifth
  bool skip_bad = false;              // skip images that cannot be read
  auto operator<=>(const OwnStreamOptions&) const = default;
};

// The options, without `tasks`, which all streams have.
const OptionTable<OwnStreamOptions>& own_stream_options();

// The stream found at a path: everything that a run depends on, before any image is decoded.
struct OwnStream {
  std::string fingerprint;  // of all images, their order, labels, tasks and splits
  std::size_t images = 0;
  int classes = 0;
  std::vector<int> classes_of_tasks;  // number of classes in each task
  ImageShape shape;
  int classes_per_task = 0;  // 0: the data gives the classes of each task
  double test_fraction = 0;  // 0: the data marks the test images
  bool skip_bad = false;

  bool divides_classes() const;  // whether tasks have their own labels
  friend bool operator==(const OwnStream&, const OwnStream&) = default;
};

// Returns the options that make this stream of its data, with its size and colour. `tasks` is not
// set.
OwnStreamOptions own_options_of(const OwnStream& stream);

// Sets what the options say of a stream: the reverse of own_options_of(). Throws UsageError if size
// or colour are missing.
void set_own_options(OwnStream& stream, const OwnStreamOptions& options);

// Returns the name of the stream: for a folder, with exactly one slash at the end, so that it is
// always recognised as a path.
std::string path_name(std::string path);

// Parses a height and width such as "32" or "24x32". Returns none for anything else or less than 1
// x 1.
std::optional<std::pair<int, int>> parse_image_size(const std::string& text);

// Returns whether this is the path of such a stream and not a name: it has a slash, ends in .csv,
// or is a folder, and is not a name in benchmark_catalog().
bool is_own_stream(const std::string& benchmark);

// Returns how many examples of a class are held out for testing: the fraction, rounded, but at
// least one and not all. REQUIRES: at least two examples.
std::size_t test_examples(std::size_t examples, double fraction);

// Reads every file once, for the fingerprint. Throws UsageError if the path does not exist, if a
// value is impossible or contradicts the data, or if an option is missing. Throws DataError if the
// data does not make a stream.
OwnStream look_at_stream(const std::filesystem::path& path, const OwnStreamOptions& asked,
                         const LoadHooks& hooks = {});

// Decodes the images: once, into the user's cache (data/images/image_cache.h), if all are good and
// there is a cache; otherwise in memory. Throws DataError if the data has changed. Throws DataError
// that lists all images that cannot be read, unless they are to be skipped. If `convert` is given,
// it is applied once to all images. REQUIRES: options.own.
std::unique_ptr<BenchmarkSource> open_own_stream(const BenchmarkOptions& options,
                                                 const LoadHooks& hooks,
                                                 const ConvertImages& convert = {});

}  // namespace gps
