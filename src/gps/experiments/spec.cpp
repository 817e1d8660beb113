#include "gps/experiments/spec.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "gps/policies/mixed.h"

namespace gps {
namespace {

void require_at_least(const char* option, int value, int least) {
  if (value < least)
    throw UsageError(fmt::format("{} must be at least {}, got {}", option, least, value));
}

void check_ratio(double ratio) {
  if (!(ratio >= 0 && ratio <= 1))
    throw UsageError(fmt::format("--ring must be between 0 and 1, got {}", ratio));
}

double parse_ratio(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw UsageError(fmt::format("--ring must be a number between 0 and 1, got '{}'", text));
  }
  return value;
}

// The end of a variant that names the curriculum pair: "cur", or "…/cur".
constexpr const char* kCurriculum = "cur";

// The shortest decimal that stands for the same float: 0.1, not 0.10000000149.
double shortest(float value) { return std::stod(fmt::format("{}", value)); }

// Passes over a pseudo-task unless told otherwise (Appendix F).
int pseudo_epochs(const std::string& benchmark) {
  const bool is_long = benchmark.starts_with("s-cifar") || benchmark == "tiny-imagenet";
  return is_long ? 5 : 1;
}

// What tells a stream of one's own images apart; nothing for others.
void add_own(const BenchmarkOptions& options, nlohmann::json& json) {
  if (!options.own) return;
  const OwnStream& own = *options.own;
  json["data_fingerprint"] = own.fingerprint;
  json["images"] = own.images;
  json["classes"] = own.classes;
  json["classes_of_tasks"] = own.classes_of_tasks;
  json["image_size"] = fmt::format("{}x{}", own.shape.height, own.shape.width);
  json["colour"] = name_of(own.shape.channels == 3 ? Colour::rgb : Colour::grey);
  if (own.classes_per_task > 0) json["classes_per_task"] = own.classes_per_task;
  if (own.test_fraction > 0) json["test_fraction"] = own.test_fraction;
  if (own.skip_bad) json["skip_bad"] = true;
}

void read_own(const nlohmann::json& json, BenchmarkOptions& options) {
  if (!json.contains("data_fingerprint")) return;
  OwnStream& own = options.own.emplace();
  json.at("data_fingerprint").get_to(own.fingerprint);
  json.at("images").get_to(own.images);
  json.at("classes").get_to(own.classes);
  json.at("classes_of_tasks").get_to(own.classes_of_tasks);
  const auto size = parse_image_size(json.at("image_size").get<std::string>());
  if (!size) throw DataError("not the spec of a run: image_size is no size");
  own.shape = {json.at("colour") == name_of(Colour::rgb) ? 3 : 1, size->first, size->second};
  own.classes_per_task = json.value("classes_per_task", 0);
  own.test_fraction = json.value("test_fraction", 0.0);
  own.skip_bad = json.value("skip_bad", false);
}

// Those options of the learner that it looks at.
void add_learner(const LearnerOptions& options, nlohmann::json& json) {
  if (replays(options.name)) json["memory_batch"] = options.memory_batch;
  if (options.name == "er" || options.name == "gss" || options.name == "hal") {
    json["lambda"] = shortest(options.lambda);
    json["er_loss"] = name_of(options.er_loss);
  }
  if (options.name == "gss") json["repeats"] = options.repeats;
  if (options.name.starts_with("der")) {
    json["alpha"] = shortest(options.alpha);
    json["der_logits"] = name_of(options.der_logits);
  }
  if (options.name == "der++") json["beta"] = shortest(options.beta);
  if (options.name == "ogd") json["directions"] = options.directions;
  if (options.name == "hal") {
    json["hal_lambda"] = shortest(options.hal_lambda);
    json["hal_beta"] = shortest(options.hal_beta);
    json["hal_gamma"] = shortest(options.hal_gamma);
    json["anchor_steps"] = options.anchor_steps;
    json["hal_variant"] = name_of(options.hal_variant);
  }
  if (options.name == "oewc") {
    json["ewc_lambda"] = shortest(options.ewc_lambda);
    json["ewc_gamma"] = shortest(options.ewc_gamma);
    json["fisher"] = name_of(options.fisher);
  }
  if (options.name == "icarl") json["weight_decay"] = shortest(options.weight_decay);
}

}  // namespace

std::string name_of(ErLoss value) { return value == ErLoss::sum ? "sum" : "concat"; }
std::string name_of(DerLogits value) { return value == DerLogits::step ? "step" : "task-end"; }
std::string name_of(HalVariant value) { return value == HalVariant::mean ? "mean" : "mammoth"; }
std::string name_of(Fisher value) {
  if (value == Fisher::exact) return "exact";
  return value == Fisher::empirical ? "empirical" : "mammoth";
}
std::string name_of(RingQuota value) { return value == RingQuota::deal ? "deal" : "floor"; }
std::string name_of(InTask value) { return value == InTask::running ? "running" : "strict"; }
std::string name_of(Base value) { return value == Base::random ? "random" : "curriculum"; }
std::string name_of(EasyRank value) { return value == EasyRank::loss ? "loss" : "epoch"; }
std::string name_of(GssVariant value) {
  return value == GssVariant::mammoth ? "mammoth" : "greedy";
}
std::string name_of(Objective value) { return value == Objective::accuracy ? "accuracy" : "loss"; }
std::string name_of(Score value) { return value == Score::natural ? "natural" : "balanced"; }

const Catalog& policy_catalog() {
  static const Catalog catalog = {
      {"reservoir", "ER-Res",
       "One reservoir over all examples ever presented: every one equally likely to be kept.", ""},
      {"ring-full", "ER-Ring-Full",
       "Every class of every task seen so far has the same number of slots, filled first in, first "
       "out.",
       "--ring-quota deal|floor (or ring-full:floor)"},
      {"hybrid", "ER-Hybrid",
       "A reservoir until some class of a finished task is down to one example, ring-full from "
       "then on.",
       ""},
      {"mixed", "section 4.2",
       "Tasks share the memory equally; within each, a class-balanced ring part of the given "
       "ratio, the rest random.",
       "--ring RATIO[,RATIO...] (or mixed:RATIO), --in-task strict|running, --base "
       "random|curriculum (or mixed:RATIO/cur), --easy-fraction, --easy-rank loss|epoch"},
      {"cur-res", "ER-CurRes",
       "A reservoir that, from the second half of a task's epochs on, takes only the task's easy "
       "examples: those learnt earliest.",
       "--easy-fraction, --easy-rank loss|epoch"},
      {"cur-ring-full", "ER-CurRing-Full",
       "Like ring-full, but from the second half of a task's epochs on, only the easy examples of "
       "each class.",
       "--easy-fraction, --easy-rank loss|epoch"},
      {"gradient", "GSS",
       "Examples whose gradients point away from those of the stored ones replace examples whose "
       "do not (Aljundi et al. 2019).",
       "--gss-variant mammoth|greedy (or gradient:greedy), --gss-batch"},
      {"herding", "iCaRL",
       "When a task ends, each class keeps the examples whose mean feature comes nearest to the "
       "class's (Rebuffi et al. 2017).",
       ""},
      {"one-batch", "A-GEM",
       "When a task ends, one batch of it goes to a reservoir: A-GEM's memory as Mammoth keeps it.",
       "--batch"},
      {"gps", "GPS, ER-Oracle",
       "Like mixed, but the ring part of each task is found by simulating its future under several "
       "sizes.",
       "--future, --score (or gps:FUTURE/SCORE), --base random|curriculum (or gps:FUTURE/cur), "
       "--easy-fraction, --easy-rank, --score-examples, --objective, --window, "
       "--unknown-length, "
       "--sim-epochs, --sim-examples, --stride, --min-stride, --max-stride, --reuse, --in-task"},
  };
  return catalog;
}

void set_policy(Spec& spec, const std::string& text) {
  const std::size_t colon = text.find(':');
  spec.policy = text.substr(0, colon);
  find(policy_catalog(), "policy", spec.policy);
  if (colon == std::string::npos) return;
  const std::string variant = text.substr(colon + 1);
  if (spec.policy == "mixed") {
    const std::string end = std::string("/") + kCurriculum;
    const bool is_curriculum = variant == kCurriculum || variant.ends_with(end);
    if (is_curriculum) spec.base = Base::curriculum;
    if (variant == kCurriculum) return;
    const std::size_t length = variant.size() - (is_curriculum ? end.size() : 0);
    spec.ring = {parse_ratio(variant.substr(0, length))};
  } else if (spec.policy == "gps") {
    for (const std::string& part : split(variant, '/')) {
      if (part == kCurriculum) {
        spec.base = Base::curriculum;
      } else if (part == name_of(Score::natural) || part == name_of(Score::balanced)) {
        spec.score = part == name_of(Score::balanced) ? Score::balanced : Score::natural;
      } else {
        spec.future = find(future_catalog(), "future", part).name;
      }
    }
  } else if (spec.policy == "ring-full") {
    if (variant != "deal" && variant != "floor") {
      throw UsageError(fmt::format("unknown ring quota '{}'; known: deal, floor", variant));
    }
    spec.ring_quota = variant == "floor" ? RingQuota::floor : RingQuota::deal;
  } else if (spec.policy == "gradient") {
    if (variant != "mammoth" && variant != "greedy") {
      throw UsageError(fmt::format("unknown gss variant '{}'; known: mammoth, greedy", variant));
    }
    spec.gss_variant = variant == "greedy" ? GssVariant::greedy : GssVariant::mammoth;
  } else {
    throw UsageError(
        fmt::format("policy '{}' has no variants, got '{}'; mixed:RATIO, gps:FUTURE, "
                    "ring-full:floor and gradient:greedy do",
                    spec.policy, text));
  }
}

std::string policy_label(const Spec& spec) {
  const std::string base = spec.base == Base::curriculum ? std::string("/") + kCurriculum : "";
  if (spec.policy == "mixed") {
    std::vector<std::string> ratios;
    for (const double ratio : spec.ring) ratios.push_back(fmt::format("{}", ratio));
    return "mixed:" + join(ratios, "/") + base;
  }
  if (spec.policy == "gps") {
    const std::string score = spec.score == Score::balanced ? "/balanced" : "";
    return "gps:" + spec.future + score + base;
  }
  if (spec.policy == "ring-full" && spec.ring_quota == RingQuota::floor) return "ring-full:floor";
  if (spec.policy == "gradient" && spec.gss_variant == GssVariant::greedy) return "gradient:greedy";
  return spec.policy;
}

std::string default_model(const std::string& benchmark) {
  const bool is_colour = benchmark.find("cifar") != std::string::npos ||
                         benchmark.find("imagenet") != std::string::npos;
  return is_colour ? "resnet18" : "mlp";
}

bool has_easy_pool(const Spec& spec) {
  const bool mixes = spec.policy == "mixed" || spec.policy == "gps";
  return spec.policy == "cur-res" || spec.policy == "cur-ring-full" ||
         (mixes && spec.base == Base::curriculum);
}

double easy_fraction(const Spec& spec) {
  if (spec.easy_fraction > 0) return spec.easy_fraction;
  return spec.policy == "cur-ring-full" ? 0.1 : 0.2;
}

std::string run_label(const Spec& spec, bool with_learner) {
  if (spec.policy == "none") return spec.learner.name;
  return with_learner ? spec.learner.name + " " + policy_label(spec) : policy_label(spec);
}

void validate(const Spec& spec) {
  validate(spec.benchmark);
  require_at_least("--epochs", spec.training.epochs, 1);
  require_at_least("--batch", spec.training.batch, 1);
  validate(spec.learner);
  validate(spec.network);
  if (spec.learner.name == "hal" && spec.network.model == "mlp" && spec.network.hidden.empty()) {
    throw UsageError("learner 'hal' needs features, so --hidden must not be none");
  }

  if (spec.learner.name == "icarl" && !is_split(spec.benchmark)) {
    throw UsageError(fmt::format(
        "learner 'icarl' needs tasks that bring new classes, and those of {} all have the same; "
        "try s-mnist",
        spec.benchmark.name));
  }

  if (!replays(spec.learner.name)) {
    if (spec.policy != "none") {
      throw UsageError(fmt::format("learner '{}' keeps no memory, so it takes no --policy ('{}')",
                                   spec.learner.name, spec.policy));
    }
    return;
  }
  if (spec.policy == "none")
    throw UsageError(fmt::format("learner '{}' needs a memory, so a --policy other than none",
                                 spec.learner.name));
  find(policy_catalog(), "policy", spec.policy);
  require_at_least("--memory", spec.memory, 1);
  if (spec.policy == "ring-full" && spec.ring_quota == RingQuota::floor) {
    const int keys = classes_of_all_tasks(spec.benchmark);
    if (spec.memory < keys) {
      const std::string sum = spec.benchmark.own
                                  ? fmt::format("{} for all tasks", keys)
                                  : fmt::format("{} x {} = {}", spec.benchmark.tasks,
                                                classes_a_task(spec.benchmark), keys);
      throw UsageError(
          fmt::format("--ring-quota floor needs a memory of at least tasks x classes ({}), got {}",
                      sum, spec.memory));
    }
  }
  if (spec.ring.empty()) throw UsageError("--ring needs at least one ratio");
  for (const double ratio : spec.ring) check_ratio(ratio);
  if (spec.ring.size() > 1 && spec.ring.size() != static_cast<std::size_t>(spec.benchmark.tasks)) {
    throw UsageError(
        fmt::format("--ring must have one ratio or one for each of the {} tasks, got {}",
                    spec.benchmark.tasks, spec.ring.size()));
  }
  if (!(spec.easy_fraction >= 0 && spec.easy_fraction <= 1)) {
    throw UsageError(
        fmt::format("--easy-fraction must be above 0 and at most 1, got {}", spec.easy_fraction));
  }
  require_at_least("--gss-batch", spec.gss_batch, 1);
  find(future_catalog(), "future", spec.future);
  require_at_least("--sim-epochs", spec.simulation_epochs, 0);
  require_at_least("--sim-examples", spec.simulation_examples, 0);
  require_at_least("--window", spec.window, 0);
  require_at_least("--score-examples", spec.score_examples, 1);
  require_at_least("--stride", spec.stride, 0);
  require_at_least("--min-stride", spec.smallest_stride, 0);
  require_at_least("--max-stride", spec.largest_stride, 0);
  if (!(spec.reuse >= 0 && spec.reuse < 0.5f))
    throw UsageError(fmt::format("--reuse must be at least 0 and below 0.5, got {}", spec.reuse));
  if (spec.stride > 0 && (spec.stride < spec.smallest_stride ||
                          (spec.largest_stride > 0 && spec.stride > spec.largest_stride))) {
    throw UsageError(
        fmt::format("--stride ({}) is outside --min-stride and --max-stride", spec.stride));
  }
  if (spec.largest_stride > 0 && spec.smallest_stride > spec.largest_stride) {
    throw UsageError(fmt::format("--min-stride ({}) must not be above --max-stride ({})",
                                 spec.smallest_stride, spec.largest_stride));
  }
}

nlohmann::json to_json(const Spec& spec) {
  nlohmann::json json = {
      {"benchmark", spec.benchmark.name},
      {"tasks", spec.benchmark.tasks},
      {"examples_per_task", spec.benchmark.examples_per_task},
      {"imbalance", spec.benchmark.imbalance},
      {"learner", spec.learner.name},
      {"learning_rate", shortest(spec.learner.learning_rate)},
      {"epochs", spec.training.epochs},
      {"batch", spec.training.batch},
      {"policy", spec.policy},
  };
  if (!spec.benchmark.augment) json["augment"] = false;
  // Absent where it is natural: files written before there was a choice keep their names.
  if (spec.benchmark.class_order != "natural") json["class_order"] = spec.benchmark.class_order;
  add_own(spec.benchmark, json);
  add_to_json(spec.network, json);
  add_learner(spec.learner, json);
  if (spec.policy == "none") return json;
  json["memory"] = spec.memory;
  if (spec.policy == "ring-full") json["ring_quota"] = name_of(spec.ring_quota);
  if (spec.policy == "mixed") json["ring"] = spec.ring;
  if (spec.policy == "mixed" || spec.policy == "gps") {
    json["in_task"] = name_of(spec.in_task);
    // Absent where it is `random`: files written before there was a choice keep their names.
    if (spec.base != Base::random) json["base"] = name_of(spec.base);
  }
  if (has_easy_pool(spec)) {
    json["easy_fraction"] = easy_fraction(spec);
    json["easy_rank"] = name_of(spec.easy_rank);
  }
  if (spec.policy == "gradient") {
    json["gss_variant"] = name_of(spec.gss_variant);
    json["gss_batch"] = spec.gss_batch;
  }
  if (spec.policy == "gps") {
    const SimulationOptions simulation = simulation_options(spec);
    json["future"] = spec.future;
    json["simulation_epochs"] = simulation.training.epochs;
    json["simulation_examples"] = simulation.examples;
    json["window"] = spec.window;
    json["knows_length"] = spec.knows_length;
    json["objective"] = name_of(spec.objective);
    json["score"] = name_of(spec.score);
    json["score_examples"] = spec.score_examples;
    json["stride"] = spec.stride;
    json["smallest_stride"] = spec.smallest_stride;
    json["largest_stride"] = spec.largest_stride;
    json["reuse"] = shortest(spec.reuse);
  }
  return json;
}

Spec spec_from_json(const nlohmann::json& json) try {
  Spec spec;
  const auto read = [&](const char* key, auto& target) {
    if (json.contains(key)) json.at(key).get_to(target);
  };
  const auto choose = [&](const char* key, auto& target, auto... values) {
    if (!json.contains(key)) return;
    const auto name = json.at(key).get<std::string>();
    ((name_of(values) == name ? void(target = values) : void()), ...);
  };
  json.at("benchmark").get_to(spec.benchmark.name);
  read("tasks", spec.benchmark.tasks);
  read("examples_per_task", spec.benchmark.examples_per_task);
  read("imbalance", spec.benchmark.imbalance);
  read("augment", spec.benchmark.augment);
  read("class_order", spec.benchmark.class_order);
  read_own(json, spec.benchmark);
  LearnerOptions& learner = spec.learner;
  json.at("learner").get_to(learner.name);
  read("learning_rate", learner.learning_rate);
  read("memory_batch", learner.memory_batch);
  read("lambda", learner.lambda);
  choose("er_loss", learner.er_loss, ErLoss::sum, ErLoss::concat);
  read("repeats", learner.repeats);
  read("alpha", learner.alpha);
  read("beta", learner.beta);
  choose("der_logits", learner.der_logits, DerLogits::step, DerLogits::task_end);
  read("directions", learner.directions);
  read("hal_lambda", learner.hal_lambda);
  read("hal_beta", learner.hal_beta);
  read("hal_gamma", learner.hal_gamma);
  read("anchor_steps", learner.anchor_steps);
  choose("hal_variant", learner.hal_variant, HalVariant::mean, HalVariant::mammoth);
  read("ewc_lambda", learner.ewc_lambda);
  read("ewc_gamma", learner.ewc_gamma);
  choose("fisher", learner.fisher, Fisher::empirical, Fisher::exact, Fisher::mammoth);
  read("weight_decay", learner.weight_decay);
  read("epochs", spec.training.epochs);
  read("batch", spec.training.batch);
  NetworkOptions& network = spec.network;
  read("model", network.model);
  read("model_fingerprint", network.model_fingerprint);
  read("hidden", network.hidden);
  read("initialisation", network.initialisation);
  read("weights", network.weights);
  read("weights_fingerprint", network.weights_fingerprint);
  read("width", network.width);
  read("device", network.device);
  choose("precision", network.precision, Precision::fp32, Precision::bf16);
  read("operator_threads", network.operator_threads);
  read("backend", network.backend);
  json.at("policy").get_to(spec.policy);
  read("memory", spec.memory);
  choose("ring_quota", spec.ring_quota, RingQuota::deal, RingQuota::floor);
  read("ring", spec.ring);
  choose("in_task", spec.in_task, InTask::strict, InTask::running);
  choose("base", spec.base, Base::random, Base::curriculum);
  read("easy_fraction", spec.easy_fraction);
  choose("easy_rank", spec.easy_rank, EasyRank::loss, EasyRank::epoch);
  choose("gss_variant", spec.gss_variant, GssVariant::mammoth, GssVariant::greedy);
  read("gss_batch", spec.gss_batch);
  read("future", spec.future);
  read("simulation_epochs", spec.simulation_epochs);
  read("simulation_examples", spec.simulation_examples);
  read("window", spec.window);
  read("knows_length", spec.knows_length);
  choose("objective", spec.objective, Objective::accuracy, Objective::loss);
  choose("score", spec.score, Score::natural, Score::balanced);
  read("score_examples", spec.score_examples);
  read("stride", spec.stride);
  read("smallest_stride", spec.smallest_stride);
  read("largest_stride", spec.largest_stride);
  read("reuse", spec.reuse);
  const nlohmann::json again = to_json(spec);
  for (const auto& [key, value] : json.items()) {
    if (!again.contains(key) || again.at(key) != value) {
      throw DataError(
          fmt::format("a spec with {} = {} is not one of this version", key, value.dump()));
    }
  }
  return spec;
} catch (const nlohmann::json::exception& error) {
  throw DataError(fmt::format("not the spec of a run: {}", error.what()));
}

SimulationOptions simulation_options(const Spec& spec) {
  const bool is_oracle = spec.future == "offline";
  SimulationOptions options;
  options.tasks = spec.knows_length || is_oracle ? spec.benchmark.tasks : 0;
  options.window =
      spec.window == 0 && is_oracle ? spec.benchmark.tasks : spec.window;  // the oracle sees all
  options.examples =
      static_cast<std::size_t>(spec.simulation_examples > 0 ? spec.simulation_examples
                               : is_oracle                  ? 0
                                                            : spec.memory);
  options.training.epochs = spec.simulation_epochs > 0 ? spec.simulation_epochs
                            : is_oracle                ? spec.training.epochs
                                                       : pseudo_epochs(treated_as(spec.benchmark));
  options.training.batch = spec.training.batch;
  options.objective = spec.objective;
  options.stride = {static_cast<std::size_t>(spec.stride),
                    static_cast<std::size_t>(spec.smallest_stride),
                    static_cast<std::size_t>(spec.largest_stride)};
  options.score = spec.score;
  options.score_examples = static_cast<std::size_t>(spec.score_examples);
  options.in_task = spec.in_task;
  options.reuse = static_cast<double>(spec.reuse);
  options.base = {spec.base, easy_fraction(spec), spec.easy_rank};
  return options;
}

std::unique_ptr<MemoryPolicy> make_policy(const Spec& spec, const Benchmark& benchmark,
                                          Executor& executor, SimulationHooks hooks) {
  if (spec.policy == "none") return make_no_memory();
  find(policy_catalog(), "policy", spec.policy);
  if (spec.policy == "reservoir") return make_reservoir();
  if (spec.policy == "ring-full") return make_ring_full(spec.ring_quota);
  if (spec.policy == "hybrid") return make_hybrid();
  if (spec.policy == "mixed") {
    return make_mixed(spec.ring, spec.in_task, {spec.base, easy_fraction(spec), spec.easy_rank});
  }
  if (spec.policy == "cur-res") return make_cur_res(easy_fraction(spec), spec.easy_rank);
  if (spec.policy == "cur-ring-full")
    return make_cur_ring_full(easy_fraction(spec), spec.easy_rank);
  if (spec.policy == "gradient") {
    return make_gradient(spec.gss_variant, static_cast<std::size_t>(spec.gss_batch));
  }
  if (spec.policy == "herding") return make_herding();
  if (spec.policy == "one-batch") {
    return make_one_batch(static_cast<std::size_t>(spec.training.batch));
  }
  return make_gps(simulation_options(spec), make_future(spec.future, benchmark), executor,
                  std::move(hooks));
}

}  // namespace gps
