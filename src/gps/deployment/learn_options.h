// How a deployed classifier learns: the options that are fixed when its state is made.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "gps/data/augmentation.h"
#include "gps/data/normalisation.h"
#include "gps/experiments/spec.h"

namespace gps {

// What a deployed classifier knows of the future: an unknown number of tasks, which may have new
// classes.
inline const Outlook kLearnOutlook = {.kind = "s-mnist", .tasks = 0, .is_split = true};

struct LearnOptions {
  Method method;          // its memory is the part that is replayed
  int memory = 500;       // images stored in all
  double held_out = 0.2;  // of them: kept to test on, and never trained on
  ImageShape shape;
  Normalisation normalisation;  // of the first task's training images, where the network wants one
  std::uint64_t seed = 0;
  int keep = 1;  // earlier versions of the state that are kept to go back to
};

// What the images of the memory are for.
struct Budget {
  std::size_t replay = 0;  // none for learners that do not replay
  std::size_t test = 0;
};
Budget budget_of(const LearnOptions& options);

// The defaults of a learner, its policy and a network: those of the paper for P-MNIST, with two
// exceptions. The learning rate is 0.03, and α of der and der++ is that of S-CIFAR-10 if the
// network is not an mlp. The policy is gps if the learner replays; the number of tasks is unknown.
// Throws UsageError for names that do not exist.
//
// Why α: a step moves the logits of a stored image by η (2α/C) ‖φ‖² times their error, φ being its
// features, and diverges where that is more than 2. The mlp has 100 features, convnet 1024 of
// images of 28 x 28.
LearnOptions learn_options(const std::string& learner, const std::string& policy = {},
                           const std::string& model = "mlp");

// Fills in what follows from the others (method.memory, …) and throws UsageError for what cannot
// be, before any work: learners that keep more than a memory and a network, policies that must know
// how many tasks there will be.
void settle(LearnOptions& options);

// The way to a file and back. A model of the user's own lies beside it, as kModelFile in `folder`.
inline constexpr const char* kModelFile = "model.pt";
nlohmann::json to_json(const LearnOptions& options);
LearnOptions learn_options_from(const nlohmann::json& json, const std::string& folder);

// Does the policy remember something between two tasks besides the memory?
bool has_lasting_state(const PolicyOptions& policy);

}  // namespace gps
