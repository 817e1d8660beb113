#include "gps/data/usual_settings.h"

#include <fmt/format.h>

#include <algorithm>

namespace gps {
namespace {

// What a network needs (docs/defaults.md).
struct Needs {
  float learning_rate;
  std::size_t steps;  // of a task, if it is small
  int fewest_epochs;  // if it is large
  int most_epochs;    // if it is tiny
};

// A step of the mlp is cheap, so it may take more of them.
Needs needs_of(const std::string& model) {
  if (model == "mlp") return {0.03f, 800, 5, 100};
  return {0.03f, 400, 2, 50};
}

constexpr int kPaperEpochs = 5;

// Images that are larger than kUsualSide are learnt in that size, so it counts as large.
bool is_in_colour_or_large(const ImageShape& image) {
  return image.channels > 1 || std::max(image.height, image.width) >= kUsualSide;
}

// From smaller images, three layers of pooling would leave next to nothing.
bool has_few_images(const DataFacts& facts) {
  constexpr std::size_t kFew = 300;
  constexpr int kTiny = 16;
  const int side = std::min(facts.image.height, facts.image.width);
  return side >= kTiny && facts.images > 0 && facts.images <= kFew;
}

}  // namespace

bool wants_convolutions(const DataFacts& facts) {
  return is_in_colour_or_large(facts.image) || has_few_images(facts);
}

std::pair<int, int> usual_size(int height, int width) {
  if (std::max(height, width) <= kUsualSide) return {height, width};
  return {kUsualSide, kUsualSide};
}

int usual_epochs(const std::string& model, std::size_t images, int batch) {
  if (images == 0) return kPaperEpochs;
  const Needs needs = needs_of(model);
  const auto each = static_cast<std::size_t>(std::max(1, batch));
  const std::size_t steps = std::max<std::size_t>(1, (images + each - 1) / each);
  const auto wanted =
      static_cast<int>(std::min<std::size_t>(1000, (needs.steps + steps - 1) / steps));
  return std::clamp(wanted, needs.fewest_epochs, needs.most_epochs);
}

UsualSettings usual_settings(const DataFacts& facts) {
  UsualSettings settings;
  settings.model = facts.model;
  if (facts.model.empty()) {
    const bool is_simple = !wants_convolutions(facts);
    const bool is_mlp = is_simple || !facts.has_libtorch;
    constexpr int kNarrow = 16;
    settings.model = is_mlp ? "mlp" : "convnet";
    settings.width = is_mlp ? 0 : kNarrow;
    settings.why_model = is_simple                  ? "the images are small and grey"
                         : !facts.has_libtorch      ? "convolutional networks need LibTorch"
                         : facts.image.channels > 1 ? "the images are in colour"
                         : is_in_colour_or_large(facts.image) ? "the images are large"
                                                              : "the images are few";
  }
  const Needs needs = needs_of(settings.model);
  settings.learning_rate = needs.learning_rate;
  settings.epochs = usual_epochs(settings.model, facts.images, settings.batch);
  // The many features of networks other than the mlp would make the first steps diverge with more.
  const bool is_mlp = settings.model == "mlp";
  settings.alpha = facts.learner == "der++" ? (is_mlp ? 1 : 0.1) : (is_mlp ? 0.5 : 0.3);
  settings.why_epochs = fmt::format("a task has about {} images", facts.images);
  return settings;
}

}  // namespace gps
