// The binary files of CIFAR-10 and CIFAR-100: one for training and one for testing. The first byte
// chooses the set. All five training files of CIFAR-10 are the same file.
#include "fuzz/fuzz.h"
#include "gps/data/readers/cifar.h"

namespace gps::fuzz {
namespace {

namespace fs = std::filesystem;

// Makes the folder with links of these names to the two files.
fs::path linked(const char* name, const std::vector<std::string>& train, const std::string& test) {
  const fs::path made = folder() / name;
  fs::create_directories(made);
  for (const std::string& each : train) fs::create_symlink("../train", made / each);
  fs::create_symlink("../test", made / test);
  return made;
}

void check_labels(const Dataset& data, int classes) {
  for (std::size_t i = 0; i < data.size(); ++i)
    require(data.label(i) < classes, "labels are below the number of classes");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fs::path cifar_10 =
      linked("cifar-10",
             {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin",
              "data_batch_5.bin"},
             "test_batch.bin");
  static const fs::path cifar_100 = linked("cifar-100", {"train.bin"}, "test.bin");
  if (size == 0) return 0;
  const std::vector<std::string> parts = parts_of(text_of(data + 1, size - 1), 2);
  put(folder() / "train", parts[0]);
  put(folder() / "test", parts[1]);
  const bool is_100 = data[0] % 2 == 1;
  is_readable([&] {
    const TrainTest read = is_100 ? read_cifar_100(cifar_100) : read_cifar_10(cifar_10);
    check_labels(read.train, is_100 ? 100 : 10);
    check_labels(read.test, is_100 ? 100 : 10);
  });
  return 0;
}

}  // namespace gps::fuzz
