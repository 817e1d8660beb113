#include "learners/tiny_step.h"

namespace gps {
namespace oewc_test {

using Floats = std::vector<float>;

class Oewc : public testing::TinyStep {
 protected:
  Oewc() { options.name = "oewc"; }

  static Floats shares_of(Network& net, const std::uint8_t* image) {
    Floats shares(kClasses);
    net.logits({&image, 1}, shares);
    float sum = 0;
    for (float& share : shares) sum += share = std::exp(share);
    for (float& share : shares) share /= sum;
    return shares;
  }

  // The importance of each parameter, one example and one squared gradient after the other.
  static Floats fisher_of(const Network& net, const Task& of, const std::string& kind) {
    Floats fisher(net.parameters().size());
    std::vector<std::uint8_t> scratch(kBytes);
    for (std::size_t i = 0; i < of.train.size(); ++i) {
      const std::uint8_t* image = of.train.image(i, scratch);
      const Floats shares = shares_of(*net.clone(), image);
      for (Label label = 0; label < kClasses; ++label) {
        if (kind != "exact" && label != of.train.label(i)) continue;
        const float weight = kind == "empirical" ? 1 : shares[label];
        const auto copy = net.clone();
        const LossTerm term{0, {&label, 1}, 1};
        copy->accumulate({&image, 1}, {&term, 1});
        const Floats gradient = copy->gradient();
        for (std::size_t k = 0; k < fisher.size(); ++k)
          fisher[k] += weight * gradient[k] * gradient[k] / static_cast<float>(of.train.size());
      }
    }
    return fisher;
  }

  // θ after a step from `theta` on the batch's loss and the pull to `anchor`.
  Floats expected_step(const Floats& theta, const Floats& anchor, const Floats& fisher) const {
    const auto net = network();
    net->set_parameters(theta);
    const LossTerm now{0, batch.labels, 1};
    net->accumulate(batch.images, {&now, 1});
    Floats gradient = net->gradient();
    Floats result = theta;
    for (std::size_t k = 0; k < theta.size(); ++k) {
      gradient[k] +=
          2 * testing::value_of(options, "ewc_lambda") * fisher[k] * (theta[k] - anchor[k]);
      result[k] -= options.learning_rate * gradient[k];
    }
    return result;
  }

  // Away from where the last task ended.
  static Floats shifted(Floats theta) {
    for (std::size_t k = 0; k < theta.size(); ++k) theta[k] += k % 2 == 0 ? 0.1f : -0.05f;
    return theta;
  }
};

TEST_F(Oewc, IsPlainDescentInTheFirstTask) {
  const auto oewc = make_learner(options, network());
  const auto sgd = testing::make_named("sgd", options, network());
  for (int step = 0; step < 10; ++step)
    EXPECT_EQ(oewc->observe(batch, memory, rng), sgd->observe(batch, memory, rng));
  EXPECT_EQ(network_of(*oewc).parameters(), network_of(*sgd).parameters());
}

TEST_F(Oewc, PullsEachWeightByItsImportance) {
  options.settings["ewc_lambda"] = 20.0;
  for (const char* kind : {"empirical", "exact", "mammoth"}) {
    options.settings["fisher"] = kind;
    const auto oewc = make_learner(options, network());
    const Floats anchor = network_of(*oewc).parameters();
    const Floats fisher = fisher_of(network_of(*oewc), task, kind);
    oewc->end_task(task, memory, rng);
    EXPECT_EQ(network_of(*oewc).parameters(), anchor);

    const Floats from = shifted(anchor);
    network_of(*oewc).set_parameters(from);
    const Floats expected = expected_step(from, anchor, fisher);
    oewc->observe(batch, memory, rng);
    expect_close(network_of(*oewc).parameters(), expected);
    // The pull is what is being measured: without it θ would be elsewhere.
    EXPECT_GT(largest_difference(expected, expected_step(from, anchor, Floats(fisher.size()))),
              1e-2);
  }
}

TEST_F(Oewc, KindsOfImportanceDiffer) {
  const auto net = network();
  const Floats empirical = fisher_of(*net, task, "empirical");
  EXPECT_GT(largest_difference(empirical, fisher_of(*net, task, "exact")), 1e-3);
  EXPECT_GT(largest_difference(empirical, fisher_of(*net, task, "mammoth")), 1e-3);
}

TEST_F(Oewc, AveragesOverAllExamplesOfALargerTask) {
  options.settings["ewc_lambda"] = 20.0;
  const Task large{1, testing::tiny_dataset(kClasses, 50, 1, /*side=*/4)};  // more than two chunks
  const auto oewc = make_learner(options, network());
  const Floats anchor = network_of(*oewc).parameters();
  const Floats fisher = fisher_of(network_of(*oewc), large, "empirical");
  oewc->end_task(large, memory, rng);
  const Floats from = shifted(anchor);
  network_of(*oewc).set_parameters(from);
  oewc->observe(batch, memory, rng);
  expect_close(network_of(*oewc).parameters(), expected_step(from, anchor, fisher));
}

TEST_F(Oewc, DecaysTheOldImportanceAndForgetsTheOldWeights) {
  options.settings["ewc_lambda"] = 20.0;
  options.settings["ewc_gamma"] = 0.5;
  const auto oewc = make_learner(options, network());
  Floats fisher = fisher_of(network_of(*oewc), task, "empirical");
  oewc->end_task(task, memory, rng);
  for (int step = 0; step < 3; ++step) oewc->observe(batch, memory, rng);

  const Floats anchor = network_of(*oewc).parameters();
  const Floats later = fisher_of(network_of(*oewc), next, "empirical");
  for (std::size_t k = 0; k < fisher.size(); ++k) fisher[k] = 0.5f * fisher[k] + later[k];
  oewc->end_task(next, memory, rng);
  const Floats from = shifted(anchor);
  network_of(*oewc).set_parameters(from);
  oewc->observe(batch, memory, rng);
  expect_close(network_of(*oewc).parameters(), expected_step(from, anchor, fisher));
}

TEST_F(Oewc, ReturnsTheLossOfTheExamplesAlone) {
  const auto oewc = make_learner(options, network());
  oewc->end_task(task, memory, rng);
  network_of(*oewc).set_parameters(shifted(network_of(*oewc).parameters()));
  const LossTerm now{0, batch.labels, 1};
  const double loss = network_of(*oewc).clone()->accumulate(batch.images, {&now, 1});
  EXPECT_NEAR(oewc->observe(batch, memory, rng), loss, 1e-6);
}

TEST_F(Oewc, IsPlainDescentWithoutAnyWeightOnThePast) {
  options.settings["ewc_lambda"] = 0.0;
  const auto oewc = make_learner(options, network());
  const auto sgd = testing::make_named("sgd", options, network());
  oewc->end_task(task, memory, rng);
  for (int step = 0; step < 5; ++step) {
    oewc->observe(batch, memory, rng);
    sgd->observe(batch, memory, rng);
  }
  expect_close(network_of(*oewc).parameters(), network_of(*sgd).parameters());
}

TEST_F(Oewc, MovesLessTheMoreWeightThePastHas) {
  double last = 1e9;
  for (const double lambda : {0.0, 1.0, 10.0}) {
    options.settings["ewc_lambda"] = lambda;
    const auto oewc = make_learner(options, network());
    const Floats fisher = fisher_of(network_of(*oewc), task, "empirical");
    const Floats anchor = network_of(*oewc).parameters();
    oewc->end_task(task, memory, rng);
    for (int step = 0; step < 50; ++step) oewc->observe(batch, memory, rng);
    const Floats theta = network_of(*oewc).parameters();
    double moved = 0;
    for (std::size_t k = 0; k < theta.size(); ++k)
      moved += static_cast<double>(fisher[k] * (theta[k] - anchor[k]) * (theta[k] - anchor[k]));
    EXPECT_LT(moved, last) << lambda;
    last = moved;
  }
}

}  // namespace oewc_test
}  // namespace gps
