// The mlp on rows of features (data/features.h) in place of pixels. Pixels p/256 as features that
// are divided by 255/256 are the inputs p/255 that an mlp has for the pixels themselves.
#include <gtest/gtest.h>

#include "gps/data/features.h"
#include "gps/nn/mlp/fused_mlp.h"
#include "nn/targets.h"

namespace gps {
namespace fused_mlp_features_test {

constexpr std::size_t kInputs = 37;
constexpr std::size_t kRows = 6;
constexpr std::size_t kClasses = 4;

struct Batch {
  std::vector<std::vector<std::uint8_t>> rows;
  std::vector<const std::uint8_t*> images;
  std::vector<Label> labels;
};

// The same images as pixels and as features.
std::pair<Batch, Batch> batches() {
  std::pair<Batch, Batch> both;
  auto& [pixels, features] = both;
  Rng draw(5);
  for (std::size_t r = 0; r < kRows; ++r) {
    std::vector<float> values;
    pixels.rows.emplace_back();
    for (std::size_t k = 0; k < kInputs; ++k) {
      const auto pixel = static_cast<std::uint8_t>(draw.index(4) == 0 ? draw.index(256) : 0);
      pixels.rows.back().push_back(pixel);
      values.push_back(static_cast<float>(pixel) / 256);
    }
    features.rows.emplace_back(2 * kInputs);
    EXPECT_TRUE(write_features(values, features.rows.back()));
    pixels.labels.push_back(static_cast<Label>(r % kClasses));
  }
  features.labels = pixels.labels;
  for (Batch* batch : {&pixels, &features}) {
    for (const auto& row : batch->rows) batch->images.push_back(row.data());
  }
  return both;
}

const Normalisation kScale = {{0}, {255.0f / 256}};

FusedMlp network(const std::vector<std::size_t>& hidden, bool sees_features) {
  std::vector<std::size_t> sizes = {kInputs};
  sizes.insert(sizes.end(), hidden.begin(), hidden.end());
  sizes.push_back(kClasses);
  return {sizes, Initialisation::xavier, Rng(1),
          sees_features ? std::optional(kScale) : std::nullopt};
}

std::vector<LossTerm> terms_of(const Batch& batch) { return {{0, batch.labels, 1}}; }

void expect_near(const std::vector<float>& a, const std::vector<float>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 2e-5f) << k;
}

TEST(FusedMlpOnFeatures, LearnsAsOnThePixelsThatTheyStandFor) {
  testing::for_each_target([] {
    for (const std::vector<std::size_t>& hidden :
         {std::vector<std::size_t>{}, {19}, {20, std::size_t{11}}}) {
      const auto [pixels, features] = batches();
      FusedMlp one = network(hidden, false);
      FusedMlp other = network(hidden, true);
      for (int step = 0; step < 10; ++step) {
        EXPECT_NEAR(one.step(pixels.images, terms_of(pixels), 0.1f),
                    other.step(features.images, terms_of(features), 0.1f), 1e-4);
      }
      expect_near(one.parameters(), other.parameters());
      std::vector<float> expected(kRows * one.feature_size());
      std::vector<float> found = expected;
      one.features(pixels.images, expected);
      other.features(features.images, found);
      expect_near(expected, found);
    }
  });
}

TEST(FusedMlpOnFeatures, HasTheGradientsOfSingleExamples) {
  const auto [pixels, features] = batches();
  FusedMlp one = network({19}, false);
  FusedMlp other = network({19}, true);
  const auto expected = one.no_gradients();
  const auto found = other.no_gradients();
  one.example_gradients(pixels.images, terms_of(pixels), *expected);
  other.example_gradients(features.images, terms_of(features), *found);
  std::vector<float> products(kRows * kRows);
  std::vector<float> products_found(kRows * kRows);
  expected->inner_products(*expected, products);
  found->inner_products(*found, products_found);
  expect_near(products, products_found);

  const std::vector<float> ones(kRows, 1);
  AlignedFloats sum(one.weights().size());
  AlignedFloats sum_found(sum.size());
  expected->add_to(ones, std::span<float>(sum));
  found->add_to(ones, std::span<float>(sum_found));
  expect_near({sum.data(), sum.data() + sum.size()},
              {sum_found.data(), sum_found.data() + sum_found.size()});
}

TEST(FusedMlpOnFeatures, KeepsItsGradientsInAnArchive) {
  const auto [pixels, features] = batches();
  FusedMlp net = network({19}, true);
  const auto kept = net.no_gradients();
  net.example_gradients(features.images, terms_of(features), *kept);
  Archive to;
  kept->persist(to);
  const auto back = net.no_gradients();
  Archive from(to.bytes());
  back->persist(from);
  from.finish();
  std::vector<float> expected(kRows * kRows);
  std::vector<float> found(kRows * kRows);
  kept->inner_products(*kept, expected);
  back->inner_products(*back, found);
  EXPECT_EQ(found, expected);
}

TEST(FusedMlpOnFeatures, IsCopiedWithWhatItSees) {
  const auto [pixels, features] = batches();
  FusedMlp net = network({19}, true);
  std::vector<float> expected(kRows * kClasses);
  std::vector<float> found = expected;
  net.logits(features.images, expected);
  net.clone()->logits(features.images, found);
  EXPECT_EQ(found, expected);
}

}  // namespace fused_mlp_features_test
}  // namespace gps
