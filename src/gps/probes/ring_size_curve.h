// What becomes of a task, as a function of its ring size a_j (Figures 1 and 4 (a) of the paper,
// Appendix B), and how it gets there (Figure 4 (b)).
//
// A run of the spec, whose policy is `mixed`, is followed up to the end of task j: a_1, …, a_{j-1}
// are what the spec's ratios say. There, for each ring size to be tried, GlobalSim
// (simulation/global_sim.h) builds M_j with it and learns the future: the real tasks j + 1, …, T
// (`offline`), which store half ring, half random (A32), or pseudo-tasks made of task j, which
// store random examples (section 5.3). Ring sizes share everything but themselves: weights,
// examples held back, tasks to come, batches and draws. As in section 6.3, pseudo-tasks have all
// the examples and epochs that real ones have, unless told otherwise.
//
// Task j is scored before the future begins and after each of its tasks, twice: on its training
// examples that are held back from all memories and pseudo-tasks, which is what the search of gps
// sees (A12), and on its test set, which is L^G_j of Eqn. 1. For task 1, and the same options, the
// first score is to the bit what a run of gps records in its switching points.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "gps/experiments/spec.h"
#include "gps/probes/probe.h"

namespace gps {

// Task j at one time. A loss is infinite where the network is broken.
struct TaskScore {
  double loss = 0;  // on the examples held back
  double accuracy = 0;
  double test_loss = 0;
  double test_accuracy = 0;
};

struct RingSizePoint {
  std::size_t ring_size = 0;
  std::vector<TaskScore> path;  // after 0, 1, … tasks of the future
  // Mean over the test sets of all T tasks in the end: L^G/T of Eqn. 1. Only where the future is
  // real and whole.
  std::optional<double> global_loss{};
  std::optional<double> global_accuracy{};

  const TaskScore& end() const { return path.back(); }
};

struct RingSizeCurve {
  std::size_t quota = 0;              // |M_jj|: the largest ring size there is
  std::vector<RingSizePoint> points;  // one for each ratio
  static RingSizeCurve from_json(const nlohmann::json& json);
};
nlohmann::json to_json(const RingSizeCurve& result);

struct RingSizeOptions {
  using Result = RingSizeCurve;
  static constexpr const char* kKind = "ring-size";

  Spec spec;     // policy `mixed`: its ratios are those of the tasks before
  int task = 1;  // j < T
  std::string future = "offline";
  std::vector<double> ratios = {0.5};  // a_j/|M_jj|, each in [0, 1]
  int epochs = 0;                      // of each task to come; 0: as in reality
  int examples = 0;                    // likewise; 0: all
  int window = 0;                      // tasks to come, at most; 0: all
  int score_examples = 2000;           // held back, at most half of the task
};

// `points` ratios from 0 to 1 at equal distances. REQUIRES: points >= 2.
std::vector<double> even_ratios(int points);

void validate(const RingSizeOptions& options);  // throws UsageError
nlohmann::json to_json(const RingSizeOptions& options);

RingSizeCurve analyse(const RingSizeOptions& options, std::uint64_t seed,
                      const BenchmarkSource& source, Executor& executor,
                      const ProbeHooks& hooks = {});

// What of a point a curve is drawn of.
enum class Measure { loss, accuracy, test_loss, test_accuracy, global_loss, global_accuracy };
std::string name_of(Measure measure);  // "test-loss"
// Throws UsageError listing the known ones.
Measure measure_from(const std::string& name);

// One value a point, after the whole future. Throws UsageError where the curve has no such measure.
std::vector<double> values_of(const RingSizeCurve& curve, Measure measure);

}  // namespace gps
