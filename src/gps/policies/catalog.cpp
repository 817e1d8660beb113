#include "gps/policies/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace gps {

// Each is defined in the file of its name.
PolicyEntry reservoir_policy(), ring_full_policy(), hybrid_policy(), mixed_policy(),
    cur_res_policy(), cur_ring_full_policy(), gradient_policy(), herding_policy(),
    one_batch_policy(), gps_policy();

const std::vector<PolicyEntry>& policy_catalog() {
  static const std::vector<PolicyEntry> catalog = {
      reservoir_policy(), ring_full_policy(),     hybrid_policy(),   mixed_policy(),
      cur_res_policy(),   cur_ring_full_policy(), gradient_policy(), herding_policy(),
      one_batch_policy(), gps_policy(),
  };
  return catalog;
}

namespace {

const PolicyEntry& entry_of(const std::string& name) {
  return find(policy_catalog(), "policy", name);
}

const Option& option_of(const PolicyEntry& entry, const std::string& key) {
  return *find_option(entry.options, key);
}

// Returns the value that a part of a variant names, or an empty text.
std::string name_meant(const Option& option, const std::string& part) {
  const auto at = option.short_names.find(part);
  const std::string name = at == option.short_names.end() ? part : at->second;
  const bool is_known =
      std::find(option.names.begin(), option.names.end(), name) != option.names.end();
  return is_known ? name : "";
}

bool is_number(const std::string& text) {
  return !text.empty() && (std::isdigit(static_cast<unsigned char>(text.front())) != 0 ||
                           text.front() == '.' || text.front() == '-');
}

[[noreturn]] void refuse_part(const PolicyEntry& entry, const std::string& part) {
  if (entry.variants.size() > 1) {  // name the option that was most likely meant
    const Option& first = option_of(entry, entry.variants.front());
    if (first.kind == OptionKind::name)
      throw UsageError(unknown_name_text(first.flag, part, first.names));
    throw OptionError(first.flag, fmt::format("must be a number between 0 and 1, got '{}'", part));
  }
  const Option& only = option_of(entry, entry.variants.front());
  throw UsageError(unknown_name_text(only.flag, part, only.names));
}

}  // namespace

std::string short_name_of(const Option& option, const std::string& value) {
  for (const auto& [short_name, name] : option.short_names) {
    if (name == value) return short_name;
  }
  return value;
}

std::vector<std::string> variant_forms() {
  constexpr std::size_t kFew = 3;
  std::vector<std::string> forms;
  for (const PolicyEntry& entry : policy_catalog()) {
    for (const std::string& key : entry.variants) {
      const Option& option = option_of(entry, key);
      if (option.names.empty() || option.names.size() > kFew) {
        std::string placeholder = option.flag;
        for (char& letter : placeholder)
          letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
        forms.push_back(entry.name + ":" + placeholder);
        continue;
      }
      for (const std::string& value : option.names) {
        if (OptionValue(value) != option.usual)
          forms.push_back(entry.name + ":" + short_name_of(option, value));
      }
    }
  }
  return forms;
}

Settings variant_of(const std::string& text) {
  const std::size_t colon = text.find(':');
  const PolicyEntry& entry = entry_of(text.substr(0, colon));
  Settings settings;
  if (colon == std::string::npos) return settings;
  if (entry.variants.empty()) {
    throw UsageError(fmt::format("policy '{}' has no variants, got '{}'; variants: {}", entry.name,
                                 text, join(variant_forms())));
  }
  std::vector<double> numbers;
  for (const std::string& part : split(text.substr(colon + 1), '/')) {
    bool is_meant = false;
    for (const std::string& key : entry.variants) {
      const Option& option = option_of(entry, key);
      if (option.kind == OptionKind::reals && is_number(part)) {
        numbers.push_back(parse_real(option.flag, part, "a number between 0 and 1"));
        settings[key] = numbers;
        is_meant = true;
      } else if (option.kind == OptionKind::name) {
        const std::string name = name_meant(option, part);
        if (name.empty()) continue;
        settings[key] = name;
        is_meant = true;
      }
      if (is_meant) break;
    }
    if (!is_meant) refuse_part(entry, part);
  }
  return settings;
}

void set_policy(PolicyOptions& options, const std::string& text) {
  const Settings variant = variant_of(text);
  options.name = text.substr(0, text.find(':'));
  for (const auto& [key, value] : variant) options.settings[key] = value;
}

std::string policy_label(const PolicyOptions& options) {
  if (options.name == "none") return options.name;
  const PolicyEntry& entry = entry_of(options.name);
  std::vector<std::string> parts;
  for (const std::string& key : entry.variants) {
    const Option& option = option_of(entry, key);
    const OptionValue& value = value_in(options.settings, option);
    const bool is_shown = entry.always_shows && key == entry.variants.front();
    if (!is_shown && value == option.usual) continue;
    std::string text = text_of(value);
    std::replace(text.begin(), text.end(), ',', '/');
    parts.push_back(short_name_of(option, text));
  }
  return parts.empty() ? options.name : options.name + ":" + join(parts, "/");
}

OptionValue setting_of(const PolicyOptions& options, const std::string& key) {
  const Option* option = nullptr;
  if (options.name != "none") option = find_option(entry_of(options.name).options, key);
  for (const PolicyEntry& entry : policy_catalog()) {
    if (option == nullptr) option = find_option(entry.options, key);
  }
  if (option == nullptr) throw UsageError(fmt::format("no policy has an option '{}'", key));
  return normalised(*option, value_in(options.settings, *option));
}

bool simulates(const PolicyOptions& options) {
  return options.name != "none" && entry_of(options.name).simulates;
}

std::string why_not_lasting(const PolicyOptions& options) {
  if (options.name == "none") return "";
  const PolicyEntry& entry = entry_of(options.name);
  return entry.why_not_lasting == nullptr ? "" : entry.why_not_lasting(options.settings);
}

void validate(const PolicyOptions& options) {
  const PolicyEntry& entry = entry_of(options.name);
  check(options.settings, entry.options, [](const std::string& key) {
    return std::any_of(
        policy_catalog().begin(), policy_catalog().end(),
        [&](const PolicyEntry& each) { return find_option(each.options, key) != nullptr; });
  });
  if (entry.check != nullptr) entry.check(options.settings);
}

void check_stream(const PolicyOptions& options, const StreamOutline& stream) {
  const PolicyEntry& entry = entry_of(options.name);
  if (entry.check_stream != nullptr) entry.check_stream(options.settings, stream);
}

Settings settled(const PolicyOptions& options, const PolicyContext& context) {
  Settings own;
  if (options.name == "none") return own;
  const PolicyEntry& entry = entry_of(options.name);
  for (const Option& option : entry.options) {
    if (!is_of_concern(option, entry.options, options.settings)) continue;
    own[option.key] = value_in(options.settings, option);
  }
  if (entry.settle != nullptr) entry.settle(own, context);
  return own;
}

std::unique_ptr<MemoryPolicy> make_policy(const PolicyOptions& options,
                                          const PolicyContext& context) {
  if (options.name == "none") return make_no_memory();
  return entry_of(options.name).make(options.settings, context);
}

}  // namespace gps
