// The command line of `gpscl learn`: what makes a state, and what may change later.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "gps/data/images/image_listing.h"
#include "gps/deployment/learn_options.h"

namespace gps::cli {

struct LearnArguments {
  std::string state;
  std::string data;
  bool wants_help = false;
  bool wants_status = false;
  bool wants_history = false;
  bool wants_rollback = false;
  std::string evaluated;  // --evaluate: data to be tested on

  // When the state is made; later they may only be repeated.
  std::optional<std::string> model;
  std::optional<std::string> hidden;
  std::optional<int> width;
  std::optional<std::string> init;
  std::optional<std::string> precision;
  std::optional<std::string> image_size;
  std::optional<std::string> colour;
  std::optional<int> memory;
  std::optional<double> memory_mb;
  std::optional<double> held_out;
  std::optional<std::string> learner;
  std::optional<std::string> policy;
  std::optional<std::uint64_t> seed;
  // At any time, from then on.
  std::optional<int> epochs;
  std::optional<int> batch;
  std::optional<float> learning_rate;
  std::optional<int> keep;
  // For this call.
  std::string name;
  bool skips_bad = false;
  bool again = false;
  bool refuses_new_classes = false;
  bool does_not_wait = false;
  bool json = false;
  int jobs = 0;

  std::vector<std::string> options_given = {};  // names of all options that were given

  void add_to(CLI::App& command);

  // Throws UsageError for an option that means nothing with --status and the like.
  void check_mean_something() const;

  // Those of a new state, whose images these are, settled. Throws UsageError.
  LearnOptions for_new_state(const ImageListing& listing) const;

  // Changes what may change of a state that there is. Throws UsageError if something else is given
  // another value than it has.
  void change(LearnOptions& options) const;

 private:
  void set_lasting(LearnOptions& options) const;
};

// "--memory" for each option that is on the command line.
std::vector<std::string> given_options(const CLI::App& command);

}  // namespace gps::cli
