// The options of `gpscl learn`, read and checked before any work starts. Those of a state come from
// the table of deployment/learn_rows.h; the command's own, such as --name, from tables here.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "gps/data/images/image_listing.h"
#include "gps/deployment/learn_rows.h"

namespace gps::cli {

// What only the command has.
struct LearnArguments {
  // What to do instead of learning.
  bool wants_status = false;
  bool wants_history = false;
  bool wants_rollback = false;
  std::string evaluated;  // --evaluate: data to be tested on
  std::string renamed;    // --rename: OLD=NEW
  std::string removed_class;
  bool wants_list = false;
  std::string images_folder;  // --images: where to write the stored images
  std::string erased;         // --erase: a hash, images, or a list of them
  // How a state is made; later they may only be repeated.
  double memory_mb = 0;  // 0: not given
  std::string image_size;
  std::string colour = "auto";
  // For this call.
  std::string name;
  bool skips_bad = false;
  bool again = false;
  bool plans = false;  // whether to try learning rates and lengths first
  // Whether to keep a version that falls short; without new data, the candidate.
  bool accepts = false;
  double least_accuracy = 0;   // --require-accuracy, a share
  double most_forgetting = 0;  // --max-forgetting, a share
  std::string gate;  // --gate: what to judge both limits by instead of the held-out images
  bool is_strict = false;
  bool relearns = false;        // --relearn, alone or with --erase
  std::string format = "text";  // of --list
  bool refuses_new_classes = false;
  bool does_not_wait = false;
  int jobs = 0;  // 0: one a core
  bool json = false;
};

// In the order of the members.
const OptionTable<LearnArguments>& learn_actions();
const OptionTable<LearnArguments>& learn_image_options();
const OptionTable<LearnArguments>& learn_call_options();

struct LearnRequest : LearnArguments {
  std::string state;
  std::string data;
  bool wants_help = false;
  bool wants_all_help = false;
  bool changes_options = false;  // there is nothing to learn, but options that may change are given
  bool accepts_candidate = false;  // there is nothing to learn, but --accept is given
  GivenTexts given;                // what the user said: text by flag, without dashes

  // Binds the options to a sub-command. The object must outlive the parsing.
  void add_to(CLI::App& command);

  bool was_given(const std::string& flag) const { return given.contains(flag); }

  // Returns the command line, as one would type it; options by name.
  std::string command() const;

  // After parsing: reads the command's own options. Throws UsageError, also for an option that has
  // no effect with --status and the like.
  void read_arguments();

  // Returns the options of a new state for these images, settled (gps::settle). Throws UsageError.
  LearnOptions for_new_state(const ImageListing& listing) const;

  // Changes what may change of a state that there is. Throws UsageError if something else is given
  // another value than it has.
  void change_state(LearnOptions& options) const;
};

// Every option of `gpscl learn`, in the order of the help.
std::vector<Option> all_learn_options();

// What fits a screen, and every option.
std::string learn_help();
std::string learn_help_all();

}  // namespace gps::cli
