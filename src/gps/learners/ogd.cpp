// Orthogonal gradient descent (Farajtabar et al., "Orthogonal gradient descent for continual
// learning", 2020). After each task, the gradients of the true class's logit at a few random
// examples are kept (G, one column each), and later steps are orthogonal to all of them:
//   θ ← θ - lr (g - G K⁻¹ Gᵀ g),   K = Gᵀ G.
// This equals a projection with an orthonormal basis of G's span, but no basis is built. Columns
// stay outer products (ExampleGradients), so that 900 of them take a few megabytes instead of 323.
#include <Eigen/Dense>
#include <array>
#include <cmath>

#include "gps/learners/network_learner.h"

namespace gps {
namespace {

struct OgdOptions {
  int directions = 100;
};

const OptionTable<OgdOptions>& ogd_options() {
  static const OptionTable<OgdOptions> table = {
      option("directions", &OgdOptions::directions, "gradients kept for each task")
          .between(1, 10'000),
  };
  return table;
}

class Ogd final : public NetworkLearner {
 public:
  Ogd(const LearnerOptions& options, std::unique_ptr<Network> network)
      : NetworkLearner(std::move(network)),
        options_(options),
        own_(ogd_options().read(options.settings)),
        now_(network_->no_gradients()),
        directions_(network_->no_gradients()) {}
  Ogd(const Ogd& other)
      : NetworkLearner(other),
        options_(other.options_),
        own_(other.own_),
        now_(other.now_->clone()),
        directions_(other.directions_->clone()),
        lengths_(other.lengths_),
        factor_(other.factor_) {}

  std::unique_ptr<Learner> clone() const override { return std::make_unique<Ogd>(*this); }

  void persist(Archive& archive) override {
    NetworkLearner::persist(archive);
    archive.section("ogd");
    directions_->persist(archive);
    archive.sized(lengths_, directions_->size(), "ogd's list of lengths");
    archive.expect(lengths_.size(), lengths_.size() * sizeof(double));  // the factor's bytes
    const auto count = static_cast<Eigen::Index>(lengths_.size());
    factor_.conservativeResize(count, count);
    archive.in_place(std::span(factor_.data(), lengths_.size() * lengths_.size()));
  }

  double observe(const Batch& now, const Memory& /*past*/, Rng& /*rng*/) override {
    const std::array<LossTerm, 1> loss = {{{0, now.labels, 1}}};
    if (directions_->size() == 0) return network_->step(now.images, loss, options_.learning_rate);

    const double before = network_->gradients(now.images, loss, *now_);
    const std::size_t count = directions_->size();
    products_.resize(count * now_->size());
    directions_->inner_products(*now_, products_);
    Eigen::VectorXd along(static_cast<Eigen::Index>(count));  // Gᵀ g, with columns of unit length
    for (std::size_t k = 0; k < count; ++k) {
      double sum = 0;
      for (std::size_t b = 0; b < now_->size(); ++b)
        sum += static_cast<double>(products_[k * now_->size() + b]);
      along[static_cast<Eigen::Index>(k)] = sum / lengths_[k];
    }
    factor_.triangularView<Eigen::Lower>().solveInPlace(along);
    factor_.transpose().triangularView<Eigen::Upper>().solveInPlace(along);

    factors_.resize(count);
    for (std::size_t k = 0; k < count; ++k) {
      factors_[k] = options_.learning_rate *
                    static_cast<float>(along[static_cast<Eigen::Index>(k)] / lengths_[k]);
    }
    directions_->add_to(factors_, network_->weights());
    factors_.assign(now_->size(), -options_.learning_rate);
    now_->add_to(factors_, network_->weights());
    return before;
  }

  void end_task(const Task& task, const Memory& /*memory*/, const Rng& rng) override {
    const auto order = rng.fork("directions").permutation(task.train.size());
    const auto wanted = std::min(order.size(), static_cast<std::size_t>(own_.directions));
    Batch batch;
    batch.gather(task, std::span(order).first(wanted));
    const auto candidate = network_->no_gradients();
    for (std::size_t k = 0; k < batch.size(); ++k) {
      const std::array<LossTerm, 1> logit = {{{0, {&batch.labels[k], 1}, 1, Loss::logit}}};
      network_->example_gradients({&batch.images[k], 1}, logit, *candidate);
      add_direction(*candidate);
    }
  }

 private:
  // Adds a row to the Cholesky factor of K, with columns of unit length. A direction that lies in
  // the span of the others, up to a hundredth of its length, is left out, because it adds only
  // noise.
  void add_direction(const ExampleGradients& direction) {
    constexpr double kSmallest = 1e-4;  // of the squared length
    std::array<float, 1> squared{};
    direction.inner_products(direction, squared);
    const double length = std::sqrt(static_cast<double>(squared[0]));
    if (!(length > 0)) return;
    const auto count = static_cast<Eigen::Index>(directions_->size());
    products_.resize(directions_->size());
    directions_->inner_products(direction, products_);
    Eigen::VectorXd row(count);
    for (Eigen::Index k = 0; k < count; ++k) {
      const auto at = static_cast<std::size_t>(k);
      row[k] = static_cast<double>(products_[at]) / (lengths_[at] * length);
    }
    factor_.triangularView<Eigen::Lower>().solveInPlace(row);
    const double left = 1 - row.squaredNorm();
    if (left < kSmallest) return;
    factor_.conservativeResize(count + 1, count + 1);
    factor_.col(count).setZero();
    factor_.row(count).head(count) = row.transpose();
    factor_(count, count) = std::sqrt(left);
    directions_->append(direction);
    lengths_.push_back(length);
  }

  LearnerOptions options_;
  OgdOptions own_;
  std::unique_ptr<ExampleGradients> now_;
  std::unique_ptr<ExampleGradients> directions_;
  std::vector<double> lengths_;
  Eigen::MatrixXd factor_;  // lower triangular; L Lᵀ = K with columns of unit length
  std::vector<float> products_;
  std::vector<float> factors_;
};

std::unique_ptr<Learner> make_ogd(const LearnerOptions& options, std::unique_ptr<Network> network) {
  return std::make_unique<Ogd>(options, std::move(network));
}

}  // namespace

LearnerEntry ogd() {
  LearnerEntry entry = {
      {"ogd", "OGD",
       "Orthogonal gradient descent: no memory of examples; steps are orthogonal to the "
       "gradients of logits at a few examples of each earlier task (Farajtabar et al. 2020). "
       "Its default learning rate is 0.001.",
       ogd_options().rows()},
      /*replays=*/false,
      /*relative_cost=*/21,
      "none",
      /*learns_jointly=*/false,
      make_ogd};
  entry.why_not_lasting = "keeps gradients of every task, each as large as the network";
  return entry;
}

}  // namespace gps
