#include "gps/experiments/spec/fit_to_data.h"

#include <fmt/format.h>

#include <algorithm>

#include "gps/data/images/image_listing.h"
#include "gps/nn/torch/torch_backend.h"

namespace gps {
namespace {

// Returns the training images of all tasks.
std::size_t training_images(const BenchmarkOptions& stream) {
  const OwnStream& own = *stream.own;
  const auto all = static_cast<double>(own.images);
  if (own.test_fraction > 0) return static_cast<std::size_t>(all * (1 - own.test_fraction));
  constexpr double kUsualShare = 0.8;
  try {
    std::size_t count = 0;
    for (const ImageFile& file : list_images(stream.name).files) {
      if (file.split != Split::test) ++count;
    }
    if (count > 0) return count;
  } catch (const std::exception&) {
    // IDX files, for example.
  }
  return static_cast<std::size_t>(all * kUsualShare);
}

// Returns the epochs of a task with very many images.
int fewest_epochs(const UsualSettings& settings) {
  constexpr std::size_t kVeryMany = 1'000'000'000;
  return usual_epochs(settings.model, kVeryMany, settings.batch);
}

bool has_weight_of_logits(const std::string& learner) {
  return learner == "der" || learner == "der++";
}

}  // namespace

bool has_libtorch() {
  try {
    torch_backend();
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

DataFacts facts_of(const BenchmarkOptions& stream, const std::string& learner,
                   const std::string& model) {
  DataFacts facts;
  facts.image = stream.own->shape;
  facts.classes = stream.own->classes;
  const auto tasks = std::max<std::size_t>(1, stream.own->classes_of_tasks.size());
  facts.images = std::max<std::size_t>(1, training_images(stream) / tasks);
  facts.learner = learner;
  facts.model = model;
  if (model.empty() && wants_convolutions(facts)) facts.has_libtorch = has_libtorch();
  return facts;
}

void fit(Method& method, const UsualSettings& settings) {
  NetworkOptions& network = method.network;
  network.model = settings.model;
  if (settings.width > 0) network.width = settings.width;
  LearnerOptions& learner = method.learner;
  if (learner.name != "ogd") learner.learning_rate = settings.learning_rate;
  method.training = {settings.epochs, settings.batch};
  learner.memory_batch = settings.batch;
  if (has_weight_of_logits(learner.name)) set_if_any(learner, "alpha", settings.alpha);
}

std::optional<UsualSettings> fit_to_data(Spec& spec, const std::string& model) {
  if (spec.benchmark.own) {
    const DataFacts facts = facts_of(spec.benchmark, spec.learner.name, model);
    const UsualSettings settings = usual_settings(facts);
    fit(spec, settings);
    // A task may have far fewer images than the mean, and passes over them would be too few steps.
    if (settings.epochs > fewest_epochs(settings))
      spec.training.steps = static_cast<int>(steps_for(facts.images, spec.training));
    return settings;
  }
  if (model.empty() || model == default_model(spec.benchmark.name)) return std::nullopt;
  const TrainOptions training = spec.training;
  const int memory_batch = spec.learner.memory_batch;
  fit(spec, usual_settings({.learner = spec.learner.name, .model = model}));
  spec.training = training;
  spec.learner.memory_batch = memory_batch;
  return std::nullopt;
}

std::string chosen_text(const Method& method, const UsualSettings& settings,
                        const std::map<std::string, std::string>& given) {
  std::vector<std::string> parts;
  const auto says = [&](const char* flag) { return given.contains(flag); };
  if (!says("model")) {
    std::string text = "model " + method.network.model;
    if (method.network.width > 0) text += fmt::format(" of width {}", method.network.width);
    parts.push_back(fmt::format("{} because {}", text, settings.why_model));
  }
  if (!says("lr")) parts.push_back(fmt::format("learning rate {}", method.learner.learning_rate));
  const TrainOptions& training = method.training;
  if (!says("epochs") && !says("steps") && training.steps > 0) {
    parts.push_back(
        fmt::format("{} steps of each task because {}", training.steps, settings.why_epochs));
  } else if (!says("epochs") && !says("steps")) {
    parts.push_back(fmt::format("{} epoch{} because {}", method.training.epochs,
                                method.training.epochs == 1 ? "" : "s", settings.why_epochs));
  }
  return join(parts);
}

}  // namespace gps
