// Loss and accuracy of a task after later tasks, as a function of its ring size a_j (Figures 1 and
// 4 (a) of the paper, Appendix B), and after each later task (Figure 4 (b)).
//
// A run of the spec, whose policy is `mixed`, is followed up to the end of task j; the spec's
// ratios give a_1, …, a_{j-1}. There, for each ring size to be tried, GlobalSim
// (simulation/global_sim.h) builds M_j with it and learns the future. The future is either the real
// tasks j + 1, …, T (`offline`), which store half ring, half random (A32), or pseudo-tasks made
// from task j, which store random examples (section 5.3). All ring sizes share weights, held-back
// examples, future tasks, batches and draws. As in section 6.3, pseudo-tasks have as many examples
// and epochs as real ones, unless the options say otherwise.
//
// Task j is scored before the future begins and after each of its tasks, on two sets. The first
// consists of its training examples that are held back from all memories and pseudo-tasks; the
// search of gps uses these (A12). The second is its test set, which gives L^G_j of Eqn. 1. For task
// 1 and the same options, the first score is, bit for bit, what a run of gps records in its
// switching points.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "gps/experiments/spec/spec.h"
#include "gps/memory/plan.h"
#include "gps/probes/probe.h"

namespace gps {

// The scores of task j at one time. A loss is infinite if training has diverged.
struct TaskScore {
  double loss = 0;  // on the examples held back
  double accuracy = 0;
  double test_loss = 0;
  double test_accuracy = 0;
};

struct RingSizePoint {
  Plan plan = {};
  std::vector<TaskScore> path = {};  // after 0, 1, … future tasks
  // Mean over the test sets of all T tasks at the end: L^G/T of Eqn. 1. Set only if the future is
  // real and complete.
  std::optional<double> global_loss{};
  std::optional<double> global_accuracy{};

  const TaskScore& end() const { return path.back(); }
};

struct RingSizeCurve {
  std::size_t quota = 0;              // |M_jj|: the largest possible ring size
  std::vector<RingSizePoint> points;  // one for each ratio
  static RingSizeCurve from_json(const nlohmann::json& json);
};
nlohmann::json to_json(const RingSizeCurve& result);

struct RingSizeOptions {
  using Result = RingSizeCurve;
  static constexpr const char* kKind = "ring-size";

  Spec spec;     // policy `mixed`; its ratios are those of the earlier tasks
  int task = 1;  // j < T
  std::string future = "offline";
  std::vector<double> ratios = {0.5};  // a_j/|M_jj|, each in [0, 1]
  int epochs = 0;                      // of each future task; 0: as in the real run
  int examples = 0;                    // of each future task; 0: all
  int window = 0;                      // largest number of future tasks; 0: all
  int score_examples = 2000;           // held back; at most half of the task
};

// Returns `points` equally spaced ratios from 0 to 1. REQUIRES: points >= 2.
std::vector<double> even_ratios(int points);

void validate(const RingSizeOptions& options);  // throws UsageError
nlohmann::json to_json(const RingSizeOptions& options);

RingSizeCurve analyse(const RingSizeOptions& options, std::uint64_t seed,
                      const BenchmarkSource& source, Executor& executor,
                      const ProbeHooks& hooks = {});

// The measure of each point that a curve shows.
enum class Measure { loss, accuracy, test_loss, test_accuracy, global_loss, global_accuracy };
std::string name_of(Measure measure);  // "test-loss"
// Throws UsageError, listing the known names, for any other name.
Measure measure_from(const std::string& name);

// Returns one value for each point, after the whole future. Throws UsageError if the curve does not
// have this measure.
std::vector<double> values_of(const RingSizeCurve& curve, Measure measure);

}  // namespace gps
