// States that learn from the features of a backbone. A made-up file stands for the backbone here:
// only reading images needs LibTorch (tests/torch/, tests/python/backbone_test.py).
#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "deployment/weeks.h"
#include "gps/core/files/files.h"
#include "gps/data/features.h"
#include "gps/deployment/learn_rows.h"
#include "gps/deployment/state_folder.h"
#include "support/temporary_folder.h"

namespace gps {
namespace backbone_state_test {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// The pixels of the images as features of another scale.
Dataset as_features(const Dataset& images) {
  const std::size_t size = images.shape().bytes();
  std::vector<std::uint8_t> rows(images.size() * 2 * size);
  std::vector<Label> labels;
  for (std::size_t i = 0; i < images.size(); ++i) {
    const std::uint8_t* const image = images.image(i, {});
    std::vector<float> values;
    for (std::size_t p = 0; p < size; ++p) values.push_back(static_cast<float>(image[p]) / 16 - 3);
    EXPECT_TRUE(write_features(values, std::span(rows).subspan(i * 2 * size, 2 * size)));
    labels.push_back(images.label(i));
  }
  return {feature_shape(size), std::move(rows), labels, images.classes()};
}

NewTask feature_week(int number) {
  NewTask task = testing::week(number);
  task.train = as_features(task.train);
  return task;
}

class BackboneState : public ::testing::Test {
 protected:
  BackboneState() { std::ofstream(backbone_) << "a made-up backbone"; }

  LearnOptions options(const std::string& learner = "er") const {
    LearnOptions made = learn_options(learner);
    made.method.network.hidden = {16};
    made.method.network.backbone = backbone_.string();
    made.method.network = identified(made.method.network);
    made.method.training.epochs = 10;
    made.method.policy.settings["score_examples"] = 10;
    made.memory = 50;
    made.shape = {1, 6, 6};
    made.features = 36;
    settle(made);
    return made;
  }
  LearnState learnt(int weeks, const std::string& learner = "er") const {
    LearnState state(options(learner));
    Executor executor(1);
    for (int k = 1; k <= weeks; ++k) learn(state, feature_week(k), executor);
    return state;
  }

  testing::TemporaryFolder temporary_;
  fs::path backbone_ = temporary_.path() / "own.pt";
  StateFolder folder_{temporary_.path() / "state"};
};

TEST_F(BackboneState, LearnsFeatures) {
  for (const char* learner : {"er", "der++", "icarl"}) {
    LearnState state = learnt(3, learner);
    const Dataset fresh = as_features(testing::tiny_dataset(6, 20, /*seed=*/99));
    EXPECT_GT(test(state, fresh, labels_in(fresh)).among_all, 0.7) << learner;
    EXPECT_EQ(state.memory.image_bytes(), 72u);
  }
}

TEST_F(BackboneState, NormalisesByTheFirstTask) {
  const Normalisation first = learnt(1).options.normalisation;
  ASSERT_EQ(first.mean.size(), 1u);
  EXPECT_EQ(learnt(2).options.normalisation, first);
}

TEST_F(BackboneState, GoesOnFromItsFolderToTheSameBits) {
  LearnState kept = learnt(1);
  StopFlag stop;
  const FileLock lock = lock_state(folder_.path(), {}, stop);
  folder_.commit(kept);
  EXPECT_EQ(read_file(folder_.path() / kBackboneFile), "a made-up backbone");
  fs::remove(backbone_);  // the state has a copy
  LearnState back = folder_.load();
  EXPECT_EQ(back.options.features, 36);
  EXPECT_EQ(back.options.method.network.backbone, (folder_.path() / kBackboneFile).string());
  Executor executor(2);
  learn(back, feature_week(2), executor);
  std::ofstream(backbone_) << "a made-up backbone";
  LearnState straight = learnt(2);
  EXPECT_EQ(to_bytes(back), to_bytes(straight));
}

TEST_F(BackboneState, SaysThatItsBackboneIsMissingOrAnother) {
  LearnState state = learnt(1);
  StopFlag stop;
  const FileLock lock = lock_state(folder_.path(), {}, stop);
  folder_.commit(state);
  const auto complaint = [&] {
    try {
      folder_.load();
    } catch (const DataError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(complaint(), "");
  std::ofstream(folder_.path() / kBackboneFile) << "another";
  EXPECT_THAT(complaint(), HasSubstr("backbone.pt: is another backbone than at the beginning"));
  fs::remove(folder_.path() / kBackboneFile);
  EXPECT_THAT(complaint(), HasSubstr("backbone.pt: the backbone is missing"));
}

TEST_F(BackboneState, LeavesAnotherBackboneInItsPlaceAlone) {
  LearnState state = learnt(1);
  StopFlag stop;
  const FileLock lock = lock_state(folder_.path(), {}, stop);
  std::ofstream(folder_.path() / kBackboneFile) << "another";
  EXPECT_THROW(folder_.commit(state), DataError);
  EXPECT_FALSE(folder_.has_state());
  EXPECT_EQ(read_file(folder_.path() / kBackboneFile), "another");
}

TEST_F(BackboneState, CountsTheBytesOfFeatures) {
  LearnOptions few = options();
  few.memory_bytes = 10'000;
  few.held_out = 0;
  settle(few);
  LearnOptions many = few;
  many.features = 18;
  settle(many);
  EXPECT_GT(budget_of(few).replay, 10'000u / (72 + 40));
  EXPECT_LE(budget_of(few).replay, 10'000u / 72);
  EXPECT_GT(budget_of(many).replay, budget_of(few).replay);
}

TEST_F(BackboneState, CannotChangeItsBackbone) {
  LearnOptions made = options();
  const std::string same = (temporary_.path() / "same.pt").string();
  const std::string other = (temporary_.path() / "other.pt").string();
  fs::copy(backbone_, same);
  std::ofstream(other) << "other";
  EXPECT_NO_THROW(change_options(made, {{"backbone", same}}));
  EXPECT_EQ(made.method.network.backbone, backbone_.string());
  EXPECT_THROW(change_options(made, {{"backbone", other}}), OptionError);
  LearnOptions without = testing::tiny_options();
  EXPECT_THROW(change_options(without, {{"backbone", same}}), OptionError);
}

TEST_F(BackboneState, IsRefusedIfItsOptionsDoNotFit) {
  const nlohmann::json right = to_json(options());
  EXPECT_EQ(right.at("spec").at("backbone"), kBackboneFile);
  EXPECT_EQ(to_json(learn_options_from(right, "folder")), right);
  for (const int features : {0, -3, 1'000'000}) {
    nlohmann::json wrong = right;
    wrong["features"] = features;
    EXPECT_THROW(learn_options_from(wrong, "folder"), DataError) << features;
  }
  nlohmann::json elsewhere = right;
  elsewhere["spec"]["backbone"] = "../other.pt";
  EXPECT_THROW(learn_options_from(elsewhere, "folder"), DataError);
  nlohmann::json without = right;
  without["spec"].erase("backbone");
  without["spec"].erase("backbone_fingerprint");
  EXPECT_THROW(learn_options_from(without, "folder"), DataError);
}

}  // namespace backbone_state_test
}  // namespace gps
