// The options of `gpscl probe`: those of `gpscl run`, and those that only probes have.
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

  // Reads all options. To be called after parsing. Throws UsageError.
  void resolve(const CLI::App& command);

  // Returns the tasks that --task names. By default these are the first `most` tasks, without the
  // last task of the stream.
  std::vector<int> tasks(int most) const;
  // Returns the futures that --future names, or `otherwise` if it was not given.
  std::vector<std::string> futures(const std::vector<std::string>& otherwise) const;
  Measure measure(Measure otherwise) const;
  double at() const;  // forgetting: ring ratio of the task

  // Returns the specs of the options, one for each policy, as `gpscl run` would make them.
  std::vector<Spec> specs(const std::vector<std::string>& policies = {});
  // One curve for each future and task, with its label.
  struct Curves {
    std::vector<RingSizeOptions> options;
    std::vector<std::string> labels;
  };
  Curves curves(const std::vector<int>& tasks, const std::vector<std::string>& futures,
                const std::vector<double>& ratios);
  // Returns the ratios that --points or --ratios define. By default there are eleven, from 0 to 1.
  std::vector<double> ratios() const;

  bool was_given(const std::string& option) const;
  // Throws UsageError if one of these options was given, because this probe does not use it.
  void refuse(const std::vector<std::string>& options) const;

 private:
  void forget(const std::vector<std::string>& options);

  std::string task_;
  std::string futures_;
  std::string ratios_;
  std::string measure_;
  int points_ = 11;
  double at_ = 0.5;
  std::vector<std::string> own_;  // the given options that only probes have
};

}  // namespace gps::cli
