// The defaults that the help of `gpscl run` prints are those of the presets.
#include <gmock/gmock.h>

#include <algorithm>

#include "apps/program.h"
#include "gps/experiments/spec/presets.h"
#include "gps/experiments/spec/spec_options.h"

namespace gps {
namespace help_defaults_test {

using testing::gpscl;
using testing::lines_of;

// The text between the last parentheses of an option in the help, with its lines joined.
std::string printed_default(const std::string& flag) {
  static const std::vector<std::string> lines = lines_of(gpscl({"run", "--help-all"}).out);
  const auto begins = [](const std::string& line, const std::string& with) {
    return line.starts_with(with) && (line.size() == with.size() || line[with.size()] == ' ');
  };
  auto at = std::find_if(lines.begin(), lines.end(),
                         [&](const std::string& line) { return begins(line, "  --" + flag); });
  if (at == lines.end()) return "(no such option)";
  std::string text = *at++;
  for (; at != lines.end() && at->starts_with("     "); ++at)
    text += at->substr(at->find_first_not_of(' ') - 1);
  const std::size_t open = text.rfind(" (");
  if (open == std::string::npos || !text.ends_with(')')) return "";
  return text.substr(open + 2, text.size() - open - 3);
}

bool names_any(const std::string& names, const std::string& separator,
               const std::vector<std::string>& wanted) {
  std::string rest = names;
  while (true) {
    const std::size_t end = rest.find(separator);
    if (std::find(wanted.begin(), wanted.end(), rest.substr(0, end)) != wanted.end()) return true;
    if (end == std::string::npos) return false;
    rest = rest.substr(end + separator.size());
  }
}

std::vector<std::string> cut(const std::string& text, const std::string& separator) {
  std::vector<std::string> parts = {""};
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text.compare(k, separator.size(), separator) == 0) {
      parts.emplace_back();
      k += separator.size() - 1;
    } else {
      parts.back() += text[k];
    }
  }
  return parts;
}

// Reads "0.5; der++: 1; s-cifar-10: 0.3, der++ 0.1" as a person does: what a benchmark has is said
// behind its name, and the beginning holds for all that are not named.
std::string read_for(const std::string& text, const std::string& benchmark,
                     const std::vector<std::string>& members) {
  const std::vector<std::string> parts = cut(text, "; ");
  std::string value = parts.front();
  for (std::size_t k = 1; k < parts.size(); ++k) {
    const std::size_t colon = parts[k].find(": ");
    const std::string names = parts[k].substr(0, colon);
    const std::string rest = parts[k].substr(colon + 2);
    if (names_any(names, ", ", members)) value = rest;
    if (!names_any(names, ", ", {benchmark})) continue;
    const std::vector<std::string> of_benchmark = cut(rest, ", ");
    value = of_benchmark.front();
    for (std::size_t j = 1; j < of_benchmark.size(); ++j) {
      const std::size_t blank = of_benchmark[j].rfind(' ');
      if (names_any(of_benchmark[j].substr(0, blank), " and ", members))
        value = of_benchmark[j].substr(blank + 1);
    }
  }
  return value;
}

// Options whose default is printed as a value. The others have a text of their own, as "= --batch".
std::vector<const SpecOption*> with_values() {
  std::vector<const SpecOption*> some;
  for (const SpecOption& option : spec_options()) {
    const Option& row = option.row;
    if (!row.flag.empty() && row.usual_text.empty() && row.kind != OptionKind::flag)
      some.push_back(&option);
  }
  return some;
}

Spec with_policy(Spec spec, const SpecOption& option, const std::string& policy) {
  spec.policy.name = policy;
  if (std::count(option.users_if.begin(), option.users_if.end(), policy) > 0)
    spec.policy.settings[option.row.needs_key] = option.row.needs_value;
  return spec;
}

TEST(HelpDefaults, AreThoseOfThePresetForSomeOptions) {
  const auto printed = [](const std::string& flag, const std::string& benchmark,
                          const std::string& learner) {
    return read_for(printed_default(flag), benchmark, {learner});
  };
  EXPECT_EQ(printed("alpha", "p-mnist", "der"), "0.5");
  EXPECT_EQ(printed("alpha", "p-mnist", "der++"), "1");
  EXPECT_EQ(printed("alpha", "s-cifar-10", "der"), "0.3");
  EXPECT_EQ(printed("alpha", "s-cifar-10", "der++"), "0.1");
  EXPECT_EQ(printed("gss-batch", "p-mnist", "gss"), "10");
  EXPECT_EQ(printed("gss-batch", "s-cifar-100", "gss"), "32");
  EXPECT_EQ(printed("epochs", "tiny-imagenet", "er"), "100");
  EXPECT_EQ(printed("lr", "s-mnist", "ogd"), "0.001");
  EXPECT_EQ(printed("in-task", "s-mnist", "der++"), "running");
  EXPECT_EQ(printed("memory", "s-cifar-10", "er"), "200");
  EXPECT_EQ(printed_default("policy"),
            "reservoir; agem, gdumb: ring-full; gss: gradient; icarl: herding");
}

TEST(HelpDefaults, AreThoseOfThePresetForAllBenchmarksLearnersAndPolicies) {
  ASSERT_GE(with_values().size(), 30u);
  for (const Entry& benchmark : benchmark_catalog()) {
    for (const LearnerEntry& learner : learner_catalog()) {
      const Spec spec =
          preset_spec("paper", benchmark.name, learner.name, default_memory(benchmark.name));
      for (const SpecOption* option : with_values()) {
        if (option->family == "learner" && !option->concerns(spec)) continue;
        if (option->family == "policy" && !learner.replays) continue;
        const std::string text = printed_default(option->row.flag);
        const std::vector<std::string> policies =
            option->family == "policy" ? option->users : std::vector<std::string>{"none"};
        for (const std::string& policy : policies) {
          EXPECT_EQ(read_for(text, benchmark.name, {learner.name, policy}),
                    text_of(option->get(with_policy(spec, *option, policy))))
              << "--" << option->row.flag << " (" << text << ") for " << benchmark.name << ", "
              << learner.name << " and " << policy;
        }
      }
    }
  }
}

TEST(HelpDefaults, BeginWithTheValueOfADefaultSpec) {
  for (const SpecOption* option : with_values()) {
    Spec spec;
    if (option->family == "learner") spec.learner.name = option->users.front();
    if (option->family == "policy") spec = with_policy(spec, *option, option->users.front());
    EXPECT_EQ(cut(printed_default(option->row.flag), "; ").front(), text_of(option->get(spec)))
        << option->row.flag;
  }
}

}  // namespace help_defaults_test
}  // namespace gps
