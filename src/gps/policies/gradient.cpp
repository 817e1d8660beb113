// Gradient-based sample selection (GSS-Greedy of Aljundi et al., "Gradient based sample selection
// for online continual learning", 2019). A score says how similar an example's gradient was to
// those of others when it was stored. A full memory replaces examples with high scores by new ones
// whose gradients point elsewhere.
//
// `mammoth` is what Mammoth does (Buzzega et al. 2020), and evidently what the paper used. A score
// is the largest cosine with `references` stored examples, plus 1, in [0, 2]. If the score of the
// whole batch is below 1, every example of it draws a slot with probability proportional to the
// stored scores s, and takes it with probability s/(s + its own score). While the memory fills,
// Mammoth gives all examples of a batch the batch's score; here each has its own.
//
// `greedy` is the authors' code. A score is the largest cosine with the summed gradients of ten
// stored batches (fewer while less is stored), in [-1, 1]. If the score of the whole batch is below
// 0, one slot for each of its examples is drawn without replacement, with probability proportional
// to (s - min s). Example k takes the k-th slot with probability s'/(s' + its own score), where
// both scores are mapped to [0, 1].
#include <algorithm>
#include <cassert>
#include <numeric>

#include "gps/memory/decoded_rows.h"
#include "gps/policies/parts/follows_memory.h"
#include "gps/policies/parts/gradient_similarity.h"
#include "gps/policies/watching.h"

namespace gps {
namespace {

constexpr double kFirstScore = 0.1;  // of examples stored when there was nothing to compare with
constexpr std::size_t kGreedyBatches = 10;

// Draws an index with probability proportional to its weight; uniformly if all weights are zero.
std::size_t draw(std::span<const double> weights, Rng& rng) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (!(total > 0)) return rng.index(weights.size());
  double left = rng.uniform() * total;
  std::size_t last = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    if (!(weights[k] > 0)) continue;
    last = k;
    left -= weights[k];
    if (left < 0) break;
  }
  return last;
}

bool wins(double stored, double offered, Rng& rng) {
  const double both = stored + offered;
  return rng.uniform() < (both > 0 ? stored / both : 0.5);
}

class Gradient final : public WatchingPolicy, public FollowsMemory {
 public:
  Gradient(GssVariant variant, std::size_t references)
      : variant_(variant), references_(references) {
    assert(references > 0);
  }

  void watch(Memory& memory, const Batch& batch, Learner& learner, Rng& rng) override {
    scores_.resize(memory.size(), kFirstScore);
    const bool is_first = memory.is_empty();
    GradientSimilarity found{std::vector<double>(batch.size(), 0), 0};
    if (!is_first) found = compare(memory, batch, network_of(learner), rng);

    std::vector<std::size_t> rest;  // rows that do not fit into the memory
    for (std::size_t row = 0; row < batch.size(); ++row) {
      if (memory.contains(batch.task, batch.ids[row])) continue;
      if (memory.size() == memory.capacity()) {
        rest.push_back(row);
        continue;
      }
      memory.add(memory.make_example(batch, row, Part::reservoir));
      scores_.push_back(is_first ? kFirstScore : score(found.of_each[row]));
    }
    if (is_first || found.of_all >= 0) return;
    if (variant_ == GssVariant::mammoth) {
      replace_one_by_one(memory, batch, rest, found, rng);
    } else {
      replace_together(memory, batch, rest, found, rng);
    }
  }

  void persist(Archive& archive) override { archive(scores_); }
  void follow(const Memory& /*memory*/, std::span<const std::size_t> kept) override {
    std::vector<double> left;
    for (const std::size_t slot : kept) left.push_back(scores_.at(slot));
    scores_ = std::move(left);
  }
  void take_over(const Memory& memory, const EarlierTasks& /*before*/) override {
    scores_.assign(memory.size(), kFirstScore);
  }

 private:
  double score(double cosine) const {
    return variant_ == GssVariant::mammoth ? cosine + 1 : cosine;
  }

  GradientSimilarity compare(const Memory& memory, const Batch& batch, Network& network, Rng& rng) {
    if (!now_) now_ = network.no_gradients();
    const LossTerm of_now{0, batch.labels, 1};
    network.example_gradients(batch.originals(), {&of_now, 1}, *now_);
    if (variant_ == GssVariant::mammoth) return compare_with_draw(memory, network, rng, 1);

    const std::size_t batches =
        std::min(kGreedyBatches, (memory.size() + references_ - 1) / references_);
    GradientSimilarity largest = compare_with_draw(memory, network, rng, references_);
    for (std::size_t n = 1; n < batches; ++n) {
      const GradientSimilarity next = compare_with_draw(memory, network, rng, references_);
      largest.of_all = std::max(largest.of_all, next.of_all);
      for (std::size_t k = 0; k < batch.size(); ++k) {
        largest.of_each[k] = std::max(largest.of_each[k], next.of_each[k]);
      }
    }
    return largest;
  }

  // Compares the batch with up to `references_` stored examples, drawn at random, in groups of
  // `group`.
  GradientSimilarity compare_with_draw(const Memory& memory, Network& network, Rng& rng,
                                       std::size_t group) {
    if (!stored_) stored_ = network.no_gradients();
    rng.distinct(std::min(references_, memory.size()), memory.size(), drawn_);
    images_.clear();
    std::vector<Label> labels;
    for (const std::uint32_t slot : drawn_) {
      images_.add(memory, memory[slot]);
      labels.push_back(memory[slot].label);
    }
    const LossTerm of_stored{0, labels, 1};
    network.example_gradients(images_.rows(), {&of_stored, 1}, *stored_);
    return similarity(*now_, *stored_, group);
  }

  void replace(Memory& memory, std::size_t slot, const Batch& batch, std::size_t row,
               double new_score) {
    memory.replace(slot, memory.make_example(batch, row, Part::reservoir));
    scores_[slot] = new_score;
  }

  void replace_one_by_one(Memory& memory, const Batch& batch, std::span<const std::size_t> rows,
                          const GradientSimilarity& found, Rng& rng) {
    for (const std::size_t row : rows) {
      const std::size_t slot = draw(scores_, rng);
      const double offered = score(found.of_each[row]);
      if (wins(scores_[slot], offered, rng)) replace(memory, slot, batch, row, offered);
    }
  }

  void replace_together(Memory& memory, const Batch& batch, std::span<const std::size_t> rows,
                        const GradientSimilarity& found, Rng& rng) {
    const double least = *std::min_element(scores_.begin(), scores_.end());
    std::vector<double> weights;
    std::vector<std::size_t> slots(scores_.size());  // slots not drawn yet
    std::iota(slots.begin(), slots.end(), std::size_t{0});
    for (const double s : scores_) weights.push_back(s - least);
    for (const std::size_t row : rows) {
      if (slots.empty()) return;
      const auto k = static_cast<std::ptrdiff_t>(draw(weights, rng));
      const std::size_t slot = slots[static_cast<std::size_t>(k)];
      slots.erase(slots.begin() + k);
      weights.erase(weights.begin() + k);
      const double offered = score(found.of_each[row]);
      if (wins((scores_[slot] + 1) / 2, (offered + 1) / 2, rng)) {
        replace(memory, slot, batch, row, offered);
      }
    }
  }

  GssVariant variant_;
  std::size_t references_;
  std::vector<double> scores_;  // of the stored examples, by slot
  std::vector<std::uint32_t> drawn_;
  DecodedRows images_;  // of `drawn_`
  std::unique_ptr<ExampleGradients> now_;
  std::unique_ptr<ExampleGradients> stored_;
};

}  // namespace

std::unique_ptr<MemoryPolicy> make_gradient(GssVariant variant, std::size_t references) {
  return std::make_unique<Gradient>(variant, references);
}

PolicyEntry gradient_policy() {
  struct Options {
    GssVariant variant = GssVariant::mammoth;
    int references = 10;
  };
  static const OptionTable<Options> table = {
      choice("gss_variant", &Options::variant,
             {{"mammoth", GssVariant::mammoth}, {"greedy", GssVariant::greedy}},
             "compare with stored examples, or with ten stored batches like the authors' code"),
      option("gss_batch", &Options::references,
             "stored examples to compare new ones with, in each step; greedy: examples in each of "
             "the ten batches")
          .at_least(1)
          // The paper has no GSS for TinyImageNet.
          .in_paper({{"s-cifar-10", "", 32}, {"s-cifar-100", "", 32}, {"tiny-imagenet", "", 32}}),
  };
  return {{"gradient", "GSS",
           "New examples whose gradients differ from those stored replace examples whose gradients "
           "do not (Aljundi et al. 2019).",
           table.rows()},
          [](const Settings& settings, const PolicyContext&) {
            const Options options = table.read(settings);
            return make_gradient(options.variant, static_cast<std::size_t>(options.references));
          },
          /*variants=*/{"gss_variant"},
          /*always_shows=*/false,
          /*has_lasting_state=*/true};
}

}  // namespace gps
