#include "gps/nn/resnet18/fused_resnet18.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <utility>

#include "gps/core/errors.h"
#include "gps/nn/dense_gradients.h"
#include "gps/nn/resnet18/resnet18_layout.h"
#include "gps/nn/resnet18/resnet18_passes.h"

namespace gps {
namespace {

constexpr std::size_t kEvaluatedRows = 32;  // rows of one forward pass in evaluation

template <typename T>
class FusedResNet18 final : public Network {
 public:
  FusedResNet18(FusedResNet18Options options, std::span<const float> parameters)
      : FusedResNet18(std::move(options)) {
    set_parameters(parameters);
    for (const ResNetUnit& unit : layout().units)  // initial running variances
      std::fill_n(passes_.statistics().data() + unit.statistics + unit.shape.outputs, unit.out,
                  1.0f);
  }

  std::unique_ptr<Network> clone() const override {
    std::unique_ptr<FusedResNet18> copy(new FusedResNet18(options_));
    copy->passes_.changed_theta() = passes_.theta();
    copy->gradient_ = gradient_;
    copy->passes_.statistics() = passes_.statistics();
    copy->passes_.logits() = passes_.logits();
    return copy;
  }

  std::size_t inputs() const override { return options_.shape.bytes(); }
  std::size_t classes() const override { return passes_.classes(); }
  std::size_t feature_size() const override { return passes_.feature_size(); }

  void logits(ImageRows images, std::span<float> out) override {
    in_chunks(images, [&](std::size_t first, std::size_t rows) {
      for (std::size_t r = 0; r < rows; ++r)
        std::copy_n(passes_.logits().data() + r * passes_.class_stride(), classes(),
                    out.data() + (first + r) * classes());
    });
  }
  void features(ImageRows images, std::span<float> out) override {
    in_chunks(images, [&](std::size_t first, std::size_t rows) {
      for (std::size_t r = 0; r < rows; ++r)
        std::copy_n(passes_.features().data() + r * layout().feature_stride, feature_size(),
                    out.data() + (first + r) * feature_size());
    });
  }

  double accumulate(ImageRows images, std::span<const LossTerm> terms) override {
    if (gradient_.empty()) gradient_ = AlignedFloats(passes_.theta().size());
    passes_.forward(images, PassMode::train);
    const double total = passes_.loss(images.size(), terms);
    passes_.backward(images.size(), PassMode::train, 1, gradient_.data());
    return total;
  }

  double gradients(ImageRows images, std::span<const LossTerm> terms,
                   ExampleGradients& out) override {
    auto& gradients = dynamic_cast<DenseGradients&>(out);
    gradients.clear();
    passes_.forward(images, PassMode::train);
    const double total = passes_.loss(images.size(), terms);
    std::vector<float> gradient(passes_.theta().size());
    passes_.backward(images.size(), PassMode::train, 1, gradient.data());
    gradients.add(std::move(gradient));
    return total;
  }

  void training_logits(ImageRows images, std::span<float> out) override {
    const AlignedFloats statistics = passes_.statistics();
    passes_.forward(images, PassMode::train);
    passes_.statistics() = statistics;
    for (std::size_t r = 0; r < images.size(); ++r)
      std::copy_n(passes_.logits().data() + r * passes_.class_stride(), classes(),
                  out.data() + r * classes());
  }

  double step(ImageRows images, std::span<const LossTerm> terms, float learning_rate) override {
    passes_.forward(images, PassMode::train);
    const double total = passes_.loss(images.size(), terms);
    passes_.descend(images.size(), learning_rate);
    return total;
  }

  void descend(float learning_rate) override {
    if (gradient_.empty()) return;
    AlignedFloats& theta = passes_.changed_theta();
    for (std::size_t k = 0; k < theta.size(); ++k) theta[k] -= learning_rate * gradient_[k];
    gradient_.clear();
  }

  std::span<const float> row_logits(std::size_t row) const override {
    return {passes_.logits().data() + row * passes_.class_stride(), classes()};
  }

  std::unique_ptr<ExampleGradients> no_gradients() const override {
    return std::make_unique<DenseGradients>(passes_.theta().size());
  }

  // Computes one row at a time, each with its own errors from the loss of the whole batch.
  double example_gradients(ImageRows images, std::span<const LossTerm> terms,
                           ExampleGradients& out) override {
    auto& gradients = dynamic_cast<DenseGradients&>(out);
    gradients.clear();
    passes_.forward(images, PassMode::evaluate);
    const double total = passes_.loss(images.size(), terms);
    const AlignedFloats logits = passes_.logits();
    const AlignedFloats errors = passes_.errors();
    const AlignedFloats feature_errors = passes_.feature_errors();
    for (std::size_t r = 0; r < images.size(); ++r) {
      passes_.forward(images.subspan(r, 1), PassMode::evaluate);
      std::copy_n(errors.data() + r * passes_.class_stride(), passes_.class_stride(),
                  passes_.errors().data());
      std::copy_n(feature_errors.data() + r * layout().feature_stride, layout().feature_stride,
                  passes_.feature_errors().data());
      std::vector<float> gradient(passes_.theta().size());
      passes_.backward(1, PassMode::evaluate, 1, gradient.data());
      gradients.add(std::move(gradient));
    }
    passes_.logits() = logits;
    return total;
  }

  double input_gradient(std::span<const float> images, std::span<const LossTerm> terms,
                        std::span<float> out) override {
    const std::size_t rows = images.size() / inputs();
    passes_.forward_values(images);
    const double total = passes_.loss(rows, terms);
    passes_.backward(rows, PassMode::evaluate, 0, nullptr);
    passes_.input_errors(rows, out);
    return total;
  }

  std::span<float> weights() override {
    return passes_.changed_theta();  // the caller may change them
  }

  std::vector<float> parameters() const override { return flatten(passes_.theta()); }
  std::vector<float> gradient() const override {
    return gradient_.empty() ? std::vector<float>(layout().parameters()) : flatten(gradient_);
  }
  void set_parameters(std::span<const float> values) override {
    assert(values.size() == layout().parameters());
    std::size_t at = 0;
    AlignedFloats& theta = passes_.changed_theta();
    layout().for_each_parameter([&](std::size_t k) { theta[k] = values[at++]; });
  }

  NamedTensors tensors() const override {
    NamedTensors all = layout().names();
    const std::vector<float> values = state();
    auto from = values.begin();
    for (NamedTensor& tensor : all) {
      const auto size = std::accumulate(tensor.shape.begin(), tensor.shape.end(), std::ptrdiff_t{1},
                                        std::multiplies<>());
      tensor.values.assign(from, from + size);
      from += size;
    }
    return all;
  }

  const FusedResNet18Options& options() const { return options_; }

  std::vector<float> state() const override {
    std::vector<float> values = parameters();
    layout().for_each_statistic([&](std::size_t k) { values.push_back(passes_.statistics()[k]); });
    return values;
  }
  void set_state(std::span<const float> values) override {
    std::size_t at = layout().parameters();
    set_parameters(values.first(at));
    layout().for_each_statistic([&](std::size_t k) { passes_.statistics()[k] = values[at++]; });
    assert(at == values.size());
  }

 private:
  explicit FusedResNet18(FusedResNet18Options options)
      : options_(std::move(options)), passes_(options_) {}

  // Calls use(first row, rows) after the forward pass of each chunk of the images.
  template <typename Use>
  void in_chunks(ImageRows images, const Use& use) {
    for (std::size_t first = 0; first < images.size(); first += kEvaluatedRows) {
      const ImageRows chunk =
          images.subspan(first, std::min(kEvaluatedRows, images.size() - first));
      passes_.forward(chunk, PassMode::evaluate);
      use(first, chunk.size());
    }
  }

  std::vector<float> flatten(const AlignedFloats& values) const {
    std::vector<float> flat;
    flat.reserve(layout().parameters() + layout().statistics_size);
    layout().for_each_parameter([&](std::size_t k) { flat.push_back(values[k]); });
    return flat;
  }

  const ResNet18Layout& layout() const { return passes_.layout(); }

  FusedResNet18Options options_;
  ResNet18Passes<T> passes_;
  AlignedFloats gradient_;  // empty until needed
};

}  // namespace

std::size_t fused_resnet18_parameters(const FusedResNet18Options& options) {
  return ResNet18Layout(options.shape, options.classes, options.width).parameters();
}

std::unique_ptr<Network> make_fused_resnet18(const FusedResNet18Options& options,
                                             std::span<const float> parameters) {
  const std::size_t wanted = fused_resnet18_parameters(options);
  if (parameters.size() != wanted) {
    throw UsageError("a ResNet18 of this shape has " + std::to_string(wanted) +
                     " parameters, got " + std::to_string(parameters.size()));
  }
  const auto channels = static_cast<std::size_t>(options.shape.channels);
  const Normalisation& n = options.normalisation;
  if (n.mean.size() != n.deviation.size() || (!n.mean.empty() && n.mean.size() != channels)) {
    throw UsageError("a normalisation of images with " + std::to_string(channels) +
                     " channels needs as many means and deviations, got " +
                     std::to_string(n.mean.size()) + " and " + std::to_string(n.deviation.size()));
  }
  if (options.precision == Precision::bf16) {
    return std::make_unique<FusedResNet18<Bf16>>(options, parameters);
  }
  return std::make_unique<FusedResNet18<float>>(options, parameters);
}

std::unique_ptr<Network> make_fused_resnet18(const FusedResNet18Options& options, const Rng& rng) {
  const ResNet18Layout layout(options.shape, options.classes, options.width);
  std::vector<float> parameters;
  int drawn = 0;
  const auto draw = [&](std::size_t count, std::size_t inputs) {
    Rng stream = rng.fork("parameter", drawn++);
    const double bound = 1 / std::sqrt(static_cast<double>(inputs));
    for (std::size_t k = 0; k < count; ++k)
      parameters.push_back(static_cast<float>(bound * (2 * stream.uniform() - 1)));
  };
  for (const ResNetUnit& unit : layout.units) {
    const std::size_t inputs = unit.in * unit.kernel * unit.kernel;
    draw(unit.out * inputs, inputs);
    parameters.insert(parameters.end(), unit.out, 1.0f);
    parameters.insert(parameters.end(), unit.out, 0.0f);
  }
  draw(layout.classes * layout.features, layout.features);
  draw(layout.classes, layout.features);
  return make_fused_resnet18(options, parameters);
}

const FusedResNet18Options* fused_resnet18_options(const Network& network) {
  if (const auto* fp32 = dynamic_cast<const FusedResNet18<float>*>(&network))
    return &fp32->options();
  if (const auto* bf16 = dynamic_cast<const FusedResNet18<Bf16>*>(&network))
    return &bf16->options();
  return nullptr;
}

}  // namespace gps
