// The options of `gpscl probe`: those of `gpscl run`, and some of its own.
#pragma once

#include <memory>

#include "gps/probes/ring_size_curve.h"
#include "run/run_options.h"

namespace gps::cli {

class ProbeOptions {
 public:
  explicit ProbeOptions(std::string kind_of_probe) : kind(std::move(kind_of_probe)) {}

  std::string kind;
  RunOptions run;
  std::string format = "text";
  bool again = false;  // --rerun
  int after = 2;       // zero-shot
  int count = 5;       // difficulty, zero-shot

  // Binds the options to the sub-command of this kind. The object must outlive the parsing.
  void add_to(CLI::App& command);

  // After parsing: reads all of them. Throws UsageError.
  void resolve(const CLI::App& command);

  // The tasks that --task names, or the first `most` before the last.
  std::vector<int> tasks(int most) const;
  // The futures that --future names, or these.
  std::vector<std::string> futures(const std::vector<std::string>& otherwise) const;
  Measure measure(Measure otherwise) const;
  double at() const;  // forgetting: ring ratio of the task

  // The specs of the options, each with its policy, as `gpscl run` would have them.
  std::vector<Spec> specs(const std::vector<std::string>& policies = {});
  // One curve for each future and task, and its label.
  struct Curves {
    std::vector<RingSizeOptions> options;
    std::vector<std::string> labels;
  };
  Curves curves(const std::vector<int>& tasks, const std::vector<std::string>& futures,
                const std::vector<double>& ratios);
  // What --points or --ratios say: eleven from none to all.
  std::vector<double> ratios() const;

  bool was_given(const std::string& option) const;
  // Throws UsageError if the option was given, which this probe does not look at.
  void refuse(const std::vector<std::string>& options) const;

 private:
  void forget(const std::vector<std::string>& options);

  std::string task_;
  std::string futures_;
  std::string ratios_;
  std::string measure_;
  int points_ = 11;
  double at_ = 0.5;
  std::vector<std::string> own_;  // of its own options: those that were given
};

}  // namespace gps::cli
