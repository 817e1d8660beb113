// The tree of TinyImageNet, with two classes: its list of classes, its list of test images, and one
// image that stands for all.
#include "fuzz/fuzz.h"
#include "gps/data/readers/tiny_imagenet.h"

namespace gps::fuzz {
namespace {

namespace fs = std::filesystem;

// Makes a tree whose images are links to one file.
fs::path make_tree() {
  const fs::path tree = folder() / "tree";
  for (const char* name : {"train/n1/images/n1_0.JPEG", "train/n2/images/n2_0.JPEG",
                           "val/images/val_0.JPEG", "val/images/val_1.JPEG"}) {
    fs::create_directories((tree / name).parent_path());
    fs::create_symlink(folder() / "image", tree / name);
  }
  return tree;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr int kClasses = 2;
  static const fs::path tree = make_tree();
  const std::vector<std::string> parts = parts_of(text_of(data, size), 3);
  put(tree / "wnids.txt", parts[0]);
  put(tree / "val" / "val_annotations.txt", parts[1]);
  put(folder() / "image", parts[2]);
  is_readable([&] {
    const TrainTest read = read_tiny_imagenet(tree, kClasses, folder() / "cache", {});
    require(read.train.size() > 0 && read.test.size() > 0, "both parts have images");
    std::vector<std::uint8_t> scratch(read.test.shape().bytes());
    touch({read.test.image(read.test.size() - 1, scratch), scratch.size()});
  });
  return 0;
}

}  // namespace gps::fuzz
