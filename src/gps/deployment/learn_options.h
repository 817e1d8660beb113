// How a deployed classifier learns: the options that are fixed when its state is made.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "gps/data/augmentation.h"
#include "gps/data/normalisation.h"
#include "gps/data/usual_settings.h"
#include "gps/experiments/method.h"

namespace gps {

// What a deployed classifier knows about its stream: an unknown number of tasks, which may have new
// classes.
inline const Outlook kLearnOutlook = {.stream = "gpscl learn", .tasks = 0, .is_split = true};

struct LearnOptions {
  Method method;                   // method.memory is the replayed part of `memory`
  int memory = 500;                // total number of stored images
  std::uint64_t memory_bytes = 0;  // if not 0: as many images as fit into it
  double held_out = 0.2;           // share of them that is kept for tests and never trained on
  ImageShape shape;                // of the images
  int features = 0;  // of each image, if method.network has a backbone; 0: none, or not known yet
  Normalisation normalisation;  // of the first task's training images, if the network needs it
  std::uint64_t seed = 0;
  int keep = 1;       // number of earlier versions of the state that are kept for --rollback
  int keep_days = 0;  // stored images that are older than this leave the memory; 0: none does
  // Whether each call takes the epochs that fit the number of its images (data/usual_settings.h):
  // so until epochs or steps are given. States that earlier versions made have fixed epochs.
  bool fits_epochs = false;

  bool has_backbone() const { return !method.network.backbone.empty(); }

  // The shape of what is learnt and stored: images, or rows of features (data/features.h).
  // REQUIRES: `features` is set, if there is a backbone.
  ImageShape rows() const;
};

// The options that only a deployed classifier has: memory, held_out, seed, keep and keep_days.
// deployment/learn_rows.h adds those of its method.
const OptionTable<LearnOptions>& learn_table();

// The learners and policies that can learn any number of tasks and classes within a budget.
std::vector<std::string> deployable_learners();
std::vector<std::string> deployable_policies();

// How many stored images are for replay and how many for tests. Test images are stored as they are,
// because a coarse image would not show how the classifier fares on images that are not. If the
// budget is in bytes, `held_out` is a share of them.
struct Budget {
  std::size_t replay = 0;  // 0 for learners that do not replay
  std::size_t test = 0;
};
// Learners that store logits store one for each output of the network, so that with more outputs
// fewer images fit into a budget in bytes. Throws OptionError about `memory` if not even one does.
// REQUIRES: the shape of the images is set, if the budget is in bytes.
Budget budget_of(const LearnOptions& options, std::size_t outputs = 0);

// Returns the defaults of a learner, its policy and a network: paper_method() with the learning
// rate of data/usual_settings.h. The policy is gps if the learner replays; the number of tasks is
// unknown. A resnet18 is in our own kernels, because its logits of old classes then keep their bits
// when the head grows. Throws UsageError for names that do not exist.
LearnOptions learn_options(const std::string& learner, const std::string& policy = {},
                           const std::string& model = "mlp");

// The same, with all that fits the data, the network included unless facts.model names one.
LearnOptions learn_options_for(const DataFacts& facts, const std::string& policy);

// Fills in method.memory, which follows from the other options, and from the shape of the images if
// the budget is in bytes. Throws UsageError, before any work, for options that are not possible:
// learners that keep more than a memory and a network, policies that need to know the number of
// tasks or do not work with any number, policies whose slots are fixed where a budget in bytes
// holds fewer images with more classes, and, once the shape is set, a budget without room for an
// image and a codec that cannot store such images.
void settle(LearnOptions& options);

// Convert the options to JSON and back. A user's own model is beside the state, as kModelFile in
// `folder`, and a backbone as kBackboneFile.
inline constexpr const char* kModelFile = "model.pt";
inline constexpr const char* kBackboneFile = "backbone.pt";
nlohmann::json to_json(const LearnOptions& options);
// Throws DataError if the JSON is not that of valid options.
LearnOptions learn_options_from(const nlohmann::json& json, const std::string& folder);

// The largest height and width of images.
inline constexpr int kMostSide = 1024;

// Whether the policy remembers something between two tasks besides the memory.
bool has_lasting_state(const PolicyOptions& policy);

}  // namespace gps
