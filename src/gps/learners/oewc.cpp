// Online elastic weight consolidation (Kirkpatrick et al. 2017; Schwarz et al., "Progress &
// compress", 2018): no memory, but each weight is pulled to its value at the end of the last task.
// The pull is stronger for weights on which the losses of earlier tasks depend more:
//   L(θ) + λ Σ_k F_k (θ_k - θ*_k)²,   and after each task  F ← γ F + F_task,  θ* ← θ.
// F_task, the diagonal of the Fisher information, is a mean over all examples of the task, whose
// gradients are squared one by one (Fisher says which gradients). Mammoth divides by the number of
// batches times their size instead of the number of examples. The loss that a step returns is that
// of the examples, without the penalty, as in Mammoth.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "gps/learners/network_learner.h"
#include "gps/nn/aligned_floats.h"
#include "gps/nn/softmax.h"

namespace gps {
namespace {

// What F_task is for each weight: the mean over the task's examples of …
enum class Fisher {
  empirical,  // the squared gradient of -log p(y|x), y the label: the default
  exact,      // the same, y averaged over the classes with weights p(y|x)
  mammoth,    // the empirical one, each example weighted by p(y|x)
};

struct OewcOptions {
  float lambda = 0.7f;
  float gamma = 1;
  Fisher fisher = Fisher::empirical;
};

const OptionTable<OewcOptions>& oewc_options() {
  static const OptionTable<OewcOptions> table = {
      option("ewc_lambda", &OewcOptions::lambda, "weight of the pull to old weights").at_least(0),
      option("ewc_gamma", &OewcOptions::gamma, "decay of the importance for earlier tasks")
          .between(0, 1),
      choice("fisher", &OewcOptions::fisher,
             {{"empirical", Fisher::empirical},
              {"exact", Fisher::exact},
              {"mammoth", Fisher::mammoth}},
             "gradients for the labels, for all classes by their probability, or for the labels "
             "by theirs"),
  };
  return table;
}

// Whether values in the order of weights() are zero in the padding, which the network relies on.
bool is_zero_in_padding(const Network& network, std::span<const float> values) {
  const std::unique_ptr<Network> marked = network.clone();
  std::ranges::fill(marked->weights(), 0.0f);
  marked->set_parameters(std::vector<float>(network.parameters().size(), 1.0f));
  const std::span<const float> is_used = marked->weights();
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (is_used[k] == 0 && values[k] != 0) return false;
  }
  return true;
}

class Oewc final : public NetworkLearner {
 public:
  Oewc(const LearnerOptions& options, std::unique_ptr<Network> network)
      : NetworkLearner(std::move(network)),
        options_(options),
        own_(oewc_options().read(options.settings)),
        gradients_(network_->no_gradients()) {}
  Oewc(const Oewc& other)
      : NetworkLearner(other),
        options_(other.options_),
        own_(other.own_),
        gradients_(network_->no_gradients()),
        importance_(other.importance_),
        anchor_(other.anchor_) {}

  std::unique_ptr<Learner> clone() const override { return std::make_unique<Oewc>(*this); }

  void persist(Archive& archive) override {
    NetworkLearner::persist(archive);
    archive.section("oewc");
    archive(importance_, anchor_);
    if (!archive.is_reading()) return;
    const std::size_t size = importance_.empty() ? 0 : network_->weights().size();
    Archive::require(importance_.size() == size && anchor_.size() == size,
                     "oewc's importance of weights is that of another network");
    Archive::require(size == 0 || (is_zero_in_padding(*network_, importance_) &&
                                   is_zero_in_padding(*network_, anchor_)),
                     "oewc has importance for weights that the network does not have");
  }

  double observe(const Batch& now, const Memory& /*past*/, Rng& /*rng*/) override {
    const std::array<LossTerm, 1> terms = {{{0, now.labels, 1}}};
    if (importance_.empty()) return network_->step(now.images, terms, options_.learning_rate);
    const double loss = network_->gradients(now.images, terms, *gradients_);
    pull();  // at the same θ as the gradient of the examples
    factors_.assign(gradients_->size(), -options_.learning_rate);
    gradients_->add_to(factors_, network_->weights());
    return loss;
  }

  void end_task(const Task& task, const Memory& /*memory*/, const Rng& /*rng*/) override {
    const std::span<float> theta = network_->weights();
    if (importance_.empty()) importance_ = AlignedFloats(theta.size());
    for (std::size_t k = 0; k < importance_.size(); ++k) importance_[k] *= own_.gamma;
    add_fisher(task);
    anchor_ = AlignedFloats(theta.size());
    std::copy(theta.begin(), theta.end(), anchor_.data());
  }

 private:
  void pull() {
    const float rate = 2 * options_.learning_rate * own_.lambda;
    const std::span<float> theta = network_->weights();
    float* const now = theta.data();
    const float* const then = anchor_.data();
    const float* const importance = importance_.data();
    for (std::size_t k = 0; k < theta.size(); ++k)
      now[k] -= rate * importance[k] * (now[k] - then[k]);
  }

  void add_fisher(const Task& task) {
    constexpr std::size_t kRows = 64;
    std::vector<std::uint32_t> all(task.train.size());
    std::iota(all.begin(), all.end(), 0u);
    const float each = 1 / static_cast<float>(all.size());
    Batch batch;
    for (std::size_t first = 0; first < all.size(); first += kRows) {
      const auto rest = std::span(all).subspan(first);
      batch.gather(task, rest.first(std::min(kRows, rest.size())));
      const std::vector<float> shares = shares_of(batch);
      if (own_.fisher == Fisher::exact) {
        for (std::size_t c = 0; c < network_->classes(); ++c)
          add_squares(batch, std::vector<Label>(batch.size(), static_cast<Label>(c)), shares, each);
      } else {
        add_squares(batch, batch.labels, shares, each);
      }
    }
  }

  // Returns p(y|x) for each row and class; empty if the Fisher variant does not use it.
  std::vector<float> shares_of(const Batch& batch) {
    if (own_.fisher == Fisher::empirical) return {};
    const std::size_t classes = network_->classes();
    std::vector<float> shares(batch.size() * classes);
    network_->logits(batch.images, shares);
    for (std::size_t r = 0; r < batch.size(); ++r)
      softmax(std::span(shares).subspan(r * classes, classes));
    return shares;
  }

  // F += each · Σ_rows w ∇(-log p(label|x))², where w is p(label|x), or 1 without shares. Each
  // row's gradient is scaled by √w, so its square is scaled by w.
  void add_squares(const Batch& batch, std::span<const Label> labels, std::span<const float> shares,
                   float each) {
    std::vector<LossTerm> terms;
    for (std::size_t r = 0; r < batch.size(); ++r) {
      const float weight =
          shares.empty() ? 1 : std::sqrt(shares[r * network_->classes() + labels[r]]);
      terms.push_back({r, labels.subspan(r, 1), weight});
    }
    network_->example_gradients(batch.images, terms, *gradients_);
    gradients_->add_squares_to(each, importance_);
  }

  LearnerOptions options_;
  OewcOptions own_;
  std::unique_ptr<ExampleGradients> gradients_;
  AlignedFloats importance_;  // F, in the order of weights(); empty before the first task ends
  AlignedFloats anchor_;      // θ*, in the same order
  std::vector<float> factors_;
};

std::unique_ptr<Learner> make_oewc(const LearnerOptions& options,
                                   std::unique_ptr<Network> network) {
  return std::make_unique<Oewc>(options, std::move(network));
}

}  // namespace

LearnerEntry oewc() {
  LearnerEntry entry = {
      {"oewc", "oEWC",
       "No memory: pulls each weight to its value after earlier tasks, more strongly if they "
       "depend on it more (Schwarz et al. 2018).",
       oewc_options().rows()},
      /*replays=*/false,
      /*relative_cost=*/1.1,
      "none",
      /*learns_jointly=*/false,
      make_oewc};
  entry.why_not_lasting = "keeps two numbers for each weight, which do not grow with the classes";
  return entry;
}

}  // namespace gps
