#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "support/temporary_folder.h"
#include "torch/networks.h"

namespace gps {
namespace resnet18_test {

using ::testing::HasSubstr;

std::size_t parameters_of(int classes, int width) {
  NetworkOptions options;
  options.model = "resnet18";
  options.width = width;
  return make_network(options, {3, 32, 32}, classes, {}, Rng(1))->parameters().size();
}

TEST(ResNet18, HasAsManyParametersAsTheFieldCounts) {
  EXPECT_EQ(parameters_of(10, 0), 11'173'962u);
  EXPECT_EQ(parameters_of(100, 64), 11'220'132u);
  EXPECT_EQ(parameters_of(200, 64), 11'271'432u);
  EXPECT_EQ(parameters_of(10, 20), 1'094'750u);
}

TEST(ResNet18, DrawsItsFirstWeightsFromTheRngAlone) {
  EXPECT_EQ(testing::make_tiny("resnet18", 1)->state(), testing::make_tiny("resnet18", 1)->state());
  EXPECT_NE(testing::make_tiny("resnet18", 1)->state(), testing::make_tiny("resnet18", 2)->state());
}

TEST(ResNet18, OfEitherBackendStartsFromTheSameWeightsUnderTheSameNames) {
  const auto own = testing::make_tiny("resnet18");
  const auto torch = testing::make_tiny("resnet18 in LibTorch");
  EXPECT_EQ(own->tensors(), torch->tensors());
  EXPECT_EQ(own->state(), torch->state());
}

TEST(ResNet18, OfEitherBackendLearnsTheSame) {
  const auto own = testing::make_tiny("resnet18");
  const auto torch = testing::make_tiny("resnet18 in LibTorch");
  const Task task{1, testing::tiny_dataset(testing::kTinyClasses, 10, 3, 8)};
  std::vector<std::uint32_t> rows(20);
  std::iota(rows.begin(), rows.end(), 0u);
  Batch batch;
  batch.gather(task, rows);
  const LossTerm loss{0, batch.labels, 1};
  for (int step = 0; step < 5; ++step) {
    EXPECT_NEAR(own->step(batch.images, {&loss, 1}, 0.01f),
                torch->step(batch.images, {&loss, 1}, 0.01f), 1e-3);
  }
  const std::vector<float> a = own->state();
  const std::vector<float> b = torch->state();
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t k = 0; k < a.size(); ++k) ASSERT_NEAR(a[k], b[k], 2e-3) << k;
}

TEST(ResNet18, OfOurOwnIsSavedAsTorchScriptWithTheSameAnswers) {
  const testing::TemporaryFolder folder;
  const auto own = testing::make_tiny("resnet18");
  save_torchscript(*own, testing::tiny_network("resnet18"), folder.path() / "own.pt");
  NetworkOptions options;
  options.model = (folder.path() / "own.pt").string();
  const auto back = make_network(options, testing::kTinyShape, testing::kTinyClasses, {}, Rng(1));
  const std::vector<std::uint8_t> grey(testing::kTinyShape.bytes(), 90);
  const std::uint8_t* image = grey.data();
  std::vector<float> a(4);
  std::vector<float> b(4);
  own->logits({&image, 1}, a);
  back->logits({&image, 1}, b);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(a[k], b[k], 1e-5);
}

TEST(ResNet18, NormalisesItsImages) {
  // (x - 0.25) / 0.5 of a grey 0.5 is 0.5, and so is 0.5 without normalisation.
  const std::vector<std::uint8_t> half(64, 128);
  const std::uint8_t* image = half.data();
  const auto plain = testing::make_tiny("resnet18", 1, {});
  const auto same = testing::make_tiny("resnet18", 1, {{64 / 255.f}, {64 / 128.f}});
  const auto other = testing::make_tiny("resnet18", 1, {{0.5f}, {0.1f}});
  std::vector<float> a(4);
  std::vector<float> b(4);
  std::vector<float> c(4);
  plain->logits({&image, 1}, a);
  same->logits({&image, 1}, b);
  other->logits({&image, 1}, c);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(a[k], b[k], 1e-5);
  EXPECT_NE(a, c);
}

std::string refusal_of(const NetworkOptions& options) {
  try {
    make_network(options, {3, 32, 32}, 10, {}, Rng(1));
  } catch (const UsageError& error) {
    return error.what();
  }
  return "(accepted)";
}

TEST(TorchNetworks, SayWhichDeviceIsNotThere) {
  NetworkOptions options = testing::tiny_network("resnet18");
  options.backend = "libtorch";
  options.device = "cuda:99";
  EXPECT_THAT(refusal_of(options), HasSubstr("`device` cuda:99: LibTorch finds"));
  options.device = "tpu";
  EXPECT_THAT(refusal_of(options), HasSubstr("must be cpu, cuda or cuda:N, got 'tpu'"));
}

}  // namespace resnet18_test
}  // namespace gps
