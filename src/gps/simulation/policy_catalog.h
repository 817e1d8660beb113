// All policies: those of policies/, and gps, which simulates.
#pragma once

#include "gps/policies/policy.h"

namespace gps {

const std::vector<PolicyEntry>& policy_catalog();

// "mixed:0.5", "mixed:0.5/cur", "gps:rotation/balanced/cur", "ring-full:floor", "gradient:greedy":
// the policy's name and what tells its variants apart. Sets both. Throws UsageError.
void set_policy(PolicyOptions& options, const std::string& text);

// The options that stand behind the name in such a text, by key: {"future", "base"} for
// gps:rotation/cur. Throws UsageError.
Settings variant_of(const std::string& text);

// The same the other way round, for tables: what to call this policy beside others.
std::string policy_label(const PolicyOptions& options);

// The value of an option of the policy, or the usual one. REQUIRES: some policy has it.
OptionValue setting_of(const PolicyOptions& options, const std::string& key);

// Throws UsageError for what is unknown, out of range or impossible together.
void validate(const PolicyOptions& options);

// The policy's own options with everything filled in that follows from the rest of the run: what
// results say. Empty for "none".
Settings settled(const PolicyOptions& options, const PolicyContext& context);

// REQUIRES: context.simulation for a policy that simulates.
std::unique_ptr<MemoryPolicy> make_policy(const PolicyOptions& options,
                                          const PolicyContext& context);

}  // namespace gps
