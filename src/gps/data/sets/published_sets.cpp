#include "gps/data/sets/published_sets.h"

#include "gps/core/errors.h"
#include "gps/core/text/nearest.h"

namespace gps {
namespace {

constexpr const char* kCifarOrigin =
    "Alex Krizhevsky, Vinod Nair and Geoffrey Hinton, https://www.cs.toronto.edu/~kriz/cifar.html. "
    "Cite Krizhevsky, \"Learning multiple layers of features from tiny images\", 2009.";
constexpr const char* kCifarTerms =
    "No licence is given; its authors ask to be cited. The photographs were collected from the "
    "web.";

}  // namespace

// docs/data.md says where the sums come from.
const std::vector<PublishedSet>& published_sets() {
  static const std::vector<std::string> cifar = {
      "https://www.cs.toronto.edu/~kriz/", "https://cave.cs.toronto.edu/kriz/",
      "https://mindspore-website.obs.cn-north-4.myhuaweicloud.com/notebook/datasets/"};
  static const std::vector<PublishedSet> sets = {
      {.name = "mnist",
       .title = "MNIST",
       .format = SetFormat::mnist,
       .folder = "mnist",
       .files = {{"train-images-idx3-ubyte.gz", 9'912'422,
                  "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"},
                 {"train-labels-idx1-ubyte.gz", 28'881,
                  "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"},
                 {"t10k-images-idx3-ubyte.gz", 1'648'877,
                  "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"},
                 {"t10k-labels-idx1-ubyte.gz", 4'542,
                  "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"}},
       .sources = {"https://ossci-datasets.s3.amazonaws.com/mnist/",
                   "https://storage.googleapis.com/cvdf-datasets/mnist/",
                   "https://raw.githubusercontent.com/fgnt/mnist/master/",
                   "http://yann.lecun.com/exdb/mnist/"},
       .summary = "handwritten digits, 60,000 + 10,000, 28 x 28, 10 classes",
       .origin = "Yann LeCun, Corinna Cortes and Christopher J. C. Burges, "
                 "http://yann.lecun.com/exdb/mnist. Cite LeCun, Bottou, Bengio and Haffner, "
                 "\"Gradient-based learning applied to document recognition\", 1998.",
       .terms = "Creative Commons Attribution-Share Alike 3.0, (c) LeCun and Cortes."},
      {.name = "fashion-mnist",
       .title = "Fashion-MNIST",
       .format = SetFormat::mnist,
       .folder = "fashion-mnist",
       .files = {{"train-images-idx3-ubyte.gz", 26'421'880,
                  "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888"},
                 {"train-labels-idx1-ubyte.gz", 29'515,
                  "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9"},
                 {"t10k-images-idx3-ubyte.gz", 4'422'102,
                  "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b"},
                 {"t10k-labels-idx1-ubyte.gz", 5'148,
                  "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34"}},
       .sources = {"http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",
                   "https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/"
                   "fashion/",
                   "https://storage.googleapis.com/tensorflow/tf-keras-datasets/"},
       .summary = "garments, 60,000 + 10,000, 28 x 28, 10 classes",
       .origin = "Han Xiao, Kashif Rasul and Roland Vollgraf (Zalando), "
                 "https://github.com/zalandoresearch/fashion-mnist. Cite \"Fashion-MNIST: a novel "
                 "image dataset for benchmarking machine learning algorithms\", 2017.",
       .terms = "MIT License, (c) 2017 Zalando SE."},
      {.name = "cifar-10",
       .title = "CIFAR-10",
       .format = SetFormat::cifar_10,
       .folder = "cifar-10-batches-bin",
       .files = {{"cifar-10-binary.tar.gz", 170'052'171,
                  "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd"}},
       .sources = cifar,
       .unpacked_bytes = 200'000'000,
       .summary = "photographs, 50,000 + 10,000, 32 x 32, 10 classes",
       .origin = kCifarOrigin,
       .terms = kCifarTerms},
      {.name = "cifar-100",
       .title = "CIFAR-100",
       .format = SetFormat::cifar_100,
       .folder = "cifar-100-binary",
       .files = {{"cifar-100-binary.tar.gz", 168'513'733,
                  "58a81ae192c23a4be8b1804d68e518ed807d710a4eb253b1f2a199162a40d8ec"}},
       .sources = cifar,
       .unpacked_bytes = 200'000'000,
       .summary = "photographs, 50,000 + 10,000, 32 x 32, 100 classes",
       .origin = kCifarOrigin,
       .terms = kCifarTerms},
      {.name = "tiny-imagenet",
       .title = "TinyImageNet",
       .format = SetFormat::tiny_imagenet,
       .folder = "tiny-imagenet-200",
       .files = {{"tiny-imagenet-200.zip", 248'100'043,
                  "6198c8ae015e2b3e007c7841da39ec069199b9aa3bfa943a462022fe5e43c821"}},
       .sources = {"https://cs231n.stanford.edu/", "http://cs231n.stanford.edu/",
                   "https://image-net.org/data/"},
       .unpacked_bytes = 1'000'000'000,
       .summary = "photographs, 100,000 + 10,000, 64 x 64, 200 classes",
       .origin =
           "Stanford's course CS231n, out of ImageNet. Cite Le and Yang, \"Tiny ImageNet visual "
           "recognition challenge\", 2015, and Deng et al., \"ImageNet: a large-scale "
           "hierarchical image database\", 2009.",
       .terms = "ImageNet's terms of access: for non-commercial research and education only; the "
                "photographs belong to their owners. https://image-net.org/download"},
  };
  return sets;
}

const PublishedSet& published_set(const std::string& name) {
  std::vector<std::string> known;
  for (const PublishedSet& set : published_sets()) {
    if (set.name == name) return set;
    known.push_back(set.name);
  }
  throw UsageError(unknown_name_text("data set", name, known));
}

}  // namespace gps
