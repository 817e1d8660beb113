// The command line of `gpscl learn`: the options that define a state, and those that may change
// later.
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
  std::string evaluated;  // --evaluate: the data to test on

  // Set when the state is made; later calls may only repeat the same values.
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
  // May change in any call; the new value is kept.
  std::optional<int> epochs;
  std::optional<int> batch;
  std::optional<float> learning_rate;
  std::optional<int> keep;
  // For this call only.
  std::string name;
  bool skips_bad = false;
  bool again = false;
  bool refuses_new_classes = false;
  bool does_not_wait = false;
  bool json = false;
  int jobs = 0;

  std::vector<std::string> options_given = {};  // names of all given options

  void add_to(CLI::App& command);

  // Throws UsageError for an option that has no effect together with --status, --history,
  // --rollback or --evaluate.
  void check_mean_something() const;

  // Returns the options of a new state for these images, settled (gps::settle). Throws UsageError.
  LearnOptions for_new_state(const ImageListing& listing) const;

  // Changes the options of an existing state that may change. Throws UsageError if another option
  // is given a value that differs from the state's.
  void change(LearnOptions& options) const;

 private:
  void set_lasting(LearnOptions& options) const;
};

// Returns the name of each option on the command line, such as "--memory".
std::vector<std::string> given_options(const CLI::App& command);

}  // namespace gps::cli
