#include "libtorch/torch_resnet18.h"

#include <torch/torch.h>

#include <stdexcept>

#include "libtorch/torch_losses.h"

namespace gps::testing {
namespace {

std::vector<float> to_vector(const torch::Tensor& tensor) {
  const torch::Tensor flat = tensor.detach().contiguous();
  return {flat.data_ptr<float>(), flat.data_ptr<float>() + flat.numel()};
}

class TorchResNet18 final : public Network {
 public:
  TorchResNet18(const FusedResNet18Options& options, const std::vector<float>& parameters)
      : options_(options), theta_(torch::tensor(parameters)) {
    gradient_ = torch::zeros_like(theta_);
    const torch::NoGradGuard none;
    const torch::Tensor image =
        torch::zeros({1, options.shape.channels, options.shape.height, options.shape.width});
    is_counting_ = true;
    forward(image, theta_, /*train=*/false);
    is_counting_ = false;
  }

  std::unique_ptr<Network> clone() const override { throw std::logic_error("not needed"); }
  std::size_t inputs() const override { return options_.shape.bytes(); }
  std::size_t classes() const override { return options_.classes; }
  std::size_t feature_size() const override { return 8 * options_.width; }

  void logits(ImageRows images, std::span<float> out) override {
    std::ranges::copy(to_vector(forward(floats(images), theta_, false)), out.begin());
  }
  void features(ImageRows images, std::span<float> out) override {
    forward(floats(images), theta_, false);
    std::ranges::copy(to_vector(features_), out.begin());
  }
  double accumulate(ImageRows images, std::span<const LossTerm> terms) override {
    const torch::Tensor theta = theta_.detach().clone().requires_grad_();
    const torch::Tensor logits = forward(floats(images), theta, true);
    const torch::Tensor loss = row_losses(logits, features_, terms).sum();
    gradient_ += torch::autograd::grad({loss}, {theta})[0];
    last_ = to_vector(logits);
    return loss.item<double>();
  }
  void descend(float learning_rate) override {
    theta_ -= learning_rate * gradient_;
    gradient_.zero_();
  }
  std::span<const float> row_logits(std::size_t row) const override {
    return std::span(last_).subspan(row * classes(), classes());
  }
  std::unique_ptr<ExampleGradients> no_gradients() const override {
    throw std::logic_error("not needed");
  }
  double example_gradients(ImageRows, std::span<const LossTerm>, ExampleGradients&) override {
    throw std::logic_error("not needed");
  }
  double input_gradient(std::span<const float> images, std::span<const LossTerm> terms,
                        std::span<float> out) override {
    const torch::Tensor x =
        torch::tensor(std::vector<float>(images.begin(), images.end()))
            .view({-1, options_.shape.channels, options_.shape.height, options_.shape.width})
            .requires_grad_();
    const torch::Tensor logits = forward(x, theta_, false);
    const torch::Tensor loss = row_losses(logits, features_, terms).sum();
    std::ranges::copy(to_vector(torch::autograd::grad({loss}, {x})[0]), out.begin());
    return loss.item<double>();
  }
  std::span<float> weights() override {
    return {theta_.data_ptr<float>(), static_cast<std::size_t>(theta_.numel())};
  }
  std::vector<float> parameters() const override { return to_vector(theta_); }
  void set_parameters(std::span<const float> values) override {
    std::ranges::copy(values, theta_.data_ptr<float>());
  }
  std::vector<float> gradient() const override { return to_vector(gradient_); }
  std::vector<float> state() const override {
    std::vector<float> values = parameters();
    for (const torch::Tensor& statistic : statistics_)
      for (const float value : to_vector(statistic)) values.push_back(value);
    return values;
  }

 private:
  torch::Tensor floats(ImageRows images) const {
    const torch::Tensor x =
        torch::empty({static_cast<std::int64_t>(images.size()), options_.shape.channels,
                      options_.shape.height, options_.shape.width});
    float* to = x.data_ptr<float>();
    for (const std::uint8_t* image : images) {
      for (std::size_t k = 0; k < inputs(); ++k) *to++ = static_cast<float>(image[k]) / 255.0f;
    }
    return x;
  }

  torch::Tensor take(const torch::Tensor& theta, at::IntArrayRef shape) {
    const std::int64_t size = c10::multiply_integers(shape);
    at_ += size;
    return theta.narrow(0, at_ - size, size).view(shape);
  }

  // What is stored as bf16, if anything is; gradients go through as if nothing happened.
  torch::Tensor stored(const torch::Tensor& x) const {
    if (options_.precision == Precision::fp32) return x;
    return x + (x.to(torch::kBFloat16).to(torch::kFloat) - x).detach();
  }

  // Convolution and batch normalisation with the next parameters and statistics.
  torch::Tensor unit(const torch::Tensor& x, const torch::Tensor& theta, std::int64_t out,
                     int kernel, int stride, bool train) {
    const torch::Tensor w = stored(take(theta, {out, x.size(1), kernel, kernel}));
    const torch::Tensor scale = take(theta, {out});
    const torch::Tensor shift = take(theta, {out});
    if (is_counting_) {
      statistics_.push_back(torch::zeros({out}));
      statistics_.push_back(torch::ones({out}));
    }
    const torch::Tensor mean = statistics_[next_++];
    const torch::Tensor variance = statistics_[next_++];
    return torch::batch_norm(stored(torch::conv2d(x, w, {}, stride, kernel / 2)), scale, shift,
                             mean, variance, train, 0.1, 1e-5, false);
  }

  torch::Tensor forward(torch::Tensor x, const torch::Tensor& theta, bool train) {
    at_ = 0;
    next_ = 0;
    const Normalisation& n = options_.normalisation;
    if (!n.mean.empty()) {
      x = (x - torch::tensor(n.mean).view({1, -1, 1, 1})) /
          torch::tensor(n.deviation).view({1, -1, 1, 1});
    }
    const auto width = static_cast<std::int64_t>(options_.width);
    x = stored(torch::relu(unit(stored(x), theta, width, 3, 1, train)));
    for (int stage = 0; stage < 4; ++stage) {
      for (int block = 0; block < 2; ++block) {
        const std::int64_t out = width << stage;
        const int stride = stage > 0 && block == 0 ? 2 : 1;
        torch::Tensor y = stored(torch::relu(unit(x, theta, out, 3, stride, train)));
        y = unit(y, theta, out, 3, 1, train);
        if (stride == 2) x = unit(x, theta, out, 1, 2, train);
        x = stored(torch::relu(x + y));
      }
    }
    features_ = x.mean({2, 3});
    const auto classes = static_cast<std::int64_t>(options_.classes);
    const torch::Tensor w = take(theta, {classes, 8 * width});
    return torch::addmm(take(theta, {classes}), features_, w.t());
  }

  FusedResNet18Options options_;
  torch::Tensor theta_;
  torch::Tensor gradient_;
  torch::Tensor features_;
  std::vector<torch::Tensor> statistics_;  // mean and variance of each unit
  std::vector<float> last_;
  std::int64_t at_ = 0;
  std::size_t next_ = 0;
  bool is_counting_ = false;
};

}  // namespace

std::unique_ptr<Network> make_torch_resnet18(const FusedResNet18Options& options,
                                             const std::vector<float>& parameters) {
  torch::set_num_threads(1);
  return std::make_unique<TorchResNet18>(options, parameters);
}

}  // namespace gps::testing
