// The settings that fit the data, for whoever gives none: a pure function from facts about the
// images to the size that they are learnt in, the network, learning rate, length and batch, and the
// weight of der and der++. docs/defaults.md has the measurements behind the numbers. `gpscl run` on
// images of one's own and `gpscl learn` use all of it. The paper's streams keep the paper's values;
// only the learning rate is taken from here if the network is not the paper's.
//
// Nothing here depends on the machine, except that there may be no LibTorch: the same data gives
// the same settings everywhere.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "gps/data/dataset.h"

namespace gps {

struct DataFacts {
  ImageShape image = {};   // as it is learnt, after usual_size()
  int classes = 2;         // that are known when the network is made
  std::size_t images = 0;  // training images of a task, on average
  std::string learner = "er";
  std::string model = {};  // the network, if the user chose one
  bool has_libtorch = true;
};

struct UsualSettings {
  std::string model = "mlp";
  int width = 0;  // channels of the first layer; 0: that of the network itself
  float learning_rate = 0;
  int batch = 10;
  int epochs = 5;
  double alpha = 0;        // weight of der's and der++'s squared error of logits
  std::string why_model;   // in a few words: "the images are in colour"
  std::string why_epochs;  // "a task has about 80 images"
};

UsualSettings usual_settings(const DataFacts& facts);

// Examples in the memory, as in `gpscl learn`.
inline constexpr int kUsualMemory = 500;

// Returns whether a convolutional network should learn, if LibTorch is there: the images are in
// colour, or larger than kUsualSide, or a task has so few of them that an mlp generalises worse,
// unless they are tiny. REQUIRES: facts.model is empty.
bool wants_convolutions(const DataFacts& facts);

// Returns the number of passes over a task with this many training images: small tasks need more.
// If the number of images is not known (0), that of the paper for P-MNIST.
int usual_epochs(const std::string& model, std::size_t images, int batch);

// Returns the height and width in which images of at most this size are learnt: the same if they
// are small, and otherwise kUsualSide for both.
inline constexpr int kUsualSide = 32;
std::pair<int, int> usual_size(int height, int width);

}  // namespace gps
