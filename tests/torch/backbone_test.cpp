// Backbones, of networks that gpscl itself writes as TorchScript. tests/python/backbone_test.py has
// those of users.
#include "gps/nn/backbone.h"

#include <gmock/gmock.h>

#include <fstream>

#include "gps/core/errors.h"
#include "gps/core/option.h"
#include "gps/data/features.h"
#include "gps/nn/catalog.h"
#include "support/temporary_folder.h"
#include "torch/networks.h"

namespace gps {
namespace backbone_test {

using ::testing::HasSubstr;

class BackboneTest : public ::testing::Test {
 protected:
  BackboneTest() : convnet_(testing::make_tiny("convnet")) {
    options_.hidden = {12};
    options_.backbone = (folder_.path() / "backbone.pt").string();
    save_torchscript(*convnet_, testing::tiny_network("convnet"), options_.backbone);
    options_ = identified(options_);
  }

  Dataset images() const { return testing::tiny_dataset(testing::kTinyClasses, 8, 1, 8); }
  Dataset features(const LoadHooks& hooks = {}) const {
    return features_of(images(), *open_backbone(options_, testing::kTinyShape), options_, hooks);
  }
  static std::vector<std::uint8_t> bytes_of(const Dataset& data) {
    std::vector<std::uint8_t> all;
    for (std::size_t i = 0; i < data.size(); ++i) {
      const std::uint8_t* row = data.image(i, {});
      all.insert(all.end(), row, row + data.shape().bytes());
    }
    return all;
  }

  testing::TemporaryFolder folder_;
  std::unique_ptr<Network> convnet_;
  NetworkOptions options_;
};

TEST_F(BackboneTest, GivesTheFeaturesOfTheNetwork) {
  const Dataset data = images();
  const Dataset found = features();
  ASSERT_EQ(found.size(), data.size());
  ASSERT_EQ(found.shape(), feature_shape(convnet_->feature_size()));
  std::vector<float> expected(convnet_->feature_size());
  std::vector<float> values(expected.size());
  for (std::size_t i = 0; i < data.size(); ++i) {
    EXPECT_EQ(found.label(i), data.label(i));
    EXPECT_EQ(found.id(i), data.id(i));
    const std::uint8_t* image = data.image(i, {});
    convnet_->features({&image, 1}, expected);
    read_features(found.image(i, {}), 0, 1, values);
    for (std::size_t k = 0; k < values.size(); ++k)
      EXPECT_NEAR(values[k], expected[k], 1e-3f * (1 + std::abs(expected[k])));
  }
}

TEST_F(BackboneTest, GivesTheSameBitsOnAnyNumberOfWorkersAndInAnyCompany) {
  const std::vector<std::uint8_t> alone = bytes_of(features());
  Executor executor(3);
  EXPECT_EQ(bytes_of(features({.executor = &executor})), alone);
  const Dataset data = images();
  const std::uint8_t* last = data.image(data.size() - 1, {});
  const auto row =
      features_of(ImageRows(&last, 1), *open_backbone(options_, data.shape()), options_, {});
  EXPECT_TRUE(std::equal(row.rbegin(), row.rend(), alone.rbegin()));
}

TEST_F(BackboneTest, IsExportedWithItsHeadAsOneModule) {
  const Dataset rows = features();
  const Normalisation scale = feature_normalisation(rows);
  const auto head = make_network(options_, rows.shape(), testing::kTinyClasses, scale, Rng(2));
  const std::string file = (folder_.path() / "both.pt").string();
  save_torchscript(*head, options_, file);
  NetworkOptions whole;
  whole.model = file;
  const auto both = make_network(whole, testing::kTinyShape, testing::kTinyClasses, {}, Rng(1));
  std::vector<float> expected(testing::kTinyClasses);
  std::vector<float> found(testing::kTinyClasses);
  const Dataset data = images();
  for (std::size_t i = 0; i < data.size(); ++i) {
    const std::uint8_t* row = rows.image(i, {});
    const std::uint8_t* image = data.image(i, {});
    head->logits({&row, 1}, expected);
    both->logits({&image, 1}, found);
    for (std::size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(found[k], expected[k], 1e-4) << i;
  }
  bool has_backbone = false;
  for (const NamedTensor& tensor : all_tensors(*head, options_))
    has_backbone = has_backbone || tensor.name.starts_with("backbone.");
  EXPECT_TRUE(has_backbone);
}

// Returns the message of the error.
std::string refused(const NetworkOptions& options) {
  try {
    open_backbone(options, testing::kTinyShape);
  } catch (const DataError& error) {
    return error.what();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST_F(BackboneTest, ThatIsMissingChangedOrNoNetworkIsRefused) {
  NetworkOptions other = options_;
  other.backbone_fingerprint.clear();
  other.backbone = (folder_.path() / "no-such.pt").string();
  EXPECT_THAT(refused(other), HasSubstr("no-such.pt: the backbone is missing"));
  other.backbone = (folder_.path() / "text.pt").string();
  std::ofstream(other.backbone) << "hello";
  EXPECT_THAT(refused(other), HasSubstr("text.pt: not a TorchScript file"));
  other = options_;
  other.backbone_input = "imagenet";
  EXPECT_THAT(refused(other), HasSubstr("imagenet needs images in colour"));
  EXPECT_EQ(refused(options_), "");
  std::ofstream(options_.backbone, std::ios::app) << "more";
  EXPECT_THAT(refused(options_), HasSubstr("is another backbone than at the beginning"));
}

}  // namespace backbone_test
}  // namespace gps
