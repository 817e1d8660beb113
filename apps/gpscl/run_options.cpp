#include "run_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>

#include "gps/experiments/presets.h"
#include "gps/nn/torch_backend.h"
#include "run_setup.h"

namespace gps::cli {
namespace {

template <typename Number>
Number parse(const std::string& option, const std::string& text, const char* what) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) {
    throw UsageError(fmt::format("{} is out of range, got '{}'", option, text));
  }
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) {
    throw UsageError(fmt::format("{} must be {}, got '{}'", option, what, text));
  }
  return value;
}

template <typename Enum>
Enum choose(const std::string& option, const std::string& text,
            std::initializer_list<Enum> values) {
  std::vector<std::string> known;
  for (const Enum value : values) {
    if (name_of(value) == text) return value;
    known.push_back(name_of(value));
  }
  throw UsageError(fmt::format("unknown {} '{}'; known: {}", option, text, join(known)));
}

bool contains(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

// Options that only some policies look at.
struct Relevance {
  const char* option;
  std::vector<std::string> policies;
};
const std::vector<Relevance>& relevances() {
  static const std::vector<Relevance> all = {
      {"--ring", {"mixed"}},
      {"--ring-quota", {"ring-full"}},
      {"--in-task", {"mixed", "gps"}},
      {"--base", {"mixed", "gps"}},
      {"--gss-variant", {"gradient"}},
      {"--gss-batch", {"gradient"}},
      {"--future", {"gps"}},
      {"--objective", {"gps"}},
      {"--score", {"gps"}},
      {"--score-examples", {"gps"}},
      {"--window", {"gps"}},
      {"--sim-epochs", {"gps"}},
      {"--sim-examples", {"gps"}},
      {"--stride", {"gps"}},
      {"--min-stride", {"gps"}},
      {"--max-stride", {"gps"}},
      {"--reuse", {"gps"}},
  };
  return all;
}

// Options of streams that are a PATH.
constexpr std::array kOfOwnImages = {"--classes-per-task", "--image-size", "--colour",
                                     "--test-fraction", "--skip-bad"};

// The learners in whose catalog entry this option stands; none: it is not one of a learner's.
std::vector<std::string> learners_with(const std::string& option) {
  std::vector<std::string> found;
  for (const Entry& entry : learner_catalog()) {
    if (contains(split(entry.options, ' '), option)) found.push_back(entry.name);
  }
  return found;
}

// The options that a policy's variant stands for: {"--future", "--base"} for gps:rotation/cur.
std::vector<std::string> options_said_by(const std::string& policy) {
  const std::size_t colon = policy.find(':');
  if (colon == std::string::npos) return {};
  const std::string name = policy.substr(0, colon);
  if (name == "ring-full") return {"--ring-quota"};
  if (name == "gradient") return {"--gss-variant"};
  std::vector<std::string> options;
  for (const std::string& part : split(policy.substr(colon + 1), '/')) {
    const bool is_score = part == name_of(Score::natural) || part == name_of(Score::balanced);
    options.emplace_back(part == "cur"     ? "--base"
                         : name == "mixed" ? "--ring"
                         : is_score        ? "--score"
                                           : "--future");
  }
  return options;
}

void check_is_known(const std::string& benchmark) {
  try {
    find(benchmark_catalog(), "benchmark", benchmark);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format(
        "{}; or the path of images of your own: a folder, a manifest (.csv) or IDX files",
        error.what()));
  }
}

}  // namespace

void RunOptions::add_to(CLI::App& command) {
  const auto text = [&](const char* name, std::function<void(const std::string&)> use) {
    command.add_option_function<std::string>(
        name, [this, name, use = std::move(use)](const std::string& value) {
          given.emplace_back(name);
          pending.emplace_back([use, value] { use(value); });
        });
  };
  const auto whole = [&](const char* name, int& target) {
    text(name, [name, &target](const std::string& value) {
      target = parse<int>(name, value, "a whole number");
    });
  };
  const auto real = [&](const char* name, float& target) {
    text(name, [name, &target](const std::string& value) {
      target = parse<float>(name, value, "a number");
    });
  };

  command.add_option("benchmark", base.benchmark.name);
  command.add_flag("-h,--help", wants_help);
  command.add_flag("--help-all", wants_all_help);
  text("--learner", [this](const std::string& v) { learners = split(v, ','); });
  text("--policy", [this](const std::string& v) { policies = split(v, ','); });
  text("--preset", [this](const std::string& v) { preset = v; });
  text("--future", [this](const std::string& v) { base.future = v; });
  whole("--memory", base.memory);
  whole("--tasks", base.benchmark.tasks);
  whole("--epochs", base.training.epochs);
  whole("--batch", base.training.batch);
  real("--lr", base.learner.learning_rate);
  whole("--seeds", seeds);
  whole("--seed", seed);
  whole("--jobs", jobs);
  text("--data", [this](const std::string& v) { data = v; });
  text("--out", [this](const std::string& v) { out = v; });
  text("--store", [this](const std::string& v) { store = v; });
  text("--tensorboard", [this](const std::string& v) { tensorboard = v; });
  command.add_flag("--resume", resume);
  command.add_flag("--restart", restart);
  text("--checkpoint-every", [this](const std::string& v) { checkpoints = parse_checkpoints(v); });
  text("--export", [this](const std::string& v) {
    exported = {};
    for (const std::string& what : split(v, ',')) {
      if (what != "model" && what != "memory")
        throw UsageError(fmt::format("unknown --export '{}'; known: model, memory", what));
      (what == "model" ? exported.model : exported.memory) = true;
    }
  });
  command.add_flag("--json", json);
  command.add_flag("--picture", picture);
  whole("--examples-per-task", base.benchmark.examples_per_task);
  text("--imbalance", [this](const std::string& v) {
    base.benchmark.imbalance = parse<double>("--imbalance", v, "a number");
  });
  command.add_flag("--no-augment", [this](std::int64_t) {
    given.emplace_back("--no-augment");
    pending.emplace_back([this] { base.benchmark.augment = false; });
  });
  text("--class-order", [this](const std::string& v) { base.benchmark.class_order = v; });
  whole("--classes-per-task", own.classes_per_task);
  text("--image-size", [this](const std::string& v) {
    const auto size = parse_image_size(v);
    if (!size) throw UsageError(fmt::format("--image-size must be N or HxW, got '{}'", v));
    own.height = size->first;
    own.width = size->second;
  });
  text("--colour", [this](const std::string& v) {
    own.colour = choose("--colour", v, {Colour::automatic, Colour::grey, Colour::rgb});
  });
  text("--test-fraction", [this](const std::string& v) {
    own.test_fraction = parse<double>("--test-fraction", v, "a number");
    if (own.test_fraction == 0)
      throw UsageError("--test-fraction must be above 0 and below 1, got 0");
  });
  command.add_flag("--skip-bad", [this](std::int64_t) {
    given.emplace_back("--skip-bad");
    pending.emplace_back([this] { own.skip_bad = true; });
  });
  text("--hidden", [this](const std::string& v) {
    base.network.hidden.clear();
    if (v == "none") return;
    for (const std::string& units : split(v, ',')) {
      base.network.hidden.push_back(
          parse<int>("--hidden", units, "'none' or whole numbers with commas between them"));
    }
  });
  text("--init", [this](const std::string& v) {
    const bool is_name = v.find_first_of("./") == std::string::npos;
    (is_name ? base.network.initialisation : base.network.weights) = v;
  });
  text("--backend", [this](const std::string& v) { base.network.backend = v; });
  text("--model", [this](const std::string& v) { base.network.model = v; });
  text("--width", [this](const std::string& v) {
    base.network.width = parse<int>("--width", v, "a whole number");
    if (base.network.width == 0) throw UsageError("--width must be between 1 and 1024, got 0");
  });
  text("--device", [this](const std::string& v) { base.network.device = v; });
  text("--precision", [this](const std::string& v) {
    base.network.precision = choose("--precision", v, {Precision::fp32, Precision::bf16});
  });
  whole("--operator-threads", base.network.operator_threads);
  real("--lambda", base.learner.lambda);
  whole("--memory-batch", base.learner.memory_batch);
  text("--er-loss", [this](const std::string& v) {
    base.learner.er_loss = choose("--er-loss", v, {ErLoss::sum, ErLoss::concat});
  });
  real("--alpha", base.learner.alpha);
  real("--beta", base.learner.beta);
  text("--der-logits", [this](const std::string& v) {
    base.learner.der_logits = choose("--der-logits", v, {DerLogits::step, DerLogits::task_end});
  });
  whole("--repeats", base.learner.repeats);
  whole("--directions", base.learner.directions);
  real("--hal-lambda", base.learner.hal_lambda);
  real("--hal-beta", base.learner.hal_beta);
  real("--hal-gamma", base.learner.hal_gamma);
  whole("--anchor-steps", base.learner.anchor_steps);
  text("--hal-variant", [this](const std::string& v) {
    base.learner.hal_variant = choose("--hal-variant", v, {HalVariant::mean, HalVariant::mammoth});
  });
  real("--ewc-lambda", base.learner.ewc_lambda);
  real("--ewc-gamma", base.learner.ewc_gamma);
  text("--fisher", [this](const std::string& v) {
    base.learner.fisher =
        choose("--fisher", v, {Fisher::empirical, Fisher::exact, Fisher::mammoth});
  });
  real("--weight-decay", base.learner.weight_decay);
  text("--ring", [this](const std::string& v) {
    base.ring.clear();
    for (const std::string& ratio : split(v, ',')) {
      base.ring.push_back(
          parse<double>("--ring", ratio, "numbers between 0 and 1 with commas between them"));
    }
  });
  text("--ring-quota", [this](const std::string& v) {
    base.ring_quota = choose("--ring-quota", v, {RingQuota::deal, RingQuota::floor});
  });
  text("--in-task", [this](const std::string& v) {
    base.in_task = choose("--in-task", v, {InTask::strict, InTask::running});
  });
  text("--base", [this](const std::string& v) {
    base.base = choose("--base", v, {Base::random, Base::curriculum});
  });
  text("--easy-fraction", [this](const std::string& v) {
    base.easy_fraction = parse<double>("--easy-fraction", v, "a number");
    if (base.easy_fraction == 0)
      throw UsageError("--easy-fraction must be above 0 and at most 1, got 0");
  });
  text("--easy-rank", [this](const std::string& v) {
    base.easy_rank = choose("--easy-rank", v, {EasyRank::loss, EasyRank::epoch});
  });
  text("--gss-variant", [this](const std::string& v) {
    base.gss_variant = choose("--gss-variant", v, {GssVariant::mammoth, GssVariant::greedy});
  });
  whole("--gss-batch", base.gss_batch);
  text("--objective", [this](const std::string& v) {
    base.objective = choose("--objective", v, {Objective::accuracy, Objective::loss});
  });
  text("--score", [this](const std::string& v) {
    base.score = choose("--score", v, {Score::natural, Score::balanced});
  });
  whole("--score-examples", base.score_examples);
  whole("--window", base.window);
  command.add_flag("--unknown-length", [this](std::int64_t) {
    given.emplace_back("--unknown-length");
    pending.emplace_back([this] { base.knows_length = false; });
  });
  whole("--sim-epochs", base.simulation_epochs);
  whole("--sim-examples", base.simulation_examples);
  whole("--stride", base.stride);
  whole("--min-stride", base.smallest_stride);
  whole("--max-stride", base.largest_stride);
  real("--reuse", base.reuse);
}

// A path is looked at, once; of what is no path, the name must be known.
BenchmarkOptions RunOptions::stream_called(const std::string& name) const {
  BenchmarkOptions stream;
  if (!is_own_stream(name)) {
    stream.name = name;
    check_is_known(name);
    for (const char* option : kOfOwnImages) {
      if (!was_given(option)) continue;
      throw Irrelevant(option, fmt::format("{} concerns images of your own, a PATH, and {} is none",
                                           option, name));
    }
    stream.tasks = default_tasks(name);
    return stream;
  }
  stream.name = path_name(name);
  OwnStreamOptions asked = own;
  if (was_given("--tasks")) asked.tasks = base.benchmark.tasks;
  if (was_given("--classes-per-task") && own.classes_per_task < 1) {
    throw UsageError(
        fmt::format("--classes-per-task must be at least 1, got {}", own.classes_per_task));
  }
  stream.own = look ? look(stream.name, asked) : look_at_images(stream.name, asked, jobs);
  stream.tasks = static_cast<int>(stream.own->classes_of_tasks.size());
  return stream;
}

void RunOptions::resolve() {
  const auto apply = [this] {
    for (const auto& use : pending) use();
  };
  if (!is_own_stream(base.benchmark.name)) check_is_known(base.benchmark.name);
  apply();
  const BenchmarkOptions stream = stream_called(base.benchmark.name);
  const std::string kind = treated_as(stream);
  const int memory = was_given("--memory") ? base.memory : default_memory(kind);
  const std::vector<std::string> names = learners;  // which apply() assigns anew
  bases.clear();
  for (const std::string& learner : names) {
    // A preset depends on the benchmark, the learner and the memory, and has the first word.
    base = preset_spec(preset, stream, learner, memory);
    apply();
    if (!was_given("--memory-batch"))
      base.learner.memory_batch = base.training.batch;  // as the paper does
    bases.push_back(base);
  }
}

bool RunOptions::was_given(const std::string& option) const { return contains(given, option); }

void RunOptions::check_seeds_and_jobs() const {
  if (was_given("--seed") && was_given("--seeds")) {
    throw UsageError("--seed (one seed) and --seeds (so many of them) exclude each other");
  }
  if (was_given("--seed") && seed < 0)
    throw UsageError(fmt::format("--seed must be at least 0, got {}", seed));
  if (seeds < 1) throw UsageError(fmt::format("--seeds must be at least 1, got {}", seeds));
  constexpr int kMostJobs = 1024;
  if (was_given("--jobs") && (jobs < 1 || jobs > kMostJobs)) {
    throw UsageError(fmt::format("--jobs must be between 1 and {}, got {}", kMostJobs, jobs));
  }
}

void RunOptions::check_checkpoints() const {
  if (resume && restart) throw UsageError("--resume and --restart exclude each other");
  if (resume && !checkpoints)
    throw UsageError("--resume and --checkpoint-every off exclude each other");
}

// Beside others, a learner without a memory needs no policy and takes none.
std::vector<std::string> RunOptions::policies_for(const std::string& learner) const {
  const bool takes_none = !replays(learner) && learners.size() > 1;
  if (policies.empty() || takes_none) return {preset_policy(preset, learner)};
  return policies;
}

std::vector<Spec> RunOptions::specs(std::vector<Impossible>* impossible) const {
  check_seeds_and_jobs();
  check_policies_are_of_use();
  check_checkpoints();
  if (exported.model) torch_backend();  // which may not be there
  std::vector<Spec> all;
  std::vector<std::string> labels;
  for (const Spec& shared : bases) {
    for (const std::string& policy : policies_for(shared.learner.name)) {
      Spec spec = shared;
      if (policy == "none" && !replays(shared.learner.name)) {
        spec.policy = policy;
      } else {
        set_policy(spec, policy);
      }
      try {
        validate(spec);
      } catch (const UsageError& error) {
        if (impossible == nullptr) throw;
        impossible->push_back({shared.learner.name, policy, error.what()});
        continue;
      }
      spec.network = identified(spec.network);
      const std::string label = run_label(spec, /*with_learner=*/learners.size() > 1);
      if (contains(labels, label))
        throw UsageError(fmt::format(
            "{} '{}' twice", learners.size() > 1 ? "--learner and --policy name" : "--policy names",
            label));
      labels.push_back(label);
      all.push_back(std::move(spec));
    }
  }
  check_learner_options();
  check_policy_options(all);
  return all;
}

void RunOptions::check_policies_are_of_use() const {
  const bool is_none = policies.size() == 1 && policies.front() == "none";
  if (policies.empty() || is_none || std::any_of(learners.begin(), learners.end(), replays)) return;
  throw Irrelevant("--policy",
                   fmt::format("learner '{}' keeps no memory, so it takes no --policy ('{}')",
                               join(learners), join(policies)));
}

void RunOptions::check_learner_options() const {
  if (std::none_of(learners.begin(), learners.end(), replays)) {
    for (const char* option : {"--memory", "--memory-batch", "--lambda", "--er-loss"}) {
      if (was_given(option)) {
        throw Irrelevant(
            option, fmt::format("{} has no meaning for learner '{}', which keeps no memory", option,
                                join(learners)));
      }
    }
  }
  for (const std::string& option : given) {
    const std::vector<std::string> concerned = learners_with(option);
    const bool is_used =
        std::any_of(learners.begin(), learners.end(),
                    [&](const std::string& learner) { return contains(concerned, learner); });
    if (concerned.empty() || is_used) continue;
    throw Irrelevant(option, fmt::format("{} concerns learner {} only, but --learner is {}", option,
                                         join(concerned, " and "), join(learners)));
  }
}

void RunOptions::check_policy_options(const std::vector<Spec>& specs) const {
  for (const std::string& policy : policies) {
    for (const std::string& option : options_said_by(policy)) {
      if (!was_given(option)) continue;
      throw UsageError(
          fmt::format("--policy {} and {} both say which; leave one of them out", policy, option));
    }
  }
  std::vector<std::string> chosen;
  for (const Spec& spec : specs) {
    if (!contains(chosen, policy_label(spec))) chosen.push_back(policy_label(spec));
  }
  for (const char* option : {"--easy-fraction", "--easy-rank"}) {
    if (!was_given(option) || std::any_of(specs.begin(), specs.end(), has_easy_pool)) continue;
    throw Irrelevant(option, fmt::format("{} concerns policy cur-res, cur-ring-full, and mixed and "
                                         "gps with --base curriculum, but "
                                         "--policy is {}",
                                         option, join(chosen)));
  }
  for (const Relevance& relevance : relevances()) {
    const bool is_used = std::any_of(specs.begin(), specs.end(), [&](const Spec& spec) {
      return contains(relevance.policies, spec.policy);
    });
    if (was_given(relevance.option) && !is_used) {
      throw Irrelevant(
          relevance.option,
          fmt::format("{} concerns policy {} only, but --policy is {}", relevance.option,
                      join(relevance.policies, " and "), join(chosen)));
    }
  }
}

std::vector<std::uint64_t> RunOptions::all_seeds() const {
  if (seed >= 0) return {static_cast<std::uint64_t>(seed)};
  std::vector<std::uint64_t> all;
  for (int s = 0; s < seeds; ++s) all.push_back(static_cast<std::uint64_t>(s));
  return all;
}

std::optional<CheckpointOptions> parse_checkpoints(const std::string& text) {
  constexpr const char* kOption = "--checkpoint-every";
  constexpr const char* kWhat = "minutes, a number and 'steps', or 'off'";
  if (text == "off") return std::nullopt;
  CheckpointOptions options;
  if (text.ends_with("steps")) {
    options.steps = parse<std::size_t>(kOption, text.substr(0, text.size() - 5), kWhat);
    if (options.steps == 0) throw UsageError("--checkpoint-every 0steps: at least 1 is needed");
    return options;
  }
  options.seconds = 60 * parse<double>(kOption, text, kWhat);
  if (!(options.seconds >= 0))
    throw UsageError(fmt::format("{} must be at least 0 minutes, got {}", kOption, text));
  return options;
}

std::filesystem::path store_path(const std::filesystem::path& store,
                                 const std::filesystem::path& out) {
  return store.empty() ? out / "runs.sqlite" : store;
}

}  // namespace gps::cli
