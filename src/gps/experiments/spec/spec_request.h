// Makes the specs of a request: a stream, learners, policies and options as texts by flag. The
// preset comes first, then the options. `gpscl run`, sweeps, probes and the Python module use it;
// what is possible follows from the table of experiments/spec/spec_options.h.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "gps/experiments/spec/spec_options.h"

namespace gps {

// Thrown for an option that none of the chosen learners, policies and networks uses.
class Irrelevant : public OptionError {
 public:
  using OptionError::OptionError;
};

// Why something was refused.
struct Reason {
  explicit Reason(const UsageError& error);

  std::string flag;     // the option that causes it, if there is one
  std::string message;  // "`memory` must be at least 1, got 0"
  std::string problem;  // the same without the option: "must be at least 1, got 0"
};

// A learner and a policy that cannot be combined with each other or with the other options.
struct Impossible {
  std::string learner;
  std::string policy;  // as the user named it
  Reason reason;
};

// What a caller may leave out instead of refusing everything.
struct LeftOut {
  std::vector<Impossible> impossible;
  std::vector<Irrelevant> irrelevant;   // given options without effect
  std::set<std::string> defaults = {};  // by the caller: given options that may have no effect
};

inline constexpr const char* kUsualPreset = "paper";
inline constexpr const char* kUsualLearner = "er";

class SpecRequest {
 public:
  std::string benchmark;    // a name, or the path of the user's own images
  std::vector<Spec> bases;  // one per learner: the part that its specs share
  std::vector<std::string> learners = {kUsualLearner};
  std::vector<std::string> policies;         // empty: the default of each learner
  std::map<std::string, std::string> given;  // given options: text by flag, without dashes

  // What apply() chose for the user's own images because nothing else was given, for a person
  // (fit_to_data.h). Empty if everything was given, and for benchmarks.
  std::string chosen;

  // Inspects the user's own images; look_at_stream() if it is not set. Callers that show progress
  // or already know the result can replace it.
  std::function<OwnStream(const std::string& path, const OwnStreamOptions& asked)> look;

  bool was_given(const std::string& flag) const { return given.contains(flag); }

  // Applies the preset first and then the given options. Flags that belong neither to a spec nor to
  // the user's own images are ignored. Throws UsageError. If `left_out` is given, options without
  // effect are added to it instead of refused.
  void apply(const std::string& preset, LeftOut* left_out = nullptr);

  // Returns one validated spec for each learner and policy, in the order in which they were named.
  // Throws UsageError for an invalid combination or an option without effect. If `left_out` is
  // given, these are left out and added to it instead. REQUIRES: apply() was called.
  std::vector<Spec> specs(LeftOut* left_out = nullptr) const;

 private:
  BenchmarkOptions stream(LeftOut* left_out) const;
  std::vector<std::string> policies_for(const std::string& learner) const;
  bool policies_are_of_use() const;
  void check_policies_are_of_use(LeftOut* left_out) const;
  void check_variants() const;
  void leave_out_defaults(Spec& spec, const LeftOut& left_out) const;
  void check_relevance(std::vector<Spec>& specs, LeftOut* left_out) const;

  std::string preset_ = kUsualPreset;
};

// Throws UnknownName, which also says that a path is possible, unless there is such a benchmark.
void check_is_benchmark(const std::string& name);

}  // namespace gps
