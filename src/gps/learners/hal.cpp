// Hindsight Anchor Learning (Chaudhry et al., "Using hindsight to anchor past knowledge in
// continual learning", 2021): experience replay that also tries to keep the network's outputs for a
// few anchors. Anchors are synthetic images; each finished task adds one for each of its classes. A
// step is one update from θ,
//   θ_tmp = θ - lr ∇L(θ),   θ ← θ - lr ∇( L(θ) + λ mean (f(anchors; θ_tmp) - f(anchors; θ))² ),
// where L is the loss of experience replay (Eqn. 2 of the paper) and θ_tmp is held fixed. An anchor
// of class c is an image that the current network knows and that replay alone would forget:
//   argmin_x  -CE(x, c; θ_M) + CE(x, c; θ) + γ ‖features(x; θ) - φ_c‖²,
// where θ_M is fine-tuned on the memory, and φ_c is a decaying mean of the class's features.
// HalVariant lists the differences between the authors' code and Mammoth. Here the descent stays
// within [0, 1], and anchors are stored as bytes like all images; theirs may leave this range.
// Simulations keep the existing anchors and add none (A31).
#include <algorithm>
#include <cmath>

#include "gps/learners/network_learner.h"
#include "gps/learners/replay_terms.h"
#include "gps/memory/decoded_rows.h"
#include "gps/nn/network_options.h"

namespace gps {
namespace {

// How anchors are made.
enum class HalVariant {
  mean,     // start from the class's mean image, features pulled to the class's mean; θ_M by one
            // epoch over the memory: the default, as the authors' code does
  mammoth,  // start from noise, features pulled to the task's mean; θ_M by one step
};

constexpr const char* kDiverged =
    "the loss is no longer a finite number while hal makes anchors; try a smaller learning "
    "rate";

struct HalOptions {
  float lambda = 0.1f;
  float beta = 0.5f;
  float gamma = 0.1f;
  int anchor_steps = 100;
  HalVariant variant = HalVariant::mean;
};

const OptionTable<HalOptions>& hal_options() {
  static const OptionTable<HalOptions> table = {
      option("hal_lambda", &HalOptions::lambda, "weight of the anchors").at_least(0),
      option("hal_beta", &HalOptions::beta, "decay of the mean features that anchors are pulled to")
          .between(0, 1),
      option("hal_gamma", &HalOptions::gamma, "weight of that pull").at_least(0),
      option("anchor_steps", &HalOptions::anchor_steps, "steps that make an anchor").at_least(0),
      choice("hal_variant", &HalOptions::variant,
             {{"mean", HalVariant::mean}, {"mammoth", HalVariant::mammoth}},
             "anchors start as mean images, or as noise"),
  };
  return table;
}

class Hal final : public NetworkLearner {
 public:
  Hal(const LearnerOptions& options, std::unique_ptr<Network> network)
      : NetworkLearner(std::move(network)),
        options_(options),
        own_(hal_options().read(options.settings)),
        replay_(replay_options().read(options.settings)),
        gradients_(network_->no_gradients()),
        phi_(network_->classes() * network_->feature_size()),
        has_phi_(network_->classes(), false) {}
  Hal(const Hal& other)
      : NetworkLearner(other),
        options_(other.options_),
        own_(other.own_),
        replay_(other.replay_),
        gradients_(network_->no_gradients()),
        is_imagined_(other.is_imagined_),
        anchors_(other.anchors_),
        anchor_rows_(other.anchor_rows_),
        phi_(other.phi_),
        has_phi_(other.has_phi_) {}

  std::unique_ptr<Learner> clone() const override { return std::make_unique<Hal>(*this); }
  std::unique_ptr<Learner> imagine() const override {
    auto copy = std::make_unique<Hal>(*this);
    copy->is_imagined_ = true;
    return copy;
  }

  void persist(Archive& archive) override {
    NetworkLearner::persist(archive);
    archive.section("hal");
    archive(is_imagined_);
    archive.sized(has_phi_, network_->classes(), "hal's marks of mean features");
    archive.in_place(std::span(phi_));
    const std::size_t inputs = network_->inputs();
    std::vector<std::uint8_t> bytes;
    for (const StoredImage& anchor : anchors_)
      bytes.insert(bytes.end(), anchor.get(), anchor.get() + inputs);
    archive(bytes);
    if (!archive.is_reading()) return;
    Archive::require(bytes.size() % inputs == 0, "hal's anchors are not whole images");
    anchors_.clear();
    anchor_rows_.clear();
    for (std::size_t first = 0; first + inputs <= bytes.size(); first += inputs)
      keep_anchor(std::span(bytes).subspan(first, inputs));
  }

  void begin_task(const Task& /*task*/, const Memory& /*past*/, const Rng& /*rng*/) override {
    has_phi_.assign(has_phi_.size(), false);
  }

  double observe(const Batch& now, const Memory& past, Rng& rng) override {
    rows_.start(now);
    rows_.draw(past, options_.memory_batch, rng);
    const auto terms = replay_terms(rows_, now.size(), replay_);
    const double loss = anchors_.empty()
                            ? network_->step(rows_.images(), terms, options_.learning_rate)
                            : step_with_anchors(terms);
    if (!is_imagined_) follow_features(now);
    return loss;
  }

  void end_task(const Task& task, const Memory& memory, const Rng& rng) override {
    if (is_imagined_) return;
    const auto by_class = task.train.rows_by_class();
    std::vector<Label> labels;
    for (std::size_t c = 0; c < by_class.size(); ++c) {
      if (!by_class[c].empty()) labels.push_back(static_cast<Label>(c));
    }
    std::vector<float> images = own_.variant == HalVariant::mean
                                    ? mean_images(task.train, by_class)
                                    : noise(labels.size(), rng.fork("noise"));
    const std::unique_ptr<Network> later = fine_tuned(memory, rng.fork("fine-tune"));
    descend(images, labels, *later);
    store(images);
  }

 private:
  double step_with_anchors(std::span<const LossTerm> terms) {
    double loss = network_->gradients(rows_.images(), terms, *gradients_);
    const std::span<float> now = network_->weights();
    theta_.assign(now.begin(), now.end());
    factors_.assign(gradients_->size(), -options_.learning_rate);
    gradients_->add_to(factors_, now);  // θ_tmp
    targets_.resize(anchors_.size() * network_->classes());
    network_->training_logits(anchor_rows_, targets_);  // in training mode, as in the step below
    std::copy(theta_.begin(), theta_.end(), network_->weights().begin());
    const LossTerm change{.first = 0,
                          .labels = {},
                          .weight = own_.lambda,
                          .loss = Loss::squared_error,
                          .targets = targets_,
                          .target_size = network_->classes()};
    loss += network_->step(anchor_rows_, {&change, 1}, options_.learning_rate);
    gradients_->add_to(factors_, network_->weights());  // this gradient was also computed at θ
    return loss;
  }

  std::size_t group_of(Label label) const { return own_.variant == HalVariant::mean ? label : 0; }

  // φ ← β φ + (1 - β) (mean over the batch), for each class or for the whole task. The first batch
  // sets φ to its own mean.
  void follow_features(const Batch& now) {
    const std::size_t size = network_->feature_size();
    features_.resize(now.size() * size);
    network_->features(now.images, features_);
    sums_.assign(phi_.size(), 0.0f);
    counts_.assign(has_phi_.size(), 0.0f);
    for (std::size_t r = 0; r < now.size(); ++r) {
      const std::size_t group = group_of(now.labels[r]);
      ++counts_[group];
      for (std::size_t f = 0; f < size; ++f) sums_[group * size + f] += features_[r * size + f];
    }
    for (std::size_t group = 0; group < has_phi_.size(); ++group) {
      if (counts_[group] == 0) continue;
      const float decay = has_phi_[group] ? own_.beta : 0;
      for (std::size_t k = group * size; k < (group + 1) * size; ++k)
        phi_[k] = decay * phi_[k] + (1 - decay) * sums_[k] / counts_[group];
      has_phi_[group] = true;
    }
  }

  static std::vector<float> mean_images(const Dataset& data,
                                        const std::vector<std::vector<std::uint32_t>>& by_class) {
    const std::size_t bytes = data.shape().bytes();
    std::vector<std::uint8_t> scratch(bytes);
    std::vector<float> means;
    for (const auto& rows : by_class) {
      if (rows.empty()) continue;
      std::vector<std::uint64_t> sums(bytes);
      for (const std::uint32_t row : rows) {
        const std::uint8_t* image = data.image(row, scratch);
        for (std::size_t p = 0; p < bytes; ++p) sums[p] += image[p];
      }
      for (const std::uint64_t sum : sums)
        means.push_back(static_cast<float>(sum) / (255 * static_cast<float>(rows.size())));
    }
    return means;
  }

  std::vector<float> noise(std::size_t count, Rng rng) const {
    std::vector<float> images(count * network_->inputs());
    for (float& pixel : images) pixel = static_cast<float>(rng.uniform());
    return images;
  }

  // Returns θ_M: the network after one epoch over the memory, or after one step.
  std::unique_ptr<Network> fine_tuned(const Memory& memory, Rng rng) const {
    std::unique_ptr<Network> later = network_->clone();
    const auto batch = static_cast<std::size_t>(options_.memory_batch);
    const auto order = rng.permutation(memory.size());
    const bool is_epoch = own_.variant == HalVariant::mean;
    const std::size_t end = is_epoch ? order.size() : std::min(batch, order.size());
    DecodedRows images;
    std::vector<Label> labels;
    for (std::size_t first = 0; first < end; first += batch) {
      images.clear();
      labels.clear();
      for (std::size_t k = first; k < std::min(first + batch, end); ++k) {
        images.add(memory, memory[order[k]]);
        labels.push_back(memory[order[k]].label);
      }
      const LossTerm loss{0, labels, 1};
      if (!std::isfinite(later->step(images.rows(), {&loss, 1}, options_.learning_rate)))
        throw Diverged(kDiverged);
    }
    return later;
  }

  void descend(std::vector<float>& images, std::span<const Label> labels, Network& later) {
    const std::size_t size = network_->feature_size();
    std::vector<float> phi;
    for (const Label label : labels) {
      const auto from = phi_.begin() + static_cast<std::ptrdiff_t>(group_of(label) * size);
      phi.insert(phi.end(), from, from + static_cast<std::ptrdiff_t>(size));
    }
    // A term is a mean over its rows, but each anchor descends its own loss: multiply by their
    // number.
    const auto rows = static_cast<float>(labels.size());
    const LossTerm forgotten{0, labels, -rows};
    const std::array<LossTerm, 2> known = {
        {{0, labels, rows}, {0, {}, own_.gamma * rows, Loss::feature_distance, phi, size}}};
    std::vector<float> of_later(images.size());
    std::vector<float> of_now(images.size());
    for (int step = 0; step < own_.anchor_steps; ++step) {
      later.input_gradient(images, {&forgotten, 1}, of_later);
      network_->input_gradient(images, known, of_now);
      for (std::size_t k = 0; k < images.size(); ++k) {
        const float moved = images[k] - options_.learning_rate * (of_later[k] + of_now[k]);
        images[k] = std::clamp(moved, 0.0f, 1.0f);
      }
    }
    // The last step of fine-tuning may have diverged without a further loss to show it. A pixel
    // that is NaN stays NaN.
    if (std::any_of(images.begin(), images.end(), [](float pixel) { return std::isnan(pixel); }))
      throw Diverged(kDiverged);
  }

  void store(std::span<const float> images) {
    std::vector<std::uint8_t> bytes(network_->inputs());
    for (std::size_t first = 0; first < images.size(); first += bytes.size()) {
      for (std::size_t p = 0; p < bytes.size(); ++p)
        bytes[p] = static_cast<std::uint8_t>(std::lround(255 * images[first + p]));
      keep_anchor(bytes);
    }
  }

  void keep_anchor(std::span<const std::uint8_t> bytes) {
    anchors_.push_back(store_image(bytes));
    anchor_rows_.push_back(anchors_.back().get());
  }

  LearnerOptions options_;
  HalOptions own_;
  ReplayOptions replay_;
  std::unique_ptr<ExampleGradients> gradients_;
  bool is_imagined_ = false;
  std::vector<StoredImage> anchors_;
  std::vector<const std::uint8_t*> anchor_rows_;
  std::vector<float> phi_;  // [class][feature]; for `mammoth` the first row is the task's
  std::vector<bool> has_phi_;

  ReplayRows rows_;  // this and all below: storage that is kept from step to step
  std::vector<float> theta_;
  std::vector<float> factors_;
  std::vector<float> targets_;
  std::vector<float> features_;
  std::vector<float> sums_;
  std::vector<float> counts_;
};

std::unique_ptr<Learner> make_hal(const LearnerOptions& options, std::unique_ptr<Network> network) {
  return std::make_unique<Hal>(options, std::move(network));
}

}  // namespace

LearnerEntry hal() {
  LearnerEntry entry = {
      {"hal", "HAL",
       "Experience replay that also keeps the outputs for anchors: images made at the end of "
       "each task, one for each class (Chaudhry et al. 2021).",
       hal_options().rows() + replay_options().rows()},
      /*replays=*/true,
      /*relative_cost=*/7.6,
      "reservoir",
      /*learns_jointly=*/false,
      make_hal,
      [](const LearnerContext& context) {
        if (context.network.model == "mlp" && context.network.hidden.empty())
          throw OptionError("hidden", "must not be none: learner 'hal' needs features");
        if (!context.network.backbone.empty())
          throw OptionError("backbone", "cannot be used with learner 'hal', which makes images");
      }};
  entry.why_not_lasting = "keeps anchors of every class of every task beside the memory";
  return entry;
}

}  // namespace gps
