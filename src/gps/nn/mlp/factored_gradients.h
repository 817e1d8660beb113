// ExampleGradients of a FusedMlp: the inputs and the errors of each layer, for each example.
#pragma once

#include <vector>

#include "gps/nn/mlp/fused_mlp.h"

namespace gps {

class FactoredGradients final : public ExampleGradients {
 public:
  // `sees_floats`: the inputs of the first layer are floats, not bytes.
  explicit FactoredGradients(std::vector<MlpLayer> layers, bool sees_floats = false);

  std::unique_ptr<ExampleGradients> clone() const override;
  std::size_t size() const override { return size_; }
  void clear() override { size_ = 0; }
  void append(const ExampleGradients& others) override;
  void inner_products(const ExampleGradients& others, std::span<float> out) const override;
  void add_to(std::span<const float> factors, std::span<float> weights) const override;
  void add_squares_to(float factor, std::span<float> weights) const override;
  void persist(Archive& archive) override;

  // Returns the number of bytes that the gradients take.
  std::size_t bytes() const;

  // Makes room for `rows` more examples. set_layer() then writes the inputs and errors of one layer
  // for the last `in.rows` examples.
  void grow(std::size_t rows);
  void set_layer(std::size_t layer, const kernels::Inputs& in, const float* errors);

 private:
  struct Factors {
    std::vector<std::uint8_t> bytes;     // first layer, if it sees bytes: [rows][in]
    AlignedFloats inputs;                // otherwise: [rows][padded in]
    AlignedFloats errors;                // [rows][stride]
    std::vector<std::uint64_t> nonzero;  // [rows][words], and a spare word
  };
  kernels::Inputs inputs_of(std::size_t layer, std::vector<const std::uint8_t*>& rows) const;

  bool has_bytes(std::size_t layer) const { return layer == 0 && !sees_floats_; }

  std::vector<MlpLayer> layers_;
  bool sees_floats_ = false;
  std::vector<Factors> factors_;  // by layer
  std::size_t size_ = 0;
  std::size_t reserved_ = 0;
  // Storage that is reused from call to call, so only one thread at a time may use an object.
  struct Scratch {
    std::vector<const std::uint8_t*> rows;
    std::vector<float> inputs;
    std::vector<float> errors;
    AlignedFloats scaled;
  };
  mutable Scratch scratch_;
};

}  // namespace gps
