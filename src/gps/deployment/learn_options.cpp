#include "gps/deployment/learn_options.h"
#include "gps/core/option_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "gps/benchmarks/benchmark.h"
#include "gps/data/features.h"
#include "gps/experiments/method_memory.h"
#include "gps/experiments/method_options.h"
#include "gps/experiments/spec/fit_to_data.h"
#include "gps/experiments/spec/presets.h"
#include "gps/learners/stored_logits.h"

namespace gps {
namespace {

constexpr int kMostImages = kLargestMemory;

void check_images(const LearnOptions& options) {
  if (options.has_backbone() != (options.features > 0) ||
      options.features > static_cast<int>(kMostFeatures)) {
    throw DataError(
        fmt::format("not the options of a state: {} features of a backbone", options.features));
  }
  const ImageShape& shape = options.shape;
  const auto is_side = [](int side) { return side >= 1 && side <= kMostSide; };
  if ((shape.channels != 1 && shape.channels != 3) || !is_side(shape.height) ||
      !is_side(shape.width)) {
    throw DataError(
        fmt::format("not the options of a state: images of {} x {} pixels in {} "
                    "channels",
                    shape.width, shape.height, shape.channels));
  }
  const auto& [mean, deviation] = options.normalisation;
  const auto channels = static_cast<std::size_t>(options.has_backbone() ? 1 : shape.channels);
  const bool is_whole = mean.empty() || mean.size() == channels;
  const auto is_finite = [](float value) { return std::isfinite(value); };
  const auto is_positive = [](float value) { return std::isfinite(value) && value > 0; };
  if (!is_whole || mean.size() != deviation.size() ||
      !std::all_of(mean.begin(), mean.end(), is_finite) ||
      !std::all_of(deviation.begin(), deviation.end(), is_positive))
    throw DataError("not the options of a state: no mean and deviation of its images");
}

Budget budget_in_bytes(const LearnOptions& options, std::size_t outputs) {
  constexpr std::size_t kMost = kMostImages;
  const std::size_t each_test = bytes_an_example({}, options.rows(), /*logits=*/0);
  const auto for_tests =
      static_cast<std::uint64_t>(options.held_out * static_cast<double>(options.memory_bytes));
  const std::size_t test = std::min(for_tests / each_test, kMost);
  if (!replays(options.method.learner.name)) return {0, test};
  const std::uint64_t left = options.memory_bytes - test * each_test;
  const ExampleFormat format = example_format(options.method);
  const std::size_t logits = stored_logits_format(options.method.learner) ? outputs : 0;
  return {std::min(examples_within(left, format, options.rows(), logits), kMost), test};
}

// Throws OptionError if the memory has to shrink as logits grow, and the policy needs its slots.
void check_bytes(const LearnOptions& options) {
  const Method& method = options.method;
  if (options.memory_bytes == 0 || !stored_logits_format(method.learner) ||
      !has_lasting_state(method.policy))
    return;
  throw OptionError(
      "memory",
      fmt::format("must be a number of images for learner '{}' with policy '{}': each image has a "
                  "logit for every class, so that fewer fit into the same bytes when classes are "
                  "added, but this policy needs a fixed number of slots, got {}; or use policy gps",
                  method.learner.name, policy_label(method.policy),
                  text_of(ByteCount{options.memory_bytes})));
}

}  // namespace

ImageShape LearnOptions::rows() const {
  return has_backbone() ? feature_shape(static_cast<std::size_t>(features)) : shape;
}

std::vector<std::string> deployable_learners() {
  std::vector<std::string> all;
  for (const LearnerEntry& each : learner_catalog()) {
    if (each.why_not_lasting.empty()) all.push_back(each.name);
  }
  return all;
}

std::vector<std::string> deployable_policies() {
  std::vector<std::string> all;
  for (const PolicyEntry& each : policy_catalog()) {
    if (why_not_lasting({.name = each.name, .settings = {}}).empty()) all.push_back(each.name);
  }
  return all;
}

const OptionTable<LearnOptions>& learn_table() {
  constexpr int kMostKept = 1000;
  constexpr int kMostDays = 36500;
  static const OptionTable<LearnOptions> table = {
      count_or_bytes("memory", &LearnOptions::memory, &LearnOptions::memory_bytes,
                     "images stored in all, or bytes: 784kB, 20MB")
          .between(0, kMostImages),
      option("held_out", &LearnOptions::held_out,
             "share of the stored images that is only for testing")
          .at_least(0)
          .below(1)
          .called("SHARE"),
      large("seed", &LearnOptions::seed, "seed of all random choices").called("S"),
      option("keep", &LearnOptions::keep, "earlier versions of the state kept for `rollback`")
          .between(0, kMostKept),
      option("keep_days", &LearnOptions::keep_days,
             "images older than N days leave the memory of all versions; 0: never")
          .between(0, kMostDays)
          .silent(),
  };
  return table;
}

Budget budget_of(const LearnOptions& options, std::size_t outputs) {
  if (options.memory_bytes > 0) return budget_in_bytes(options, outputs);
  const auto all = static_cast<std::size_t>(std::max(0, options.memory));
  const auto test =
      static_cast<std::size_t>(std::lround(options.held_out * static_cast<double>(all)));
  return {replays(options.method.learner.name) ? all - test : 0, test};
}

LearnOptions learn_options(const std::string& learner, const std::string& policy,
                           const std::string& model) {
  LearnOptions options;
  Method& method = options.method;
  method = paper_method(learner, model);
  if (model == "resnet18") method.network.backend = "own";
  method.policy.settings["knows_length"] = false;
  const UsualSettings usual = usual_settings({.learner = learner, .model = model});
  const TrainOptions training = method.training;
  fit(method, usual);
  method.training = training;
  method.policy.name = "none";
  if (!policy.empty() && (policy != "none" || replays(learner))) {
    set_policy(method.policy, policy);
  } else if (replays(learner)) {
    set_policy(method.policy, "gps");
  }
  return options;
}

LearnOptions learn_options_for(const DataFacts& facts, const std::string& policy) {
  const UsualSettings usual = usual_settings(facts);
  LearnOptions options = learn_options(facts.learner, policy, usual.model);
  fit(options.method, usual);
  options.fits_epochs = facts.images > 0;
  return options;
}

void settle(LearnOptions& options) {
  Method& method = options.method;
  const LearnerEntry& learner = find(learner_catalog(), "learner", method.learner.name);
  if (!learner.why_not_lasting.empty()) {
    std::vector<std::string> others = deployable_learners();
    const std::string last = std::exchange(others.back(), {});
    others.pop_back();
    throw UsageError(
        fmt::format("learner '{}' {}, so it cannot learn any number of tasks within a budget; "
                    "use {} or {}",
                    learner.name, learner.why_not_lasting, join(others), last));
  }
  const std::string reason = why_not_lasting(method.policy);
  if (!reason.empty())
    throw UsageError(fmt::format("policy '{}' {}", policy_label(method.policy), reason));
  for (const BoundOption<LearnOptions>& each : learn_table()) check(each.row, each.get(options));
  check_bytes(options);
  if (options.keep_days > 0 && predicts_by_memory(method.learner.name)) {
    throw OptionError("keep-days",
                      fmt::format("cannot be used with learner '{}': it answers by stored images, "
                                  "so each class needs one",
                                  method.learner.name));
  }
  const bool has_images = options.rows().bytes() > 0;
  if (has_images) make_codec(method.codec)->check(options.rows());
  if (options.memory_bytes > 0 && !has_images) {  // how many images fit is not known yet
    method.memory = 1;
    validate(method, kLearnOutlook);
    return;
  }
  const Budget budget = budget_of(options);
  if (replays(method.learner.name) && budget.replay == 0) {
    throw OptionError("memory", fmt::format("{} leaves no images to replay, but learner '{}' "
                                            "replays; use more memory, or learner sgd",
                                            options.memory, method.learner.name));
  }
  method.memory = static_cast<int>(std::max<std::size_t>(1, budget.replay));
  validate(method, kLearnOutlook);
}

nlohmann::json to_json(const LearnOptions& options) {
  Method method = options.method;
  method.network.weights.clear();  // the initial weights do not matter any more
  if (is_file(method.network.model)) method.network.model = kModelFile;
  if (options.has_backbone()) method.network.backbone = kBackboneFile;
  nlohmann::json json = {
      {"spec", to_json(method, kLearnOutlook)},
      {"shape", {options.shape.channels, options.shape.height, options.shape.width}},
      {"mean", options.normalisation.mean},
      {"deviation", options.normalisation.deviation}};
  if (options.has_backbone()) json["features"] = options.features;
  for (const BoundOption<LearnOptions>& each : learn_table())
    write_value(json, each.row, each.get(options));
  if (options.fits_epochs) json["fits_epochs"] = true;
  return json;
}

LearnOptions learn_options_from(const nlohmann::json& json, const std::string& folder) try {
  LearnOptions options;
  nlohmann::json method = json.at("spec");
  // Earlier versions wrote the options of a stream beside those of the method.
  method.erase("benchmark");
  for (const Option& row : benchmark_options().rows()) method.erase(row.key);
  options.method = method_from_json(method, kLearnOutlook);
  NetworkOptions& network = options.method.network;
  if (!network.weights.empty() || (is_file(network.model) && network.model != kModelFile)) {
    throw DataError(fmt::format("not the options of a state: its network is in {}, not in {}",
                                network.weights.empty() ? network.model : network.weights,
                                kModelFile));
  }
  if (options.has_backbone() && network.backbone != kBackboneFile) {
    throw DataError(fmt::format("not the options of a state: its backbone is in {}, not in {}",
                                network.backbone, kBackboneFile));
  }
  if (is_file(network.model)) network.model = folder + "/" + network.model;
  if (options.has_backbone()) network.backbone = folder + "/" + network.backbone;
  options.features = json.value("features", 0);
  for (const BoundOption<LearnOptions>& each : learn_table()) {
    const std::optional<OptionValue> known = known_value(json, each.row);
    if (!known && each.row.is_silent) continue;
    const OptionValue value = known ? *known : value_from(each.row, json.at(each.row.key));
    check(each.row, value);
    each.set(options, value);
  }
  options.shape = {json.at("shape").at(0).get<int>(), json.at("shape").at(1).get<int>(),
                   json.at("shape").at(2).get<int>()};
  json.at("mean").get_to(options.normalisation.mean);
  json.at("deviation").get_to(options.normalisation.deviation);
  options.fits_epochs = json.value("fits_epochs", false);
  check_images(options);
  if (options.method.memory_bytes > 0)
    throw DataError("not the options of a state: its method counts bytes, not images");
  check_bytes(options);
  make_codec(options.method.codec)->check(options.rows());  // both throw for what cannot be
  budget_of(options);
  return options;
} catch (const nlohmann::json::exception& error) {
  throw DataError(fmt::format("not the options of a state: {}", error.what()));
} catch (const UsageError& error) {
  throw DataError(fmt::format("not the options of a state: {}", error.what()));
}

bool has_lasting_state(const PolicyOptions& policy) {
  return policy.name != "none" && find(policy_catalog(), "policy", policy.name).has_lasting_state;
}

}  // namespace gps
