#include "gps/experiments/method_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gps/memory/codecs/codec.h"

namespace gps {
namespace {

using MethodOptions = std::vector<MethodOption>;

const FamilyOption* with_key(const std::vector<FamilyOption>& options, const std::string& key) {
  const auto at = std::find_if(options.begin(), options.end(),
                               [&](const FamilyOption& option) { return option.row.key == key; });
  return at == options.end() ? nullptr : &*at;
}

std::string no_memory(const Method& method) {
  return fmt::format("learner '{}', which keeps no memory", method.learner.name);
}

// Which member of this family the method has: "er", "gps:permutation", "mlp".
std::string member_of(const std::string& family, const Method& method) {
  if (family == "learner") return method.learner.name;
  return family == "policy" ? policy_label(method.policy) : method.network.model;
}

// The options of a family are of no use to its other members.
void name_members(MethodOptions& all) {
  for (MethodOption& option : all) {
    if (option.family.empty()) continue;
    option.instead = [family = option.family](const Method& method) {
      return member_of(family, method);
    };
  }
}

// The rows of a table over a part of the method that says how to train.
template <typename Part>
void add_training_part(MethodOptions& all, const OptionTable<Part>& table, Part Method::*part,
                       const std::function<bool(const Method&, const Option&)>& concerns) {
  for (const BoundOption<Part>& each : table) {
    MethodOption option{{.row = each.row, .group = "Training", .is_of_training = true}};
    option.get = [part, each](const Method& method, const Outlook&) {
      return each.get(method.*part);
    };
    option.set = [part, each](Method& method, const OptionValue& v) { each.set(method.*part, v); };
    option.concerns = [concerns, row = each.row](const Method& method) {
      return !concerns || concerns(method, row);
    };
    option.instead = no_memory;
    all.push_back(std::move(option));
  }
}

// The options of all members of a family, each once, with the names of its users.
template <typename AnyEntry>
std::vector<FamilyOption> of_family(const std::string& family,
                                    const std::vector<AnyEntry>& catalog) {
  std::vector<FamilyOption> all;
  for (const AnyEntry& entry : catalog) {
    for (const Option& option : entry.options) {
      const auto known = std::find_if(all.begin(), all.end(), [&](const FamilyOption& each) {
        return each.row.key == option.key;
      });
      FamilyOption* one = known == all.end() ? nullptr : &*known;
      if (one == nullptr) {
        all.push_back({.row = option, .family = family});
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

void add_training(MethodOptions& all) {
  constexpr int kMost = 1'000'000;
  static const OptionTable<TrainOptions> table = {
      option("epochs", &TrainOptions::epochs, "passes over a task")
          .between(1, kMost)
          .called("E")
          .in_paper({{"s-cifar-10", "", 50}, {"s-cifar-100", "", 100}, {"tiny-imagenet", "", 100}}),
      option("batch", &TrainOptions::batch, "examples in each step")
          .between(1, kMost)
          .called("B")
          .in_paper({{"s-cifar-100", "", 50}, {"tiny-imagenet", "", 50}}),
      option("steps", &TrainOptions::steps, "steps of a task, instead of whole passes over it")
          .between(0, 1'000'000'000)
          .usually("0: `epochs` passes")
          .silent(),
  };
  add_training_part(all, table, &Method::training, {});
}

void add_learner(MethodOptions& all) {
  add_training_part(all, learner_options(), &Method::learner,
                    [](const Method& method, const Option& row) {
                      return row.key != "memory_batch" || replays(method.learner.name);
                    });
  for (const FamilyOption& each : of_family("learner", learner_catalog())) {
    MethodOption option{each};
    option.group = "Learners";
    option.get = [row = each.row](const Method& method, const Outlook&) {
      return normalised(row, value_in(method.learner.settings, row));
    };
    option.set = [key = each.row.key](Method& method, const OptionValue& value) {
      method.learner.settings[key] = value;
    };
    option.concerns = [key = each.row.key](const Method& method) {
      const auto& own = find(learner_catalog(), "learner", method.learner.name).options;
      return find_option(own, key) != nullptr;
    };
    all.push_back(std::move(option));
  }
}

// A text that is a member of the network's options.
MethodOption network_text_option(Option row, std::string NetworkOptions::*member,
                                 bool (*concerns)(const Method&), const std::string& instead) {
  row.kind = OptionKind::text;
  row.usual = NetworkOptions().*member;
  MethodOption option{{.row = std::move(row)}};
  option.get = [member](const Method& method, const Outlook&) {
    return OptionValue(method.network.*member);
  };
  option.set = [member](Method& method, const OptionValue& value) {
    method.network.*member = std::get<std::string>(value);
  };
  option.concerns = concerns;
  option.instead = [instead](const Method&) { return instead; };
  return option;
}

void add_network(MethodOptions& all) {
  all.push_back(network_text_option(
      {.key = "model",
       .flag = "model",
       .help = "the network that learns",
       .usual_text = "mlp; in colour: resnet18",
       .value_name = "M",
       .is_silent = true},
      &NetworkOptions::model, [](const Method&) { return true; }, ""));
  all.back().group = "The network";
  const std::vector<FamilyOption> users = of_family("model", model_catalog());
  for (const BoundOption<NetworkOptions>& each : network_options()) {
    MethodOption option{{.row = each.row, .group = "The network", .family = "model"}};
    option.users = with_key(users, each.row.key)->users;
    option.get = [each](const Method& method, const Outlook&) { return each.get(method.network); };
    if (each.row.key == "backend") {  // results mention it where it is not the one by default
      option.get = [](const Method& method, const Outlook&) -> OptionValue {
        NetworkOptions by_default = method.network;
        by_default.backend.clear();
        const bool is_other = is_fused_resnet18(method.network) != is_fused_resnet18(by_default);
        return is_other ? method.network.backend : std::string();
      };
      option.effective = [](const Method& method) -> OptionValue {
        return std::string(is_fused_resnet18(method.network) ? "own" : "libtorch");
      };
    }
    if (each.row.key == "width") {
      option.effective = [](const Method& method) -> OptionValue {
        return method.network.width == 0 ? kUsualWidth : method.network.width;
      };
    }
    option.set = [each](Method& method, const OptionValue& v) { each.set(method.network, v); };
    option.concerns = [key = each.row.key](const Method& method) {
      return find_option(options_of_model(method.network.model), key) != nullptr;
    };
    all.push_back(std::move(option));
  }
  // What the files were: for results only, so without a flag.
  all.push_back(network_text_option(
      {.key = "model_fingerprint", .flag = ""}, &NetworkOptions::model_fingerprint,
      [](const Method& method) { return is_file(method.network.model); },
      "a `model` that is not a file"));
  all.push_back(network_text_option(
      {.key = "weights_fingerprint", .flag = ""}, &NetworkOptions::weights_fingerprint,
      [](const Method& method) { return !method.network.weights.empty(); },
      "an `init` that is not a file"));
  all.push_back(network_text_option(
      {.key = "backbone_fingerprint", .flag = ""}, &NetworkOptions::backbone_fingerprint,
      [](const Method& method) { return !method.network.backbone.empty(); },
      "a run without `backbone`"));
}

void add_memory(MethodOptions& all) {
  static const OptionTable<Method> table = {
      count_or_bytes("memory", &Method::memory, &Method::memory_bytes,
                     "examples that the memory holds, or bytes: 784kB, 20MB")
          .between(1, kLargestMemory)
          .in_paper(
              {{"s-cifar-10", "", 200}, {"s-cifar-100", "", 2000}, {"tiny-imagenet", "", 2000}}),
      option(
          "codec", &Method::codec,
          "how the memory stores images: raw | bits:N | bits:N/dither | down:F | pack:N | webp:N; "
          "run and sweep also take auto")
          .called("CODEC")
          .offers(codec_texts())
          .silent(),
  };
  for (const BoundOption<Method>& each : table) {
    MethodOption option{{.row = each.row, .group = "Policies"}};
    option.get = [each](const Method& method, const Outlook&) { return each.get(method); };
    option.set = each.set;
    option.concerns = [](const Method& method) { return method.policy.name != "none"; };
    option.instead = no_memory;
    all.push_back(std::move(option));
  }
  for (const FamilyOption& each : of_family("policy", policy_catalog())) {
    MethodOption option{each};
    option.group = each.users == std::vector<std::string>{"gps"} ? "The simulation" : "Policies";
    option.get = [row = each.row](const Method& method, const Outlook& outlook) {
      const SimulationNeeds needs = simulation_needs(method, outlook);
      const Settings own = settled(method.policy, {method.training.batch, &needs});
      return normalised(row, value_in(own, row));
    };
    option.set = [key = each.row.key](Method& method, const OptionValue& value) {
      method.policy.settings[key] = value;
    };
    option.concerns = [key = each.row.key](const Method& method) {
      if (method.policy.name == "none") return false;
      const auto& own = find(policy_catalog(), "policy", method.policy.name).options;
      const Option* row = find_option(own, key);
      return row != nullptr && is_of_concern(*row, own, method.policy.settings);
    };
    all.push_back(std::move(option));
  }
}

// The JSON library would wrap negative numbers and round those with a fraction.
ByteCount byte_count_from(const Option& option, const nlohmann::json& json) {
  if (json.is_number_unsigned() || (json.is_number_integer() && json.get<std::int64_t>() >= 0))
    return {json.get<std::uint64_t>()};
  throw OptionError(option.flag, fmt::format("must be a number of bytes, got {}", json.dump()));
}

}  // namespace

const std::vector<MethodOption>& method_options() {
  static const MethodOptions all = [] {
    MethodOptions options;
    add_training(options);
    add_learner(options);
    add_network(options);
    add_memory(options);
    name_members(options);
    return options;
  }();
  return all;
}

std::string why_useless(const FamilyOption& option, const std::string& chosen) {
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

OptionValue read_value(const Option& option, const std::string& text) {
  OptionValue value = normalised(option, parse(option, text));
  check(option, value);
  return value;
}

void write_value(nlohmann::json& json, const Option& option, const OptionValue& value) {
  if (!option.is_silent || value != option.usual) json[key_of(option, value)] = to_json(value);
}

std::optional<OptionValue> known_value(const nlohmann::json& json, const Option& option) {
  if (option.kind == OptionKind::size) {
    const std::string key = key_of(option, ByteCount());
    if (json.contains(key)) return byte_count_from(option, json.at(key));
  }
  if (!json.contains(option.key)) return std::nullopt;
  const OptionValue value = value_from(option, json.at(option.key));
  const auto& names = option.names;
  const bool is_unknown =
      option.kind == OptionKind::name &&
      std::find(names.begin(), names.end(), std::get<std::string>(value)) == names.end();
  return is_unknown ? std::nullopt : std::optional(value);
}

}  // namespace gps
