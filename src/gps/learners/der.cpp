// Dark experience replay (Buzzega et al., "Dark experience for general continual learning", 2020):
//   DER:    L_t(θ, P) + α E_M ‖f(x; θ) - z‖² / C,
//   DER++:  the same + β L_t(θ, M'), on a second, independent draw M' from the memory,
// where z are the logits that were stored with the example (DerLogits says when). All rows of a
// step go through the network in one pass.
#include <array>

#include "gps/learners/learner.h"
#include "gps/learners/replay_rows.h"

namespace gps {
namespace {

class Der final : public Learner {
 public:
  Der(const LearnerOptions& options, std::unique_ptr<Network> network)
      : options_(options), network_(std::move(network)) {}
  Der(const Der& other)
      : Learner(other), options_(other.options_), network_(other.network_->clone()) {}

  std::unique_ptr<Learner> clone() const override { return std::make_unique<Der>(*this); }
  Network& network() override { return *network_; }
  bool stores_logits() const override { return true; }

  void batch_logits(std::vector<float>& out) const override {
    out.clear();
    if (options_.der_logits == DerLogits::task_end) return;  // filled in when the task has ended
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
    const std::size_t labelled =
        options_.name == "der++" ? rows_.draw(past, options_.memory_batch, rng).size() : 0;
    const std::array<LossTerm, 3> terms = {{
        {0, rows_.labels(0, now.size()), 1},
        {now.size(), {}, options_.alpha, Loss::squared_error, targets_, classes},
        {second, rows_.labels(second, labelled), options_.beta},
    }};
    return network_->step(rows_.images(), std::span(terms), options_.learning_rate);
  }

 private:
  LearnerOptions options_;
  std::unique_ptr<Network> network_;
  ReplayRows rows_;
  std::vector<float> targets_;
  std::size_t batch_size_ = 0;
};

}  // namespace

std::unique_ptr<Learner> make_der(const LearnerOptions& options, std::unique_ptr<Network> network) {
  return std::make_unique<Der>(options, std::move(network));
}

}  // namespace gps
