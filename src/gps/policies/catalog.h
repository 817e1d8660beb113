// All policies: those of policies/, and gps, which simulates.
#pragma once

#include "gps/policies/policy.h"

namespace gps {

const std::vector<PolicyEntry>& policy_catalog();

// Sets the policy's name and the options of its variant from a text: "mixed:0.5", "mixed:0.5/cur",
// "gps:rotation/balanced/cur", "ring-full:floor", "gradient:greedy". Throws UsageError.
void set_policy(PolicyOptions& options, const std::string& text);

// Returns the options that follow the name in such a text, by key: {"future", "base"} for
// gps:rotation/cur. Throws UsageError.
Settings variant_of(const std::string& text);

// The reverse of set_policy(): returns the text that names this policy in tables.
std::string policy_label(const PolicyOptions& options);

// Returns the value of an option of the policy, or its default. Throws UsageError if no policy has
// this option.
OptionValue setting_of(const PolicyOptions& options, const std::string& key);

// Return what the entry of this policy says; "none" does not simulate.
bool simulates(const PolicyOptions& options);
std::string why_not_lasting(const PolicyOptions& options);

// Returns what a value is called after the policy's name: "cur" for curriculum.
std::string short_name_of(const Option& option, const std::string& value);

// Returns the forms of policies with a variant, for help: "mixed:RING", "gps:FUTURE",
// "ring-full:floor" and so on. Options with few names have a form for each.
std::vector<std::string> variant_forms();

// Throws UsageError for options that are unknown, out of range or impossible together.
void validate(const PolicyOptions& options);

// Throws OptionError for options that do not fit the stream or the memory. REQUIRES: valid options.
void check_stream(const PolicyOptions& options, const StreamOutline& stream);

// Returns the policy's own options as results record them, with all values filled in that depend on
// the rest of the run. Empty for "none". Throws UsageError if a policy that simulates gets no
// context.simulation.
Settings settled(const PolicyOptions& options, const PolicyContext& context);

// Throws UsageError if a policy that simulates gets no context.simulation, or one without executor.
std::unique_ptr<MemoryPolicy> make_policy(const PolicyOptions& options,
                                          const PolicyContext& context);

}  // namespace gps
