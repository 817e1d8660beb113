#include "libtorch/torch_mlp.h"

#include <torch/torch.h>

#include <cstring>

#include "gps/nn/dense_gradients.h"
#include "libtorch/torch_losses.h"

namespace gps::testing {
namespace {

std::vector<float> to_vector(const torch::Tensor& tensor) {
  const torch::Tensor flat = tensor.contiguous();
  return {flat.data_ptr<float>(), flat.data_ptr<float>() + flat.numel()};
}

class TorchMlp final : public Network {
 public:
  TorchMlp(std::vector<std::size_t> sizes, const std::vector<float>& parameters)
      : sizes_(std::move(sizes)),
        theta_(torch::tensor(parameters)),
        gradient_(torch::zeros_like(theta_)) {}

  std::unique_ptr<Network> clone() const override {
    return std::make_unique<TorchMlp>(sizes_, parameters());
  }
  std::size_t inputs() const override { return sizes_.front(); }
  std::size_t classes() const override { return sizes_.back(); }
  std::size_t feature_size() const override { return sizes_[sizes_.size() - 2]; }

  void logits(ImageRows images, std::span<float> out) override {
    copy(forward(floats(images), theta_).logits, out);
  }
  void features(ImageRows images, std::span<float> out) override {
    copy(forward(floats(images), theta_).features, out);
  }

  double accumulate(ImageRows images, std::span<const LossTerm> terms) override {
    const torch::Tensor theta = leaf();
    const torch::Tensor loss = row_losses_of(forward(floats(images), theta), terms).sum();
    gradient_ += torch::autograd::grad({loss}, {theta})[0];
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
    return std::make_unique<DenseGradients>(static_cast<std::size_t>(theta_.numel()));
  }
  double example_gradients(ImageRows images, std::span<const LossTerm> terms,
                           ExampleGradients& out) override {
    auto& flat = dynamic_cast<DenseGradients&>(out);
    flat.clear();
    const torch::Tensor theta = leaf();
    const torch::Tensor losses = row_losses_of(forward(floats(images), theta), terms);
    for (std::int64_t r = 0; r < losses.size(0); ++r) {
      flat.add(
          to_vector(torch::autograd::grad({losses[r]}, {theta}, {}, /*retain_graph=*/true)[0]));
    }
    return losses.sum().item<double>();
  }
  double input_gradient(std::span<const float> images, std::span<const LossTerm> terms,
                        std::span<float> out) override {
    const auto width = static_cast<std::int64_t>(inputs());
    const auto rows = static_cast<std::int64_t>(images.size()) / width;
    const torch::Tensor x = torch::tensor(std::vector<float>(images.begin(), images.end()))
                                .view({rows, width})
                                .requires_grad_();
    const torch::Tensor loss = row_losses_of(forward(x, theta_), terms).sum();
    copy(torch::autograd::grad({loss}, {x})[0], out);
    return loss.item<double>();
  }

  std::span<float> weights() override {
    return {theta_.data_ptr<float>(), static_cast<std::size_t>(theta_.numel())};
  }
  std::vector<float> parameters() const override { return to_vector(theta_); }
  void set_parameters(std::span<const float> values) override {
    std::copy(values.begin(), values.end(), theta_.data_ptr<float>());
  }
  std::vector<float> gradient() const override { return to_vector(gradient_); }

 private:
  struct Outputs {
    torch::Tensor logits;
    torch::Tensor features;
  };

  static torch::Tensor row_losses_of(const Outputs& outputs, std::span<const LossTerm> terms) {
    return row_losses(outputs.logits, outputs.features, terms);
  }

  torch::Tensor leaf() const { return theta_.detach().clone().requires_grad_(); }

  static void copy(const torch::Tensor& from, std::span<float> to) {
    const std::vector<float> values = to_vector(from.detach());
    std::copy(values.begin(), values.end(), to.begin());
  }

  torch::Tensor floats(ImageRows images) const {
    const torch::Tensor x = torch::empty(
        {static_cast<std::int64_t>(images.size()), static_cast<std::int64_t>(inputs())});
    float* to = x.data_ptr<float>();
    for (const std::uint8_t* image : images) {
      for (std::size_t k = 0; k < inputs(); ++k) *to++ = static_cast<float>(image[k]) / 255.0f;
    }
    return x;
  }

  Outputs forward(const torch::Tensor& x, const torch::Tensor& theta) {
    Outputs out{x, x};
    std::int64_t at = 0;
    for (std::size_t l = 0; l + 1 < sizes_.size(); ++l) {
      const auto in = static_cast<std::int64_t>(sizes_[l]);
      const auto units = static_cast<std::int64_t>(sizes_[l + 1]);
      const torch::Tensor w = theta.narrow(0, at, units * in).view({units, in});
      const torch::Tensor b = theta.narrow(0, at + units * in, units);
      at += units * in + units;
      out.features = l == 0 ? x : torch::relu(out.logits);
      out.logits = torch::addmm(b, out.features, w.t());
    }
    last_ = to_vector(out.logits.detach());
    return out;
  }

  std::vector<std::size_t> sizes_;
  torch::Tensor theta_;
  torch::Tensor gradient_;
  std::vector<float> last_;
};

}  // namespace

std::unique_ptr<Network> make_torch_mlp(const std::vector<std::size_t>& sizes,
                                        std::vector<float> parameters) {
  torch::set_num_threads(1);
  return std::make_unique<TorchMlp>(sizes, parameters);
}

}  // namespace gps::testing
