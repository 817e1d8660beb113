#include "gps/nn/torch/torch_weights.h"

#include <map>

namespace gps {
namespace {

using torch::Tensor;
using torch::jit::Module;

using Copies = std::map<const void*, torch::jit::IValue>;

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

}  // namespace

TorchWeights gather_weights(const Module& module, const std::vector<bool>& is_trained,
                            const torch::Device& device) {
  const torch::NoGradGuard no_gradients;
  TorchWeights weights;
  std::int64_t total = 0;
  std::size_t nth = 0;
  std::map<const void*, Tensor> seen;  // by address of the old values
  for_each_parameter(module,
                     [&](Module&, const std::string&, const std::string&, const Tensor& parameter) {
                       if (!is_trained[nth++] || !seen.try_emplace(parameter.data_ptr()).second)
                         return;
                       total += parameter.numel();
                     });
  seen.clear();
  std::vector<Tensor> old_ones;  // kept, so that no address is reused meanwhile
  weights.theta = torch::empty({total}, torch::TensorOptions().device(device));
  weights.gradient = torch::zeros_like(weights.theta);
  std::int64_t at = 0;
  nth = 0;
  for_each_parameter(module, [&](Module& owner, const std::string& own_name,
                                 const std::string& name, const Tensor& old) {
    if (!is_trained[nth++]) return;
    old_ones.push_back(old);
    auto [same, is_new] = seen.try_emplace(old.data_ptr());
    if (!is_new) {
      owner.setattr(own_name, same->second);
      return;
    }
    const Tensor view = weights.theta.narrow(0, at, old.numel()).view(old.sizes());
    view.copy_(old);
    Tensor leaf = view.variable_data();
    leaf.requires_grad_();
    owner.setattr(own_name, leaf);
    same->second = leaf;
    seen.try_emplace(leaf.data_ptr(), leaf);  // in case a shared module is visited again
    weights.names.push_back(name);
    weights.parameters.push_back(leaf);
    weights.gradient_views.push_back(weights.gradient.narrow(0, at, old.numel()).view(old.sizes()));
    at += old.numel();
  });
  return weights;
}

Module copied_module(const Module& module) {
  const torch::NoGradGuard no_gradients;
  Copies copies;
  return Module(copied(module._ivalue(), copies).toObject());
}

}  // namespace gps
