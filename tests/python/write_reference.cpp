// What our ResNet18 computes, in a file for Python to compare with (resnet18_equality.py): weights,
// images, logits, loss, gradients, batch-normalisation statistics, and some steps of experience
// replay.
// Usage: write_reference WIDTH CLASSES PRECISION STEPS IMAGES OUT
//   IMAGES: raw bytes of 3 x 32 x 32 images, preceded by one byte of label each (CIFAR-10's
//   format), at least 20 (STEPS + 1) of them.
#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>

#include "gps/nn/catalog.h"
#include "gps/nn/safetensors.h"

namespace {

constexpr std::size_t kRows = 20;  // 10 current ones, 10 of the memory
constexpr std::size_t kBytes = 3 * 32 * 32;
constexpr float kRate = 0.03f;

using gps::stored;

void add_state(const gps::Network& network, const std::string& prefix,
               std::vector<gps::StoredTensor>& out) {
  for (gps::NamedTensor tensor : network.tensors()) {
    tensor.name = prefix + tensor.name;
    out.push_back(stored(tensor));
  }
}

int write(const char* const* arguments) {
  gps::NetworkOptions options;
  options.model = "resnet18";
  options.backend = "libtorch";
  options.width = std::atoi(arguments[1]);
  const int classes = std::atoi(arguments[2]);
  options.precision =
      std::string(arguments[3]) == "bf16" ? gps::Precision::bf16 : gps::Precision::fp32;
  const auto steps = static_cast<std::size_t>(std::atoi(arguments[4]));
  std::ifstream in(arguments[5], std::ios::binary);
  const std::vector<char> file(std::istreambuf_iterator<char>(in), {});
  if (file.size() < kRows * (steps + 1) * (kBytes + 1)) return 2;

  std::vector<std::uint8_t> bytes;
  std::vector<gps::Label> labels;
  std::vector<std::int64_t> wide;
  for (std::size_t k = 0; k < kRows * (steps + 1); ++k) {
    const char* const record = file.data() + k * (kBytes + 1);
    labels.push_back(static_cast<gps::Label>(record[0]));
    wide.push_back(record[0]);
    for (std::size_t p = 1; p <= kBytes; ++p) bytes.push_back(static_cast<std::uint8_t>(record[p]));
  }
  std::vector<const std::uint8_t*> images;
  for (std::size_t k = 0; k < labels.size(); ++k) images.push_back(bytes.data() + k * kBytes);
  // Eqn. 2: the mean over the current rows plus that over the memory's.
  const auto terms = [&](std::size_t first) {
    const std::span<const gps::Label> rows = std::span(labels).subspan(first, kRows);
    return std::array<gps::LossTerm, 2>{
        {{0, rows.first(kRows / 2), 1}, {kRows / 2, rows.subspan(kRows / 2), 1}}};
  };
  const auto rows_from = [&](std::size_t first) {
    return gps::ImageRows(images).subspan(first, kRows);
  };

  const gps::Normalisation normalisation{{0.4914f, 0.4822f, 0.4465f}, {0.2470f, 0.2435f, 0.2615f}};
  const auto network = gps::make_network(options, {3, 32, 32}, classes, normalisation, gps::Rng(1));
  std::vector<gps::StoredTensor> out;
  const auto n = static_cast<std::int64_t>(labels.size());
  out.push_back(stored("images", "U8", {n, 3, 32, 32}, bytes));
  out.push_back(stored("labels", "I64", {n}, wide));
  add_state(*network, "first.", out);

  std::vector<float> logits(kRows * network->classes());
  const std::vector<std::int64_t> shape = {kRows, classes};
  network->logits(rows_from(0), logits);
  out.push_back(stored("eval_logits", "F32", shape, logits));
  network->training_logits(rows_from(0), logits);
  out.push_back(stored("train_logits", "F32", shape, logits));

  const auto copy = network->clone();
  std::vector<float> losses = {static_cast<float>(copy->accumulate(rows_from(0), terms(0)))};
  out.push_back(stored("gradient", "F32", {static_cast<std::int64_t>(copy->gradient().size())},
                       copy->gradient()));
  copy->descend(kRate);
  add_state(*copy, "after_one.", out);

  losses.clear();
  for (std::size_t step = 0; step < steps; ++step) {
    const std::size_t first = kRows * (step + 1);
    losses.push_back(static_cast<float>(network->step(rows_from(first), terms(first), kRate)));
  }
  out.push_back(stored("losses", "F32", {static_cast<std::int64_t>(steps)}, losses));
  add_state(*network, "after_all.", out);
  network->logits(rows_from(0), logits);
  out.push_back(stored("last_logits", "F32", shape, logits));
  gps::write_safetensors(arguments[6], out);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 7) return 2;
  try {
    return write(argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "write_reference: %s\n", error.what());
    return 1;
  }
}
