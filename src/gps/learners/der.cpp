// Dark experience replay (Buzzega et al., "Dark experience for general continual learning", 2020):
//   DER:    L_t(θ, P) + α E_M ‖f(x; θ) - z‖² / C,
//   DER++:  the same + β L_t(θ, M'), on a second, independent draw M' from the memory,
// where z are the logits stored with the example (DerLogits says when they are computed). All rows
// of a step go through the network in one pass.
#include <array>
#include <optional>

#include "gps/learners/network_learner.h"
#include "gps/learners/replay_rows.h"
#include "gps/learners/stored_logits.h"

namespace gps {
namespace {

// When the logits that DER replays are computed.
enum class DerLogits {
  step,      // before the step in which the example is stored (A30); at the end of its task if
             // the memory is built then
  task_end,  // always at the end of the example's task (Avalanche)
};

struct DerOptions {
  float alpha = 0.5f;
  DerLogits logits = DerLogits::step;
};

const OptionTable<DerOptions>& der_options() {
  static const OptionTable<DerOptions> table = {
      option("alpha", &DerOptions::alpha, "weight of the logits' squared error")
          .at_least(0)
          .in_paper({{"s-cifar-10", "der++", 0.1},
                     {"s-cifar-10", "der", 0.3},
                     {"s-cifar-100", "", 0.5},
                     {"tiny-imagenet", "", 0.1},
                     {"", "der++", 1.0}}),
      choice("der_logits", &DerOptions::logits,
             {{"step", DerLogits::step}, {"task-end", DerLogits::task_end}},
             "when the replayed logits are computed: when an example is stored, or at the end of "
             "its task"),
  };
  return table;
}

struct SecondDraw {
  float beta = 0.5f;
};

const OptionTable<SecondDraw>& second_draw() {
  static const OptionTable<SecondDraw> table = {
      option("beta", &SecondDraw::beta, "weight of the memory's cross entropy").at_least(0),
  };
  return table;
}

class Der final : public NetworkLearner {
 public:
  // DER++ if `second` is set, otherwise DER.
  Der(const LearnerOptions& options, std::optional<SecondDraw> second,
      std::unique_ptr<Network> network)
      : NetworkLearner(std::move(network)),
        options_(options),
        own_(der_options().read(options.settings)),
        second_(second) {}
  Der(const Der& other)
      : NetworkLearner(other), options_(other.options_), own_(other.own_), second_(other.second_) {}

  std::unique_ptr<Learner> clone() const override { return std::make_unique<Der>(*this); }
  bool stores_logits() const override { return true; }

  void batch_logits(std::vector<float>& out) const override {
    out.clear();
    if (own_.logits == DerLogits::task_end) return;  // they are stored when the task ends
    for (std::size_t row = 0; row < batch_size_; ++row) {
      const std::span<const float> logits = network_->row_logits(row);
      out.insert(out.end(), logits.begin(), logits.end());
    }
  }

  double observe(const Batch& now, const Memory& past, Rng& rng) override {
    batch_size_ = now.size();
    rows_.start(now);
    targets_.clear();
    const std::size_t classes = network_->classes();
    rows_.draw_with_logits(past, options_.memory_batch, rng, classes, targets_);
    const std::size_t second = rows_.size();
    const std::size_t labelled = second_ ? rows_.draw(past, options_.memory_batch, rng).size() : 0;
    const std::array<LossTerm, 3> terms = {{
        {0, rows_.labels(0, now.size()), 1},
        {now.size(), {}, own_.alpha, Loss::squared_error, targets_, classes},
        {second, rows_.labels(second, labelled), second_.value_or(SecondDraw{}).beta},
    }};
    return network_->step(rows_.images(), std::span(terms), options_.learning_rate);
  }

 private:
  LearnerOptions options_;
  DerOptions own_;
  std::optional<SecondDraw> second_;
  ReplayRows rows_;
  std::vector<float> targets_;
  std::size_t batch_size_ = 0;
};

std::unique_ptr<Learner> make_der(const LearnerOptions& options, std::unique_ptr<Network> network) {
  return std::make_unique<Der>(options, std::nullopt, std::move(network));
}

std::unique_ptr<Learner> make_der_plus_plus(const LearnerOptions& options,
                                            std::unique_ptr<Network> network) {
  return std::make_unique<Der>(options, second_draw().read(options.settings), std::move(network));
}

}  // namespace

LearnerEntry der() {
  return {{"der", "DER",
           "Dark experience replay: stores the logits with the examples and matches them in "
           "squared error (Buzzega et al. 2020).",
           der_options().rows() + stored_logits_options().rows()},
          /*replays=*/true,
          /*relative_cost=*/1,
          "reservoir",
          /*learns_jointly=*/false,
          make_der};
}

LearnerEntry der_plus_plus() {
  return {{"der++", "DER++",
           "DER plus the cross entropy of a second draw from memory (Buzzega et al. 2020).",
           der_options().rows() + second_draw().rows() + stored_logits_options().rows()},
          /*replays=*/true,
          /*relative_cost=*/1.4,
          "reservoir",
          /*learns_jointly=*/false,
          make_der_plus_plus};
}

}  // namespace gps
