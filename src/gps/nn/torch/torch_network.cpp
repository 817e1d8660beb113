#include "gps/nn/torch/torch_network.h"
#include "gps/core/option.h"

#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/cuda.h>
#include <torch/script.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <map>
#include <sstream>

#include "gps/core/errors.h"
#include "gps/core/files/files.h"
#include "gps/nn/dense_gradients.h"

namespace gps {
namespace {

using torch::Tensor;
using torch::jit::Module;

// What must hold on whichever thread the network is used.
class Session {
 public:
  explicit Session(const TorchSettings& settings) : optimise_(false) {
    if (at::get_num_threads() != settings.operator_threads)
      at::set_num_threads(settings.operator_threads);
  }

 private:
  torch::jit::GraphOptimizerEnabledGuard optimise_;
};

// bfloat16 for products, as torch.autocast.
class Autocast {
 public:
  Autocast(bool is_on, bool is_cuda) : is_on_(is_on), is_cuda_(is_cuda) {
    if (!is_on_) return;
    at::autocast::increment_nesting();
    at::autocast::set_autocast_gpu_dtype(at::kBFloat16);
    at::autocast::set_autocast_cpu_dtype(at::kBFloat16);
    set(true);
  }
  ~Autocast() {
    if (!is_on_) return;
    set(false);
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  }
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  void set(bool on) const {
    if (is_cuda_) {
      at::autocast::set_enabled(on);
    } else {
      at::autocast::set_cpu_enabled(on);
    }
  }
  bool is_on_;
  bool is_cuda_;
};

torch::Device device_named(const std::string& name) {
  const torch::Device device(name);
  if (!device.is_cuda()) return device;
  const auto count = static_cast<int>(torch::cuda::device_count());
  if (!torch::cuda::is_available() || std::max<int>(device.index(), 0) >= count) {
    throw OptionError(
        "device",
        fmt::format("{}: LibTorch sees {} such devices here; `device` cpu is always there", name,
                    count));
  }
  return device;
}

void copy_out(const Tensor& from, std::span<float> to) {
  const Tensor flat = from.detach().to(torch::kCPU, torch::kFloat).contiguous();
  assert(static_cast<std::size_t>(flat.numel()) <= to.size());
  std::memcpy(to.data(), flat.data_ptr<float>(),
              static_cast<std::size_t>(flat.numel()) * sizeof(float));
}

std::vector<float> to_vector(const Tensor& tensor) {
  std::vector<float> values(static_cast<std::size_t>(tensor.numel()));
  copy_out(tensor, values);
  return values;
}

// Calls use(owner, name in it, full name, parameter) in the order of PyTorch's parameters().
template <typename Use>
void for_each_parameter(const Module& module, const Use& use) {
  for (const auto& owner : module.named_modules()) {
    Module holder = owner.value;
    const std::string prefix = owner.name.empty() ? "" : owner.name + ".";
    for (const auto& parameter : holder.named_parameters(/*recurse=*/false))
      use(holder, parameter.name, prefix + parameter.name, parameter.value);
  }
}

using Copies = std::map<const void*, torch::jit::IValue>;

// A deep copy that shares the types. LibTorch's own takes tensors of one storage for one tensor,
// and ours all have one storage.
torch::jit::IValue copied(const torch::jit::IValue& value, Copies& copies) {
  if (!value.isTensor() && !value.isObject()) return value.deepcopy();
  if (value.isTensor()) {
    auto [at, is_new] = copies.try_emplace(value.toTensor().unsafeGetTensorImpl());
    if (is_new) at->second = value.toTensor().detach().clone();
    return at->second;
  }
  const auto object = value.toObject();
  if (const auto at = copies.find(object.get()); at != copies.end()) return at->second;
  const auto made = c10::ivalue::Object::create(
      c10::StrongTypePtr(object->compilation_unit(), object->type()), object->slots().size());
  copies[object.get()] = made;
  for (std::size_t slot = 0; slot < object->slots().size(); ++slot)
    made->setSlot(slot, copied(object->getSlot(slot), copies));
  return made;
}

class TorchNetwork final : public Network {
 public:
  TorchNetwork(Module module, const TorchSettings& settings, const std::string& name)
      : settings_(settings),
        name_(name),
        device_(device_named(settings.device)),
        module_(std::move(module)) {
    const Session session(settings_);
    module_.to(device_);
    module_.eval();
    for_each_parameter(
        module_, [&](Module&, const std::string&, const std::string&, const Tensor& parameter) {
          is_trained_.push_back(parameter.requires_grad());
        });
    gather();
    if (theta_.numel() == 0) throw DataError(name + ": has no parameters to train");
    probe(name);
  }
  TorchNetwork(const TorchNetwork& other)
      : Network(other),
        settings_(other.settings_),
        name_(other.name_),
        device_(other.device_),
        module_(other.copied_module()),
        is_trained_(other.is_trained_),
        is_training_(other.is_training_),
        classes_(other.classes_),
        feature_size_(other.feature_size_),
        last_(other.last_) {
    gather();
    theta_.copy_(other.newest());
    gradient_.copy_(other.gradient_);
  }

  std::unique_ptr<Network> clone() const override { return std::make_unique<TorchNetwork>(*this); }
  std::size_t inputs() const override { return settings_.shape.bytes(); }
  std::size_t classes() const override { return classes_; }
  std::size_t feature_size() const override { return feature_size_; }

  void logits(ImageRows images, std::span<float> out) override {
    predict("forward", images, classes_, out);
  }
  void features(ImageRows images, std::span<float> out) override {
    predict(features_method(), images, feature_size_, out);
  }
  void training_logits(ImageRows images, std::span<float> out) override {
    const Session session(settings_);
    upload();
    const torch::NoGradGuard no_gradients;
    std::vector<Tensor> kept;
    for (const Tensor& buffer : module_.buffers()) kept.push_back(buffer.clone());
    copy_out(call("forward", floats(images), /*training=*/true), out);
    std::size_t k = 0;
    for (Tensor buffer : module_.buffers()) buffer.copy_(kept[k++]);
  }

  double accumulate(ImageRows images, std::span<const LossTerm> terms) override {
    double loss = 0;
    const std::vector<Tensor> each = training_gradients(images, terms, loss);
    const torch::NoGradGuard no_gradients;
    for (std::size_t p = 0; p < each.size(); ++p) {
      if (each[p].defined()) gradient_views_[p].add_(each[p]);
    }
    return loss;
  }
  void descend(float learning_rate) override {
    const Session session(settings_);
    upload();
    theta_.sub_(gradient_, learning_rate);
    gradient_.zero_();
  }
  // The gradient goes straight into θ.
  double step(ImageRows images, std::span<const LossTerm> terms, float learning_rate) override {
    double loss = 0;
    const std::vector<Tensor> each = training_gradients(images, terms, loss);
    const torch::NoGradGuard no_gradients;
    for (std::size_t p = 0; p < each.size(); ++p) {
      if (each[p].defined()) parameters_[p].sub_(each[p], learning_rate);
    }
    return loss;
  }
  std::span<const float> row_logits(std::size_t row) const override {
    return std::span(last_).subspan(row * classes_, classes_);
  }

  std::unique_ptr<ExampleGradients> no_gradients() const override {
    return std::make_unique<DenseGradients>();
  }
  // Row by row: in prediction mode none depends on another, and a backward pass over a batch for
  // each of its rows would cost as many times more.
  double example_gradients(ImageRows images, std::span<const LossTerm> terms,
                           ExampleGradients& out) override {
    const Session session(settings_);
    upload();
    auto& dense = dynamic_cast<DenseGradients&>(out);
    dense.clear();
    last_.resize(images.size() * classes_);
    double total = 0;
    for (std::size_t r = 0; r < images.size(); ++r) {
      const Outputs outputs = forward(floats(images.subspan(r, 1)), terms, /*training=*/false);
      copy_out(outputs.logits, std::span(last_).subspan(r * classes_, classes_));
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
        placed(torch::from_blob(const_cast<float*>(images.data()), batch_shape(rows)).clone())
            .requires_grad_();
    const Tensor loss = loss_of(forward(x, terms, /*training=*/false), terms, 0, rows);
    if (!loss.defined() || !loss.requires_grad()) {
      std::fill(out.begin(), out.end(), 0.0f);
      return 0;
    }
    copy_out(torch::autograd::grad({loss}, {x})[0], out);
    return loss.item<double>();
  }

  std::span<float> weights() override {
    if (!device_.is_cuda())
      return {theta_.data_ptr<float>(), static_cast<std::size_t>(theta_.numel())};
    upload();
    mirror_ = theta_.to(torch::kCPU);
    return {mirror_.data_ptr<float>(), static_cast<std::size_t>(mirror_.numel())};
  }
  std::vector<float> parameters() const override { return to_vector(newest()); }
  void set_parameters(std::span<const float> values) override {
    mirror_.reset();
    set(theta_, values.first(static_cast<std::size_t>(theta_.numel())));
  }
  std::vector<float> gradient() const override { return to_vector(gradient_); }

  NamedTensors tensors() const override {
    NamedTensors all;
    const std::vector<float> values = parameters();
    auto from = values.begin();
    std::size_t p = 0;
    for (const std::string& name : names_) {
      const auto shape = parameters_[p].sizes().vec();
      const auto to = from + parameters_[p++].numel();
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
    values = values.subspan(static_cast<std::size_t>(theta_.numel()));
    for (const auto& buffer : state_tensors()) {
      const auto size = static_cast<std::size_t>(buffer.second.numel());
      set(buffer.second, values.first(size));
      values = values.subspan(size);
    }
  }

  void save(const std::filesystem::path& file) const {
    const TorchNetwork other(*this);  // whose θ is newest() in any case
    Module copy = other.copied_module();
    std::size_t nth = 0;
    for_each_parameter(
        copy, [&](Module&, const std::string&, const std::string&, const Tensor& parameter) {
          parameter.set_requires_grad(is_trained_[nth++]);
        });
    copy.to(torch::kCPU);
    copy.eval();
    std::ostringstream bytes;  // LibTorch's own files end the program when the disk is full
    try {
      copy.save(bytes);
    } catch (const std::exception& error) {
      throw DataError(fmt::format("{}: cannot be written: {}", file.string(), reason_of(error)));
    }
    write_file(file, bytes.str());
  }

 private:
  struct Outputs {
    Tensor logits;
    Tensor features;  // undefined where no term asks for them
  };

  Module copied_module() const {
    const torch::NoGradGuard no_gradients;
    Copies copies;
    return Module(copied(module_._ivalue(), copies).toObject());
  }

  // Makes θ: all parameters that are trained become views of one tensor, in PyTorch's order. What
  // is one parameter under two names stays one.
  void gather() {
    const torch::NoGradGuard no_gradients;
    std::int64_t total = 0;
    std::size_t nth = 0;
    std::map<const void*, Tensor> seen;  // by where the old values lie
    for_each_parameter(
        module_, [&](Module&, const std::string&, const std::string&, const Tensor& parameter) {
          if (!is_trained_[nth++] || !seen.try_emplace(parameter.data_ptr()).second) return;
          total += parameter.numel();
        });
    seen.clear();
    std::vector<Tensor> old_ones;  // kept, so that no address is used again meanwhile
    theta_ = torch::empty({total}, torch::TensorOptions().device(device_));
    gradient_ = torch::zeros_like(theta_);
    std::int64_t at = 0;
    nth = 0;
    for_each_parameter(module_, [&](Module& owner, const std::string& own_name,
                                    const std::string& name, const Tensor& old) {
      if (!is_trained_[nth++]) return;
      old_ones.push_back(old);
      auto [same, is_new] = seen.try_emplace(old.data_ptr());
      if (!is_new) {
        owner.setattr(own_name, same->second);
        return;
      }
      const Tensor view = theta_.narrow(0, at, old.numel()).view(old.sizes());
      view.copy_(old);
      Tensor leaf = view.variable_data();
      leaf.requires_grad_();
      owner.setattr(own_name, leaf);
      same->second = leaf;
      seen.try_emplace(leaf.data_ptr(), leaf);  // a module that is there twice has it already
      names_.push_back(name);
      parameters_.push_back(leaf);
      gradient_views_.push_back(gradient_.narrow(0, at, old.numel()).view(old.sizes()));
      at += old.numel();
    });
  }

  // What it says of one black image tells how many classes and features there are.
  void probe(const std::string& name) {
    const torch::NoGradGuard no_gradients;
    const Tensor zero = torch::zeros(batch_shape(1), torch::TensorOptions().device(device_));
    Tensor said;
    Tensor seen;
    try {
      said = call_unchecked("forward", zero, /*training=*/false);
      seen = call_unchecked(features_method(), zero, /*training=*/false);
    } catch (const std::exception& error) {
      throw DataError(fmt::format("{}: does not take images of shape {}: {}", name,
                                  shape_text(batch_shape(1)), reason_of(error)));
    }
    if (said.dim() != 2 || said.size(0) != 1 || said.size(1) < 1) {
      throw DataError(fmt::format("{}: must map {} to [1, classes], but gives {}", name,
                                  shape_text(batch_shape(1)), shape_text(said.sizes().vec())));
    }
    classes_ = static_cast<std::size_t>(said.size(1));
    feature_size_ = static_cast<std::size_t>(seen.numel());
  }

  std::string features_method() const {
    return module_.find_method("features") ? "features" : "forward";
  }

  std::vector<std::int64_t> batch_shape(std::size_t rows) const {
    const ImageShape& shape = settings_.shape;
    return {static_cast<std::int64_t>(rows), shape.channels, shape.height, shape.width};
  }

  Tensor placed(const Tensor& images) const {
    const Tensor there = images.to(device_);
    return is_channels_last() ? there.contiguous(torch::MemoryFormat::ChannelsLast) : there;
  }
  // Kernels in bfloat16 like it, those in fp32 do not.
  bool is_channels_last() const { return settings_.precision == Precision::bf16; }

  Tensor floats(ImageRows images) const {
    const std::size_t size = inputs();
    const Tensor bytes = torch::empty(batch_shape(images.size()), torch::kByte);
    auto* to = bytes.data_ptr<std::uint8_t>();
    for (const std::uint8_t* image : images) {
      std::memcpy(to, image, size);
      to += size;
    }
    return placed(bytes.to(device_).to(torch::kFloat).div_(255));
  }

  // Rows of as many values as the method gave when the network was made.
  Tensor call(const std::string& method, const Tensor& x, bool training) {
    Tensor made;
    try {
      made = call_unchecked(method, x, training);
    } catch (const std::exception& error) {
      throw DataError(fmt::format("{}: {} fails on images of shape {} in {} mode: {}", name_,
                                  method, shape_text(x.sizes().vec()), mode_name(training),
                                  reason_of(error)));
    }
    const auto size = static_cast<std::int64_t>(method == "forward" ? classes_ : feature_size_);
    if (made.dim() > 0 && made.size(0) == x.size(0) && made.numel() == x.size(0) * size)
      return made;
    throw DataError(fmt::format("{}: {} gives {} for images of shape {} in {} mode, not [{}, {}]",
                                name_, method, shape_text(made.sizes().vec()),
                                shape_text(x.sizes().vec()), mode_name(training), x.size(0), size));
  }
  static const char* mode_name(bool training) { return training ? "training" : "prediction"; }

  Tensor call_unchecked(const std::string& method, const Tensor& x, bool training) {
    if (training != is_training_) module_.train(training);
    is_training_ = training;
    const Autocast autocast(settings_.precision == Precision::bf16, device_.is_cuda());
    const torch::jit::IValue result = module_.get_method(method)({x});
    if (!result.isTensor()) throw std::runtime_error("it does not return a tensor");
    return result.toTensor().to(torch::kFloat);
  }

  void predict(const std::string& method, ImageRows images, std::size_t size,
               std::span<float> out) {
    constexpr std::size_t kRows = 64;
    const Session session(settings_);
    upload();
    const torch::NoGradGuard no_gradients;
    for (std::size_t first = 0; first < images.size(); first += kRows) {
      const ImageRows rows = images.subspan(first, std::min(kRows, images.size() - first));
      copy_out(call(method, floats(rows), /*training=*/false),
               out.subspan(first * size, rows.size() * size));
    }
  }

  Outputs forward(const Tensor& x, std::span<const LossTerm> terms, bool training) {
    Outputs outputs{call("forward", x, training), {}};
    const bool wants_features = std::any_of(terms.begin(), terms.end(), [](const LossTerm& term) {
      return term.loss == Loss::feature_distance;
    });
    if (wants_features) outputs.features = call(features_method(), x, training).flatten(1);
    return outputs;
  }

  // The share of the terms that the rows [from, to) of the batch have, whose outputs these are;
  // undefined where they have none.
  Tensor loss_of(const Outputs& outputs, std::span<const LossTerm> terms, std::size_t from,
                 std::size_t to) const {
    Tensor total;
    for (const LossTerm& term : terms) {
      const std::size_t first = std::max(term.first, from);
      const std::size_t end = std::min(term.first + term.rows(), to);
      if (first >= end) continue;
      const auto rows_of = [&](const Tensor& all) {
        return all.narrow(0, static_cast<std::int64_t>(first - from),
                          static_cast<std::int64_t>(end - first));
      };
      const Tensor loss =
          summed_loss(term, first - term.first, end - first, rows_of(outputs.logits),
                      outputs.features.defined() ? rows_of(outputs.features) : Tensor());
      const Tensor weighted = loss * (term.weight / static_cast<float>(term.rows()));
      total = total.defined() ? total + weighted : weighted;
    }
    return total;
  }

  // Σ over `count` rows of the term, from its row `first` on.
  Tensor summed_loss(const LossTerm& term, std::size_t first, std::size_t count,
                     const Tensor& logits, const Tensor& features) const {
    const auto labels = [&] {
      std::vector<std::int64_t> wide(count);
      std::copy_n(term.labels.begin() + static_cast<std::ptrdiff_t>(first), count, wide.begin());
      return torch::tensor(wide).to(device_);
    };
    const auto targets = [&] {
      const auto part = term.targets.subspan(first * term.target_size, count * term.target_size);
      return torch::from_blob(
                 const_cast<float*>(part.data()),
                 {static_cast<std::int64_t>(count), static_cast<std::int64_t>(term.target_size)})
          .clone()
          .to(device_);
    };
    switch (term.loss) {
      case Loss::cross_entropy:
        return at::cross_entropy_loss(logits, labels(), {}, at::Reduction::Sum);
      case Loss::squared_error:
        return (logits - targets()).square().mean(1).sum();
      case Loss::sigmoid_cross_entropy:
        return at::binary_cross_entropy_with_logits(logits, targets(), {}, {}, at::Reduction::None)
            .mean(1)
            .sum();
      case Loss::logit:
        return logits.gather(1, labels().unsqueeze(1)).sum();
      case Loss::feature_distance:
        return (features - targets()).square().sum();
    }
    return {};
  }

  std::vector<Tensor> gradients_of(const Tensor& loss, double& value) const {
    value = loss.defined() ? loss.item<double>() : 0;
    if (!loss.defined()) return std::vector<Tensor>(parameters_.size());
    return torch::autograd::grad({loss}, parameters_, {}, /*retain_graph=*/c10::nullopt,
                                 /*create_graph=*/false, /*allow_unused=*/true);
  }

  // One forward and one backward pass in training mode.
  std::vector<Tensor> training_gradients(ImageRows images, std::span<const LossTerm> terms,
                                         double& loss) {
    const Session session(settings_);
    upload();
    const Outputs outputs = forward(floats(images), terms, /*training=*/true);
    last_.resize(images.size() * classes_);
    copy_out(outputs.logits, last_);
    return gradients_of(loss_of(outputs, terms, 0, images.size()), loss);
  }

  std::vector<float> flattened(const std::vector<Tensor>& each) const {
    std::vector<float> flat(static_cast<std::size_t>(theta_.numel()));
    std::size_t at = 0;
    for (std::size_t p = 0; p < each.size(); ++p) {
      const auto size = static_cast<std::size_t>(parameters_[p].numel());
      if (each[p].defined()) copy_out(each[p], std::span(flat).subspan(at, size));
      at += size;
    }
    return flat;
  }

  // What weights() was given away as, if that is newer than θ.
  Tensor newest() const { return mirror_.defined() ? mirror_ : theta_; }
  void upload() {
    if (!mirror_.defined()) return;
    theta_.copy_(mirror_);
    mirror_.reset();
  }

  static void set(Tensor to, std::span<const float> values) {
    const torch::NoGradGuard no_gradients;
    assert(static_cast<std::size_t>(to.numel()) == values.size());
    to.copy_(torch::from_blob(const_cast<float*>(values.data()), to.sizes()));
  }

  // Parameters that are not trained, then buffers, as they are now: a module may replace them.
  std::vector<std::pair<std::string, Tensor>> state_tensors() const {
    std::vector<std::pair<std::string, Tensor>> all;
    std::size_t nth = 0;
    for_each_parameter(module_, [&](Module&, const std::string&, const std::string& name,
                                    const Tensor& parameter) {
      if (!is_trained_[nth++]) all.emplace_back(name, parameter);
    });
    for (const auto& buffer : module_.named_buffers()) all.emplace_back(buffer.name, buffer.value);
    return all;
  }

  TorchSettings settings_;
  std::string name_;  // for messages
  torch::Device device_;
  Module module_;
  std::vector<bool> is_trained_;  // by parameter
  bool is_training_ = false;
  std::size_t classes_ = 0;
  std::size_t feature_size_ = 0;
  Tensor theta_;
  Tensor gradient_;
  std::vector<std::string> names_;
  std::vector<Tensor> parameters_;      // views of theta_, as the module has them
  std::vector<Tensor> gradient_views_;  // likewise of gradient_
  Tensor mirror_;                       // θ on the host while weights() is out; GPU only
  std::vector<float> last_;             // logits of the last training pass
};

}  // namespace

std::string reason_of(const std::exception& error) {
  const auto* torch_error = dynamic_cast<const c10::Error*>(&error);
  std::string text = torch_error != nullptr ? torch_error->what_without_backtrace() : error.what();
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const std::size_t line = text.rfind('\n');
  return line == std::string::npos ? text : text.substr(line + 1);
}

std::unique_ptr<Network> make_torch_network(Module module, const TorchSettings& settings,
                                            const std::string& name) {
  return std::make_unique<TorchNetwork>(std::move(module), settings, name);
}

void save_torch_network(const Network& network, const std::filesystem::path& file) {
  dynamic_cast<const TorchNetwork&>(network).save(file);
}

}  // namespace gps
