// iCaRL (Rebuffi et al., "iCaRL: incremental classifier and representation learning", 2017) for
// streams whose tasks bring new classes. Each output is a binary classifier of its own. The loss is
// the mean over rows and classes of the sigmoid cross entropy, plus weight_decay · Σ θ², with the
// targets
//   σ(old network's logit)  for classes of earlier tasks; the old network is a copy made when the
//                           last task ended,
//   one-hot label           for the other classes,
// for exemplars as for new examples. The prediction is the class with the nearest mean of
// exemplars; all features and means are scaled to length 1. Mammoth appends the exemplars to the
// task's examples. Here each step draws memory_batch of them from the memory, so that this learner
// works with every policy. Means are not averaged with those of mirrored exemplars. The loss that a
// step returns does not include weight decay.
#include <fmt/format.h>

#include <cmath>

#include "gps/learners/network_learner.h"
#include "gps/learners/replay_rows.h"
#include "gps/memory/decoded_rows.h"

namespace gps {
namespace {

// Below every possible score: the squared distance of two points on the unit sphere is at most 4.
constexpr float kNoMean = -5;

float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

void normalise(std::span<float> values) {
  float sum = 0;
  for (const float value : values) sum += value * value;
  if (sum == 0) return;
  for (float& value : values) value /= std::sqrt(sum);
}

struct IcarlOptions {
  float weight_decay = 0;
};

const OptionTable<IcarlOptions>& icarl_options() {
  static const OptionTable<IcarlOptions> table = {
      option("weight_decay", &IcarlOptions::weight_decay, "weight of the sum of squared weights")
          .at_least(0)
          .in_paper({{"s-cifar-100", "", 1e-5}, {"tiny-imagenet", "", 1e-5}}),
  };
  return table;
}

class Icarl final : public NetworkLearner {
 public:
  Icarl(const LearnerOptions& options, std::unique_ptr<Network> network)
      : NetworkLearner(std::move(network)),
        options_(options),
        own_(icarl_options().read(options.settings)),
        is_past_(network_->classes(), false),
        has_mean_(network_->classes(), false),
        means_(network_->classes() * network_->feature_size()) {}
  Icarl(const Icarl& other)
      : NetworkLearner(other),
        options_(other.options_),
        own_(other.own_),
        old_(other.old_ ? other.old_->clone() : nullptr),
        is_past_(other.is_past_),
        has_mean_(other.has_mean_),
        means_(other.means_),
        is_imagined_(other.is_imagined_),
        knows_last_(other.knows_last_),
        last_real_task_(other.last_real_task_) {}

  std::unique_ptr<Learner> clone() const override { return std::make_unique<Icarl>(*this); }

  // Pseudo-tasks have the labels of the task that has just ended (A14). These must be learnt again,
  // not distilled, and the stored examples of pseudo-tasks must not enter the means of the real
  // classes.
  std::unique_ptr<Learner> imagine() const override {
    auto copy = std::make_unique<Icarl>(*this);
    copy->is_imagined_ = true;
    return copy;
  }

  void persist(Archive& archive) override {
    NetworkLearner::persist(archive);
    archive.section("icarl");
    archive.sized(is_past_, network_->classes(), "icarl's list of old classes");
    archive.sized(has_mean_, network_->classes(), "icarl's list of classes with a mean");
    archive(is_imagined_, knows_last_, last_real_task_);
    archive.in_place(std::span(means_));
    bool has_old = old_ != nullptr;
    archive(has_old);
    if (archive.is_reading()) old_ = has_old ? network_->clone() : nullptr;
    if (old_) old_->persist(archive);
  }

  double observe(const Batch& now, const Memory& past, Rng& rng) override {
    rows_.start(now);
    rows_.draw(past, options_.memory_batch, rng);
    set_targets();
    const LossTerm loss{0, {}, 1, Loss::sigmoid_cross_entropy, targets_, network_->classes()};
    if (own_.weight_decay == 0)
      return network_->step(rows_.images(), {&loss, 1}, options_.learning_rate);
    const double value = network_->accumulate(rows_.images(), {&loss, 1});
    const float kept = 1 - 2 * options_.learning_rate * own_.weight_decay;
    for (float& weight : network_->weights()) weight *= kept;
    network_->descend(options_.learning_rate);
    return value;
  }

  void end_task(const Task& task, const Memory& memory, const Rng& /*rng*/) override {
    if (!is_imagined_) {
      for (std::size_t i = 0; i < task.train.size(); ++i) is_past_[task.train.label(i)] = true;
    }
    // In a simulation, the first task to end is the real one whose memory is being decided.
    if (!is_imagined_ || !knows_last_) last_real_task_ = task.number;
    knows_last_ = is_imagined_;
    old_ = network_->clone();
    find_means(memory);
  }

  void scores(ImageRows images, std::span<float> out) override {
    if (std::find(has_mean_.begin(), has_mean_.end(), true) == has_mean_.end()) {
      network_->logits(images, out);
      return;
    }
    const std::size_t classes = network_->classes();
    const std::size_t size = network_->feature_size();
    const std::vector<float> features = directions(images);
    for (std::size_t r = 0; r < images.size(); ++r) {
      for (std::size_t c = 0; c < classes; ++c) {
        float distance = 0;
        for (std::size_t f = 0; f < size; ++f) {
          const float difference = features[r * size + f] - means_[c * size + f];
          distance += difference * difference;
        }
        out[r * classes + c] = has_mean_[c] ? -distance : kNoMean;
      }
    }
  }

 private:
  void set_targets() {
    const std::size_t classes = network_->classes();
    targets_.resize(rows_.size() * classes);
    if (old_) old_->logits(rows_.images(), targets_);
    const auto labels = rows_.labels(0, rows_.size());
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      for (std::size_t c = 0; c < classes; ++c) {
        float& target = targets_[r * classes + c];
        const float one_hot = labels[r] == c ? 1 : 0;
        target = is_past_[c] ? sigmoid(target) : one_hot;
      }
    }
  }

  // Returns the features of the images, scaled to length 1.
  std::vector<float> directions(ImageRows images) {
    const std::size_t size = network_->feature_size();
    std::vector<float> features(images.size() * size);
    network_->features(images, features);
    for (std::size_t r = 0; r < images.size(); ++r)
      normalise(std::span(features).subspan(r * size, size));
    return features;
  }

  void find_means(const Memory& memory) {
    std::vector<std::size_t> slots;
    for (std::size_t slot = 0; slot < memory.size(); ++slot) {
      if (memory[slot].task <= last_real_task_) slots.push_back(slot);
    }
    const std::size_t size = network_->feature_size();
    means_.assign(means_.size(), 0.0f);
    has_mean_.assign(has_mean_.size(), false);
    for_decoded(memory, slots, [&](std::size_t first, ImageRows images) {
      const std::vector<float> features = directions(images);
      for (std::size_t k = 0; k < images.size(); ++k) {
        const Label label = memory[slots[first + k]].label;
        has_mean_[label] = true;
        for (std::size_t f = 0; f < size; ++f) means_[label * size + f] += features[k * size + f];
      }
    });
    // The sum is enough, because it has the direction of the mean.
    for (std::size_t c = 0; c < has_mean_.size(); ++c)
      normalise(std::span(means_).subspan(c * size, size));
  }

  LearnerOptions options_;
  IcarlOptions own_;
  std::unique_ptr<Network> old_;  // null in the first task
  std::vector<bool> is_past_;     // by class: whether it was in an earlier task
  std::vector<bool> has_mean_;    // by class
  std::vector<float> means_;      // [class][feature]
  bool is_imagined_ = false;
  bool knows_last_ = false;  // whether an imagined copy has seen the last real task end
  int last_real_task_ = 0;   // the means use examples of tasks up to this one

  ReplayRows rows_;  // this and the next: storage that is kept from step to step
  std::vector<float> targets_;
};

std::unique_ptr<Learner> make_icarl(const LearnerOptions& options,
                                    std::unique_ptr<Network> network) {
  return std::make_unique<Icarl>(options, std::move(network));
}

}  // namespace

LearnerEntry icarl() {
  return {
      {"icarl", "iCaRL",
       "For tasks with new classes: keeps the outputs of the previous network for the old classes, "
       "and predicts the class with the nearest mean of exemplars (Rebuffi et al. 2017).",
       icarl_options().rows()},
      /*replays=*/true,
      /*relative_cost=*/1.5,
      "herding",
      /*learns_jointly=*/false,
      make_icarl,
      [](const LearnerContext& context) {
        if (context.is_split) return;
        throw UsageError(
            fmt::format("learner 'icarl' needs tasks with new classes, but all tasks of {} have "
                        "the same classes; try s-mnist",
                        context.stream));
      },
      /*learns_at_task_end=*/false,
      /*predicts_by_memory=*/true,
      /*needs_new_classes=*/true};
}

}  // namespace gps
