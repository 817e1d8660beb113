// The options of `gpscl probe`: those of `gpscl run`, and those that only probes have.
#pragma once

#include <memory>

#include "gps/probes/ring_size_curve.h"
#include "run/run_options.h"

namespace gps::cli {

// The options that only probes have.
struct ProbeArguments {
  std::string task;
  int points = 11;
  std::string ratios;
  double at = 0.5;  // forgetting
  int after = 2;    // zero-shot
  int count = 5;    // difficulty, zero-shot
  std::string measure;
  std::string format = "text";
  bool again = false;  // --rerun
};
const OptionTable<ProbeArguments>& probe_arguments();

class ProbeOptions {
 public:
  explicit ProbeOptions(std::string kind_of_probe) : kind(std::move(kind_of_probe)) {}

  std::string kind;
  RunOptions run;
  ProbeArguments own;

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

  std::string futures_;
  std::vector<std::string> given_;  // the given options that only probes have
};

}  // namespace gps::cli
