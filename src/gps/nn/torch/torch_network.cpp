#include "gps/nn/torch/torch_network.h"

#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/script.h>

#include <algorithm>
#include <sstream>

#include "gps/core/errors.h"
#include "gps/core/files/files.h"
#include "gps/nn/dense_gradients.h"
#include "gps/nn/torch/torch_calls.h"
#include "gps/nn/torch/torch_loss.h"
#include "gps/nn/torch/torch_session.h"
#include "gps/nn/torch/torch_tensors.h"
#include "gps/nn/torch/torch_weights.h"

namespace gps {
namespace {

using torch::Tensor;
using torch::jit::Module;

class TorchNetwork final : public Network {
 public:
  TorchNetwork(Module module, const TorchSettings& settings, const std::string& name)
      : settings_(settings), calls_(std::move(module), settings, name) {
    const Session session(settings_);
    for_each_parameter(calls_.module(), [&](Module&, const std::string&, const std::string&,
                                            const Tensor& parameter) {
      is_trained_.push_back(parameter.requires_grad());
    });
    weights_ = gather_weights(calls_.module(), is_trained_, calls_.device());
    if (weights_.theta.numel() == 0) throw DataError(name + ": has no parameters to train");
    calls_.probe();
  }
  TorchNetwork(const TorchNetwork& other)
      : Network(other),
        settings_(other.settings_),
        calls_(other.calls_),
        is_trained_(other.is_trained_),
        last_(other.last_) {
    weights_ = gather_weights(calls_.module(), is_trained_, calls_.device());
    weights_.theta.copy_(other.newest());
    weights_.gradient.copy_(other.weights_.gradient);
  }

  std::unique_ptr<Network> clone() const override { return std::make_unique<TorchNetwork>(*this); }
  std::size_t inputs() const override { return settings_.shape.bytes(); }
  std::size_t classes() const override { return calls_.classes(); }
  std::size_t feature_size() const override { return calls_.feature_size(); }

  void logits(ImageRows images, std::span<float> out) override {
    predict(&TorchCalls::logits, images, classes(), out);
  }
  void features(ImageRows images, std::span<float> out) override {
    predict(&TorchCalls::features, images, feature_size(), out);
  }
  void training_logits(ImageRows images, std::span<float> out) override {
    const Session session(settings_);
    upload();
    const torch::NoGradGuard no_gradients;
    std::vector<Tensor> kept;
    for (const Tensor& buffer : calls_.module().buffers()) kept.push_back(buffer.clone());
    copy_out(calls_.logits(calls_.floats(images), /*training=*/true), out);
    std::size_t k = 0;
    for (Tensor buffer : calls_.module().buffers()) buffer.copy_(kept[k++]);
  }

  double accumulate(ImageRows images, std::span<const LossTerm> terms) override {
    double loss = 0;
    const std::vector<Tensor> each = training_gradients(images, terms, loss);
    const torch::NoGradGuard no_gradients;
    for (std::size_t p = 0; p < each.size(); ++p) {
      if (each[p].defined()) weights_.gradient_views[p].add_(each[p]);
    }
    return loss;
  }
  void descend(float learning_rate) override {
    const Session session(settings_);
    upload();
    weights_.theta.sub_(weights_.gradient, learning_rate);
    weights_.gradient.zero_();
  }
  // Subtracts the gradient directly from θ, without accumulating it.
  double step(ImageRows images, std::span<const LossTerm> terms, float learning_rate) override {
    double loss = 0;
    const std::vector<Tensor> each = training_gradients(images, terms, loss);
    const torch::NoGradGuard no_gradients;
    for (std::size_t p = 0; p < each.size(); ++p) {
      if (each[p].defined()) weights_.parameters[p].sub_(each[p], learning_rate);
    }
    return loss;
  }
  std::span<const float> row_logits(std::size_t row) const override {
    return std::span(last_).subspan(row * classes(), classes());
  }

  std::unique_ptr<ExampleGradients> no_gradients() const override {
    return std::make_unique<DenseGradients>(static_cast<std::size_t>(weights_.theta.numel()));
  }
  // Works row by row: in prediction mode the rows do not depend on each other, and a backward pass
  // over the whole batch for each row would cost many times more.
  double example_gradients(ImageRows images, std::span<const LossTerm> terms,
                           ExampleGradients& out) override {
    const Session session(settings_);
    upload();
    auto& dense = dynamic_cast<DenseGradients&>(out);
    dense.clear();
    last_.resize(images.size() * classes());
    double total = 0;
    for (std::size_t r = 0; r < images.size(); ++r) {
      const TorchOutputs outputs =
          forward(calls_.floats(images.subspan(r, 1)), terms, /*training=*/false);
      copy_out(outputs.logits, std::span(last_).subspan(r * classes(), classes()));
      double loss = 0;
      dense.add(flattened(gradients_of(loss_of(outputs, terms, r, r + 1), loss)));
      total += loss;
    }
    return total;
  }
  double gradients(ImageRows images, std::span<const LossTerm> terms,
                   ExampleGradients& out) override {
    auto& dense = dynamic_cast<DenseGradients&>(out);
    dense.clear();
    double loss = 0;
    dense.add(flattened(training_gradients(images, terms, loss)));
    return loss;
  }
  double input_gradient(std::span<const float> images, std::span<const LossTerm> terms,
                        std::span<float> out) override {
    const Session session(settings_);
    upload();
    const std::size_t rows = images.size() / inputs();
    const Tensor x =
        calls_
            .placed(torch::from_blob(const_cast<float*>(images.data()), calls_.batch_shape(rows))
                        .clone())
            .requires_grad_();
    const Tensor loss = loss_of(forward(x, terms, /*training=*/false), terms, 0, rows);
    std::fill(out.begin(), out.end(), 0.0f);
    if (!loss.defined()) return 0;
    if (loss.requires_grad()) {
      // A module need not look at all images, or at any.
      const Tensor gradient =
          torch::autograd::grad({loss}, {x}, {}, /*retain_graph=*/c10::nullopt,
                                /*create_graph=*/false, /*allow_unused=*/true)[0];
      if (gradient.defined()) copy_out(gradient, out);
    }
    return loss.item<double>();
  }

  std::span<float> weights() override {
    if (!calls_.device().is_cuda())
      return {weights_.theta.data_ptr<float>(), static_cast<std::size_t>(weights_.theta.numel())};
    upload();
    mirror_ = weights_.theta.to(torch::kCPU);
    return {mirror_.data_ptr<float>(), static_cast<std::size_t>(mirror_.numel())};
  }
  std::vector<float> parameters() const override { return to_vector(newest()); }
  void set_parameters(std::span<const float> values) override {
    mirror_.reset();
    copy_in(values.first(static_cast<std::size_t>(weights_.theta.numel())), weights_.theta);
  }
  std::vector<float> gradient() const override { return to_vector(weights_.gradient); }

  NamedTensors tensors() const override {
    NamedTensors all;
    const std::vector<float> values = parameters();
    auto from = values.begin();
    std::size_t p = 0;
    for (const std::string& name : weights_.names) {
      const auto shape = weights_.parameters[p].sizes().vec();
      const auto to = from + weights_.parameters[p++].numel();
      all.push_back({name, shape, {from, to}});
      from = to;
    }
    for (const auto& buffer : state_tensors())
      all.push_back({buffer.first, buffer.second.sizes().vec(), to_vector(buffer.second)});
    return all;
  }
  std::vector<float> state() const override {
    std::vector<float> values = parameters();
    for (const auto& buffer : state_tensors()) {
      const std::vector<float> more = to_vector(buffer.second);
      values.insert(values.end(), more.begin(), more.end());
    }
    return values;
  }
  void set_state(std::span<const float> values) override {
    set_parameters(values);
    values = values.subspan(static_cast<std::size_t>(weights_.theta.numel()));
    for (const auto& buffer : state_tensors()) {
      const auto size = static_cast<std::size_t>(buffer.second.numel());
      copy_in(values.first(size), buffer.second);
      values = values.subspan(size);
    }
  }

  void save(const std::filesystem::path& file) const {
    const TorchNetwork other(*this);  // its θ is newest()
    Module copy = copied_module(other.calls_.module());
    std::size_t nth = 0;
    for_each_parameter(
        copy, [&](Module&, const std::string&, const std::string&, const Tensor& parameter) {
          parameter.set_requires_grad(is_trained_[nth++]);
        });
    copy.to(torch::kCPU);
    copy.eval();
    std::ostringstream bytes;  // LibTorch's own writer ends the program when the disk is full
    try {
      copy.save(bytes);
    } catch (const std::exception& error) {
      throw DataError(fmt::format("{}: cannot be written: {}", file.string(), reason_of(error)));
    }
    write_file(file, bytes.str());
  }

 private:
  void predict(Tensor (TorchCalls::*method)(const Tensor&, bool), ImageRows images,
               std::size_t size, std::span<float> out) {
    constexpr std::size_t kRows = 64;
    const Session session(settings_);
    upload();
    const torch::NoGradGuard no_gradients;
    for (std::size_t first = 0; first < images.size(); first += kRows) {
      const ImageRows rows = images.subspan(first, std::min(kRows, images.size() - first));
      copy_out((calls_.*method)(calls_.floats(rows), /*training=*/false),
               out.subspan(first * size, rows.size() * size));
    }
  }

  TorchOutputs forward(const Tensor& x, std::span<const LossTerm> terms, bool training) {
    TorchOutputs outputs{calls_.logits(x, training), {}};
    const bool wants_features = std::any_of(terms.begin(), terms.end(), [](const LossTerm& term) {
      return term.loss == Loss::feature_distance;
    });
    if (wants_features) outputs.features = calls_.features(x, training).flatten(1);
    return outputs;
  }

  std::vector<Tensor> gradients_of(const Tensor& loss, double& value) const {
    value = loss.defined() ? loss.item<double>() : 0;
    if (!loss.defined()) return std::vector<Tensor>(weights_.parameters.size());
    return torch::autograd::grad({loss}, weights_.parameters, {}, /*retain_graph=*/c10::nullopt,
                                 /*create_graph=*/false, /*allow_unused=*/true);
  }

  // Does one forward and one backward pass in training mode.
  std::vector<Tensor> training_gradients(ImageRows images, std::span<const LossTerm> terms,
                                         double& loss) {
    const Session session(settings_);
    upload();
    const TorchOutputs outputs = forward(calls_.floats(images), terms, /*training=*/true);
    last_.resize(images.size() * classes());
    copy_out(outputs.logits, last_);
    return gradients_of(loss_of(outputs, terms, 0, images.size()), loss);
  }

  std::vector<float> flattened(const std::vector<Tensor>& each) const {
    std::vector<float> flat(static_cast<std::size_t>(weights_.theta.numel()));
    std::size_t at = 0;
    for (std::size_t p = 0; p < each.size(); ++p) {
      const auto size = static_cast<std::size_t>(weights_.parameters[p].numel());
      if (each[p].defined()) copy_out(each[p], std::span(flat).subspan(at, size));
      at += size;
    }
    return flat;
  }

  // Returns the copy that weights() gave out, if there is one, because it is newer than θ.
  Tensor newest() const { return mirror_.defined() ? mirror_ : weights_.theta; }
  void upload() {
    if (!mirror_.defined()) return;
    weights_.theta.copy_(mirror_);
    mirror_.reset();
  }

  // Returns the untrained parameters, then the buffers, in their current state: a module may
  // replace them.
  std::vector<std::pair<std::string, Tensor>> state_tensors() const {
    std::vector<std::pair<std::string, Tensor>> all;
    std::size_t nth = 0;
    for_each_parameter(calls_.module(), [&](Module&, const std::string&, const std::string& name,
                                            const Tensor& parameter) {
      if (!is_trained_[nth++]) all.emplace_back(name, parameter);
    });
    for (const auto& buffer : calls_.module().named_buffers())
      all.emplace_back(buffer.name, buffer.value);
    return all;
  }

  TorchSettings settings_;
  TorchCalls calls_;
  std::vector<bool> is_trained_;  // by parameter
  TorchWeights weights_;
  Tensor mirror_;            // copy of θ on the host, given out by weights(); GPU only
  std::vector<float> last_;  // logits of the last training pass
};

}  // namespace

std::unique_ptr<Network> make_torch_network(Module module, const TorchSettings& settings,
                                            const std::string& name) {
  return std::make_unique<TorchNetwork>(std::move(module), settings, name);
}

void save_torch_network(const Network& network, const std::filesystem::path& file) {
  dynamic_cast<const TorchNetwork&>(network).save(file);
}

}  // namespace gps
