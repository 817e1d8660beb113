#include "gps/nn/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "gps/data/features.h"
#include "gps/nn/backbone.h"
#include "gps/nn/mlp/fused_mlp.h"
#include "gps/nn/resnet18/fused_resnet18.h"
#include "gps/nn/safetensors.h"
#include "gps/nn/torch/torch_backend.h"

namespace gps {
namespace {

constexpr const char* kBackbonePrefix = "backbone.";

}  // namespace

std::unique_ptr<Network> make_network(const NetworkOptions& options, const ImageShape& shape,
                                      int classes, const Normalisation& normalisation,
                                      const Rng& rng) {
  validate(options);
  check_weights(options, shape, classes);
  std::unique_ptr<Network> network;
  if (options.model == "mlp") {
    const bool sees_features = are_features(shape);
    std::vector<std::size_t> sizes = {sees_features ? shape.pixels() : shape.bytes()};
    for (const int units : options.hidden) sizes.push_back(static_cast<std::size_t>(units));
    sizes.push_back(static_cast<std::size_t>(classes));
    auto mlp = std::make_unique<FusedMlp>(
        std::move(sizes), initialisation_from(options.initialisation), rng,
        sees_features ? std::optional(normalisation) : std::nullopt);
    if (!sees_features) mlp->normalise(normalisation);
    network = std::move(mlp);
  } else if (is_fused_resnet18(options)) {
    network = make_fused_resnet18(
        {.shape = shape,
         .classes = static_cast<std::size_t>(classes),
         .width = static_cast<std::size_t>(options.width == 0 ? kUsualWidth : options.width),
         .normalisation = normalisation,
         .precision = options.precision},
        rng);
  } else {
    network = torch_backend().make_network(options, shape, classes, normalisation, rng);
  }
  if (!options.weights.empty()) load_weights(*network, options.weights);
  return network;
}

void load_weights(Network& network, const std::filesystem::path& file) {
  const NamedTensors found =
      file.extension() == ".safetensors" ? read_weights(file) : torch_backend().read_tensors(file);
  const NamedTensors wanted = network.tensors();
  std::vector<std::string> mistakes;
  std::set<std::string> known;
  std::vector<float> values;
  for (const NamedTensor& want : wanted) {
    known.insert(want.name);
    const auto match = std::find_if(found.begin(), found.end(), [&](const NamedTensor& each) {
      return each.name == want.name;
    });
    if (match == found.end()) {
      mistakes.push_back(fmt::format("{} is missing", want.name));
    } else if (match->shape != want.shape) {
      mistakes.push_back(fmt::format("{} is {} instead of {}", want.name, shape_text(match->shape),
                                     shape_text(want.shape)));
    } else {
      values.insert(values.end(), match->values.begin(), match->values.end());
    }
  }
  for (const NamedTensor& each : found) {
    // PyTorch counts the batches that batch normalisation has seen; we do not. A backbone is not
    // trained, so weights that were exported with it need not have the same one.
    if (!known.contains(each.name) && !each.name.ends_with("num_batches_tracked") &&
        !each.name.starts_with(kBackbonePrefix))
      mistakes.push_back(fmt::format("{} is not in the network", each.name));
  }
  if (!mistakes.empty()) {
    throw DataError(fmt::format("`init` {}: not weights of this network: {}", file.string(),
                                join(mistakes, "; ")));
  }
  network.set_state(values);
}

void save_torchscript(const Network& network, const NetworkOptions& options,
                      const std::filesystem::path& file) {
  if (const auto* mlp = dynamic_cast<const FusedMlp*>(&network)) {
    const auto& scale = mlp->feature_scale();
    if (!scale) {
      torch_backend().save_mlp(network.tensors(), mlp->normalisation(), file);
      return;
    }
    check_backbone_file(options);
    torch_backend().save_with_backbone(
        network.tensors(),
        {options.backbone, backbone_normalisation(options), scale->mean, scale->deviation}, file);
  } else if (const FusedResNet18Options* ours = fused_resnet18_options(network)) {
    NetworkOptions same_options{.model = "resnet18", .hidden = NetworkOptions().hidden};
    same_options.backend = "libtorch";
    same_options.width = static_cast<int>(ours->width);
    const auto same = torch_backend().make_network(
        same_options, ours->shape, static_cast<int>(ours->classes), ours->normalisation, Rng(0));
    same->set_state(network.state());
    torch_backend().save_network(*same, file);
  } else {
    torch_backend().save_network(network, file);
  }
}

NamedTensors all_tensors(const Network& network, const NetworkOptions& options) {
  NamedTensors all = network.tensors();
  if (options.backbone.empty()) return all;
  check_backbone_file(options);
  for (NamedTensor& tensor : torch_backend().read_tensors(options.backbone)) {
    tensor.name.insert(0, kBackbonePrefix);
    all.push_back(std::move(tensor));
  }
  return all;
}

}  // namespace gps
