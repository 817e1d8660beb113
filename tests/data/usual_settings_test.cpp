#include "gps/data/usual_settings.h"

#include <gmock/gmock.h>

namespace gps {
namespace usual_settings_test {

using ::testing::HasSubstr;

DataFacts facts(ImageShape image, std::size_t images = 2000) {
  DataFacts known;
  known.image = image;
  known.images = images;
  return known;
}

constexpr ImageShape kDigit{1, 28, 28};
constexpr ImageShape kPhotograph{3, 32, 32};

TEST(UsualSettings, TakeAnMlpForSmallGreyImagesAndConvolutionsForAllOthers) {
  EXPECT_EQ(usual_settings(facts(kDigit)).model, "mlp");
  EXPECT_THAT(usual_settings(facts(kDigit)).why_model, HasSubstr("grey"));
  EXPECT_EQ(usual_settings(facts({1, 31, 31})).model, "mlp");
  EXPECT_EQ(usual_settings(facts({1, 32, 20})).model, "convnet");
  const auto [height, width] = usual_size(480, 640);
  EXPECT_EQ(usual_settings(facts({1, height, width})).model, "convnet") << "grey photographs";
  EXPECT_EQ(usual_settings(facts(kPhotograph)).model, "convnet");
  EXPECT_GT(usual_settings(facts(kPhotograph)).width, 0) << "narrow, because it has to be fast";
  EXPECT_THAT(usual_settings(facts(kPhotograph)).why_model, HasSubstr("colour"));
}

TEST(UsualSettings, TakeConvolutionsWhereATaskHasFewImagesUnlessTheyAreTiny) {
  EXPECT_EQ(usual_settings(facts(kDigit, 300)).model, "convnet");
  EXPECT_THAT(usual_settings(facts(kDigit, 300)).why_model, HasSubstr("few"));
  EXPECT_EQ(usual_settings(facts(kDigit, 301)).model, "mlp");
  EXPECT_EQ(usual_settings(facts({1, 8, 8}, 100)).model, "mlp");
  EXPECT_EQ(usual_settings(facts(kDigit, 0)).model, "mlp") << "how many there are is not known";
  DataFacts known = facts(kDigit, 100);
  known.has_libtorch = false;
  EXPECT_EQ(usual_settings(known).model, "mlp");
}

TEST(UsualSettings, DoWithoutLibTorch) {
  DataFacts known = facts(kPhotograph);
  known.has_libtorch = false;
  EXPECT_EQ(usual_settings(known).model, "mlp");
  EXPECT_THAT(usual_settings(known).why_model, HasSubstr("LibTorch"));
}

TEST(UsualSettings, LeaveTheNetworkThatTheUserChoseAsItIs) {
  DataFacts known = facts(kPhotograph);
  for (const char* model : {"mlp", "resnet18", "my/own.pt"}) {
    known.model = model;
    const UsualSettings settings = usual_settings(known);
    EXPECT_EQ(settings.model, model);
    EXPECT_EQ(settings.width, 0);
    EXPECT_GT(settings.learning_rate, 0);
    EXPECT_LE(settings.learning_rate, 0.05f) << "at 0.1 an mlp dies on colour images";
  }
}

TEST(UsualSettings, TrainLongerOnSmallTasksAndNeverForAges) {
  for (const char* model : {"mlp", "convnet", "resnet18"}) {
    int before = usual_epochs(model, 1, 10);
    EXPECT_LE(before, 100) << model;
    for (std::size_t images = 2; images < 100'000; images = images * 3 / 2 + 1) {
      const int epochs = usual_epochs(model, images, 10);
      EXPECT_LE(epochs, before) << model << ": " << images;
      EXPECT_GE(epochs, 1) << model << ": " << images;
      before = epochs;
    }
    EXPECT_GT(usual_epochs(model, 40, 10), 2 * usual_epochs(model, 4000, 10)) << model;
  }
  EXPECT_EQ(usual_epochs("mlp", 0, 10), 5) << "of a task that is not known";
  EXPECT_THAT(usual_settings(facts(kDigit, 123)).why_epochs, HasSubstr("123 images"));
}

TEST(UsualSettings, WeighLogitsLessWhereANetworkHasManyFeatures) {
  for (const char* learner : {"der", "der++"}) {
    DataFacts grey = facts(kDigit);
    DataFacts colour = facts(kPhotograph);
    grey.learner = colour.learner = learner;
    EXPECT_GT(usual_settings(grey).alpha, usual_settings(colour).alpha) << learner;
    EXPECT_GT(usual_settings(colour).alpha, 0) << learner;
  }
}

TEST(UsualSettings, KeepSmallImagesAndShrinkLargeOnes) {
  EXPECT_EQ(usual_size(28, 28), std::pair(28, 28));
  EXPECT_EQ(usual_size(8, 32), std::pair(8, 32));
  EXPECT_EQ(usual_size(33, 8), std::pair(32, 32));
  EXPECT_EQ(usual_size(480, 640), std::pair(32, 32));
}

}  // namespace usual_settings_test
}  // namespace gps
