#include "gps/data/readers/idx_folder.h"

#include <fmt/format.h>

#include "gps/core/errors.h"
#include "gps/data/readers/idx.h"

namespace gps {
namespace {

namespace fs = std::filesystem;

constexpr int kMostClasses = 256;  // a label is a byte

std::optional<Dataset> read_pair(const fs::path& folder, const std::string& prefix) {
  const std::string labels_name = prefix + "-labels-idx1-ubyte";
  const fs::path images = find_idx_file(folder, prefix + "-images-idx3-ubyte");
  const fs::path labels = find_idx_file(folder, labels_name);
  if (images.empty()) return std::nullopt;
  if (labels.empty())
    throw DataError(
        fmt::format("{}: has no {} beside it, plain or .gz", images.string(), labels_name));
  return read_idx(images, labels, kMostClasses);
}

}  // namespace

bool is_idx_folder(const fs::path& folder) {
  return !find_idx_file(folder, "train-images-idx3-ubyte").empty();
}

IdxFolder read_idx_folder(const fs::path& folder) {
  IdxFolder found{read_pair(folder, "train").value(), read_pair(folder, "t10k")};
  if (!found.test) found.test = read_pair(folder, "test");
  if (found.test && found.test->shape() != found.train.shape()) {
    const ImageShape& test = found.test->shape();
    const ImageShape& train = found.train.shape();
    throw DataError(
        fmt::format("{}: test images of {} x {} pixels; expected {} x {} as in training",
                    folder.string(), test.height, test.width, train.height, train.width));
  }
  return found;
}

}  // namespace gps
