#include "gps/experiments/spec_options.h"

#include <fmt/format.h>

#include <algorithm>

namespace gps {
namespace {

using Options = std::vector<SpecOption>;

const SpecOption* with_key(const Options& options, const std::string& key) {
  const auto at = std::find_if(options.begin(), options.end(),
                               [&](const SpecOption& option) { return option.row.key == key; });
  return at == options.end() ? nullptr : &*at;
}

// Adds the rows of a table for one part of the spec.
template <typename Part, typename Owner>
void add_part(Options& all, const OptionTable<Part>& table, Part Owner::*part,
              const std::string& group,
              const std::function<bool(const Spec&, const Option&)>& concerns) {
  for (const BoundOption<Part>& each : table) {
    all.push_back(
        {.row = each.row,
         .group = group,
         .get = [part, each](const Spec& spec) { return each.get(spec.*part); },
         .set = [part, each](Spec& spec, const OptionValue& v) { each.set(spec.*part, v); },
         .concerns = [concerns, row = each.row](
                         const Spec& spec) { return !concerns || concerns(spec, row); }});
  }
}

// Returns the options of all members of a family, each option once, with the names of its users.
template <typename AnyEntry>
Options of_family(const std::string& family, const std::vector<AnyEntry>& catalog) {
  Options all;
  for (const AnyEntry& entry : catalog) {
    for (const Option& option : entry.options) {
      const auto known = std::find_if(all.begin(), all.end(), [&](const SpecOption& each) {
        return each.row.key == option.key;
      });
      SpecOption* one = known == all.end() ? nullptr : &*known;
      if (one == nullptr) {
        all.push_back({.row = option, .group = "", .family = family});
        one = &all.back();
      }
      one->users.push_back(entry.name);
      if (!option.needs_key.empty()) {
        one->users_if.push_back(entry.name);
        one->row.needs_key = option.needs_key;
        one->row.needs_value = option.needs_value;
      }
    }
  }
  return all;
}

void add_stream(Options& all) {
  add_part(all, benchmark_options(), &Spec::benchmark, "The stream", {});
  for (SpecOption& option : all) {
    if (option.row.key != "augment") continue;
    option.concerns = [](const Spec& spec) {
      return default_model(treated_as(spec.benchmark)) != "mlp";  // colour images
    };
    option.is_always_written = true;
  }
}

void add_training(Options& all) {
  static const OptionTable<TrainOptions> table = {
      option("epochs", &TrainOptions::epochs, "passes over a task").at_least(1).called("E"),
      option("batch", &TrainOptions::batch, "examples in each step").at_least(1).called("B"),
  };
  add_part(all, table, &Spec::training, "Training", {});
}

void add_learner(Options& all) {
  add_part(all, learner_options(), &Spec::learner, "Training",
           [](const Spec& spec, const Option& row) {
             return row.key != "memory_batch" || replays(spec.learner.name);
           });
  for (SpecOption& option : of_family("learner", learner_catalog())) {
    option.group = "Learners";
    option.get = [row = option.row](const Spec& spec) {
      return normalised(row, value_in(spec.learner.settings, row));
    };
    option.set = [key = option.row.key](Spec& spec, const OptionValue& value) {
      spec.learner.settings[key] = value;
    };
    option.concerns = [key = option.row.key](const Spec& spec) {
      const auto& own = find(learner_catalog(), "learner", spec.learner.name).options;
      return find_option(own, key) != nullptr;
    };
    all.push_back(std::move(option));
  }
}

void add_network(Options& all) {
  all.push_back({.row = {.key = "model",
                         .flag = "model",
                         .kind = OptionKind::text,
                         .usual = NetworkOptions().model,
                         .help = "the network that learns",
                         .usual_text = "mlp; in colour: resnet18",
                         .value_name = "M",
                         .is_silent = true},
                 .group = "The network",
                 .get = [](const Spec& spec) { return OptionValue(spec.network.model); },
                 .set = [](Spec& spec,
                           const OptionValue& v) { spec.network.model = std::get<std::string>(v); },
                 .concerns = [](const Spec&) { return true; }});
  const std::vector<SpecOption> users = of_family("model", model_catalog());
  for (const BoundOption<NetworkOptions>& each : network_options()) {
    SpecOption option{.row = each.row, .group = "The network", .family = "model"};
    option.users = with_key(users, each.row.key)->users;
    option.get = [each](const Spec& spec) { return each.get(spec.network); };
    if (each.row.key == "backend") {  // results contain it only if it is not the default
      option.get = [](const Spec& spec) -> OptionValue {
        NetworkOptions by_default = spec.network;
        by_default.backend.clear();
        const bool is_other = is_fused_resnet18(spec.network) != is_fused_resnet18(by_default);
        return is_other ? spec.network.backend : std::string();
      };
    }
    option.set = [each](Spec& spec, const OptionValue& v) { each.set(spec.network, v); };
    option.concerns = [key = each.row.key](const Spec& spec) {
      return find_option(options_of_model(spec.network.model), key) != nullptr;
    };
    all.push_back(std::move(option));
  }
  // Fingerprints of the files. They are only for results, so they have no flag.
  const auto add_fingerprint = [&](const char* key, std::string NetworkOptions::*member,
                                   bool (*concerns)(const Spec&)) {
    all.push_back(
        {.row = {.key = key, .flag = "", .kind = OptionKind::text, .usual = std::string()},
         .group = "",
         .get = [member](const Spec& spec) { return OptionValue(spec.network.*member); },
         .set = [member](Spec& spec,
                         const OptionValue& v) { spec.network.*member = std::get<std::string>(v); },
         .concerns = concerns});
  };
  add_fingerprint("model_fingerprint", &NetworkOptions::model_fingerprint,
                  [](const Spec& spec) { return is_file(spec.network.model); });
  add_fingerprint("weights_fingerprint", &NetworkOptions::weights_fingerprint,
                  [](const Spec& spec) { return !spec.network.weights.empty(); });
}

PolicyContext with_needs(const Spec& spec, const SimulationNeeds& needs) {
  return {spec.training.batch, &needs};
}

void add_memory(Options& all) {
  all.push_back({.row = {.key = "memory",
                         .flag = "memory",
                         .kind = OptionKind::whole,
                         .usual = Method().memory,
                         .help = "examples that the memory holds",
                         .value_name = "N",
                         .least = 1},
                 .group = "Policies",
                 .get = [](const Spec& spec) { return OptionValue(spec.memory); },
                 .set = [](Spec& spec, const OptionValue& v) { spec.memory = std::get<int>(v); },
                 .concerns = [](const Spec& spec) { return spec.policy.name != "none"; }});
  for (SpecOption& option : of_family("policy", policy_catalog())) {
    option.group = option.users == std::vector<std::string>{"gps"} ? "The simulation" : "Policies";
    option.get = [row = option.row](const Spec& spec) {
      const SimulationNeeds needs = simulation_needs(spec, outlook_of(spec.benchmark));
      const Settings own = settled(spec.policy, with_needs(spec, needs));
      return normalised(row, value_in(own, row));
    };
    option.set = [key = option.row.key](Spec& spec, const OptionValue& value) {
      spec.policy.settings[key] = value;
    };
    option.concerns = [key = option.row.key](const Spec& spec) {
      if (spec.policy.name == "none") return false;
      const auto& own = find(policy_catalog(), "policy", spec.policy.name).options;
      const Option* row = find_option(own, key);
      return row != nullptr && is_of_concern(*row, own, spec.policy.settings);
    };
    all.push_back(std::move(option));
  }
}

}  // namespace

const std::vector<SpecOption>& spec_options() {
  static const Options all = [] {
    Options options;
    add_stream(options);
    add_training(options);
    add_learner(options);
    add_network(options);
    add_memory(options);
    return options;
  }();
  return all;
}

const SpecOption& spec_option(const std::string& key) { return *with_key(spec_options(), key); }

const SpecOption* find_spec_option(const std::string& flag, const std::string& text) {
  const bool is_path = text.find_first_of("./") != std::string::npos;
  for (const SpecOption& option : spec_options()) {
    if (option.row.flag.empty() || option.row.flag != flag) continue;
    if (option.row.key == "initialisation" && is_path) continue;  // the weights have the same flag
    return &option;
  }
  return nullptr;
}

void set_option(Spec& spec, const std::string& flag, const std::string& text) {
  const SpecOption* option = find_spec_option(flag, text);
  if (option == nullptr) throw OptionError(flag, "is not an option of a run");
  const OptionValue value = normalised(option->row, parse(option->row, text));
  check(option->row, value);
  option->set(spec, value);
}

std::string why_useless(const SpecOption& option, const std::string& chosen) {
  if (option.family.empty()) return fmt::format("has no effect for {}", chosen);
  std::vector<std::string> always;
  for (const std::string& user : option.users) {
    const auto& some = option.users_if;
    if (std::find(some.begin(), some.end(), user) == some.end()) always.push_back(user);
  }
  std::string who = join(always, " and ");
  if (!option.users_if.empty()) {
    who += fmt::format("{}{} with `{}` {}", who.empty() ? "" : ", and ",
                       join(option.users_if, " and "), detail::flag_for(option.row.needs_key),
                       text_of(option.row.needs_value));
  }
  return fmt::format("works only with {} {}, but `{}` is {}", option.family, who, option.family,
                     chosen);
}

}  // namespace gps
