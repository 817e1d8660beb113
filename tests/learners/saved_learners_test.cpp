// Learners read only what fits their network: bytes with a right checksum may have been made by
// anybody.
#include <gmock/gmock.h>

#include <functional>

#include "gps/learners/learner.h"
#include "gps/nn/mlp/fused_mlp.h"

namespace gps {
namespace saved_learners_test {

using ::testing::HasSubstr;

constexpr std::size_t kInputs = 6;
constexpr std::size_t kClasses = 3;

std::unique_ptr<Learner> made(const std::string& name) {
  LearnerOptions options;
  options.name = name;
  return make_learner(options,
                      std::make_unique<FusedMlp>(std::vector<std::size_t>{kInputs, 4, kClasses},
                                                 Initialisation::xavier, Rng(1)));
}

// What the learner says of its network and what `write` adds.
std::string complaint(const std::string& name, const std::function<void(Archive&)>& write) {
  const auto learner = made(name);
  Archive written;
  network_of(*learner).persist(written);
  written.section(name);
  write(written);
  Archive archive(written.bytes());
  try {
    learner->persist(archive);
    archive.finish();
  } catch (const DataError& error) {
    return error.what();
  }
  return "(fine)";
}

void write_floats(Archive& archive, std::size_t size) {
  AlignedFloats values(size);
  archive(values);
}

void write_marks(Archive& archive, std::size_t size) {
  std::vector<bool> marks(size, true);
  archive(marks);
}

TEST(SavedLearners, OewcHasANumberForEachWeight) {
  const std::size_t weights = network_of(*made("oewc")).weights().size();
  const auto with = [&](std::size_t importance, std::size_t anchor) {
    return complaint("oewc", [&](Archive& archive) {
      write_floats(archive, importance);
      write_floats(archive, anchor);
    });
  };
  EXPECT_EQ(with(0, 0), "(fine)");
  EXPECT_EQ(with(weights, weights), "(fine)");
  for (const auto& [importance, anchor] :
       std::vector<std::pair<std::size_t, std::size_t>>{{1, 1}, {weights, 0}, {0, weights}})
    EXPECT_THAT(with(importance, anchor), HasSubstr("oewc")) << importance << " " << anchor;
}

// The network's padding must stay zero: from there, the next layer would read weights that it does
// not have.
TEST(SavedLearners, OewcHasNothingInThePaddingOfTheWeights) {
  const auto learner = made("oewc");
  const std::size_t weights = network_of(*learner).weights().size();
  const auto complaint_about = [&](std::size_t importance_at, std::size_t anchor_at) {
    return complaint("oewc", [&](Archive& archive) {
      for (const std::size_t at : {importance_at, anchor_at}) {
        AlignedFloats values(weights);
        values[at] = 1;
        archive(values);
      }
    });
  };
  // The first layer has rows of 16 floats, of which 4 are weights.
  const std::size_t weight = 3;
  const std::size_t padding = 4;
  EXPECT_EQ(complaint_about(weight, weight), "(fine)");
  EXPECT_THAT(complaint_about(padding, weight), HasSubstr("the network does not have"));
  EXPECT_THAT(complaint_about(weight, padding), HasSubstr("the network does not have"));
}

// With directions in the padding, a step would give outputs to hidden units that do not exist.
TEST(SavedLearners, OgdHasNoDirectionsOfUnitsThatDoNotExist) {
  const auto with = [](float error_in_padding) {
    return complaint("ogd", [&](Archive& archive) {
      FusedMlp network({kInputs, 4, kClasses}, Initialisation::xavier, Rng(1));
      const std::vector<std::uint8_t> image(kInputs, 255);
      const std::uint8_t* const images = image.data();
      const Label label = 0;
      const LossTerm logit{0, {&label, 1}, 1, Loss::logit};
      const auto direction = network.no_gradients();
      network.example_gradients({&images, 1}, {&logit, 1}, *direction);
      Archive gradients;
      direction->persist(gradients);
      // The errors of the first layer stand behind the name, the number of rows and the image.
      const std::size_t errors = 8 + 17 + 8 + (8 + kInputs) + 8;
      std::string bytes = gradients.bytes();
      bytes.replace(errors + 4 * sizeof(float), sizeof(float),
                    reinterpret_cast<const char*>(&error_in_padding), sizeof(float));
      for (char& value : bytes) archive(value);
      std::vector<double> lengths(1, 1.0);
      archive(lengths);
      std::vector<double> factor(1, 1.0);
      archive.in_place(std::span(factor));
    });
  };
  EXPECT_EQ(with(0), "(fine)");
  EXPECT_THAT(with(1), HasSubstr("the network does not have"));
}

TEST(SavedLearners, HalHasAMarkForEachClassAndWholeAnchors) {
  const std::size_t features = made("hal")->feature_size();
  const auto with = [&](std::size_t marks, std::size_t bytes) {
    return complaint("hal", [&](Archive& archive) {
      bool is_imagined = false;
      archive(is_imagined);
      write_marks(archive, marks);
      std::vector<float> means(kClasses * features);
      archive.in_place(std::span(means));
      std::vector<std::uint8_t> anchors(bytes);
      archive(anchors);
    });
  };
  EXPECT_EQ(with(kClasses, 0), "(fine)");
  EXPECT_EQ(with(kClasses, 2 * kInputs), "(fine)");
  EXPECT_THAT(with(kClasses - 1, 0), HasSubstr("has 2 values, must have 3"));
  EXPECT_THAT(with(kClasses, kInputs + 1), HasSubstr("anchors"));
}

TEST(SavedLearners, IcarlHasAMarkForEachClass) {
  const std::size_t features = made("icarl")->feature_size();
  const auto with = [&](std::size_t past, std::size_t with_mean) {
    return complaint("icarl", [&](Archive& archive) {
      write_marks(archive, past);
      write_marks(archive, with_mean);
      bool no = false;
      int last_task = 1;
      archive(no, no, last_task);
      std::vector<float> means(kClasses * features);
      archive.in_place(std::span(means));
      archive(no);
    });
  };
  EXPECT_EQ(with(kClasses, kClasses), "(fine)");
  EXPECT_THAT(with(1, kClasses), HasSubstr("has 1 values, must have 3"));
  EXPECT_THAT(with(kClasses, 9), HasSubstr("has 9 values, must have 3"));
}

TEST(SavedLearners, OgdHasALengthForEachDirection) {
  const auto with = [](std::size_t lengths) {
    return complaint("ogd", [&](Archive& archive) {
      const auto none = network_of(*made("ogd")).no_gradients();
      none->persist(archive);
      std::vector<double> all(lengths, 1.0);
      archive(all);
      std::vector<double> factor(lengths * lengths);
      archive.in_place(std::span(factor));
    });
  };
  EXPECT_EQ(with(0), "(fine)");
  EXPECT_THAT(with(2), HasSubstr("has 2 values, must have 0"));
}

}  // namespace saved_learners_test
}  // namespace gps
