#include <gmock/gmock.h>

#include "apps/known_options.h"
#include "apps/program.h"
#include "gps/experiments/metrics.h"
#include "gps/experiments/spec/presets.h"
#include "gps/experiments/spec/spec.h"
#include "gps/memory/codecs/codec.h"

namespace gps {
namespace list_test {

using testing::columns_of;
using ::testing::Contains;
using testing::gpscl;
using ::testing::HasSubstr;
using testing::lines_of;
using testing::options_in;
using testing::options_in_help;
using testing::Outcome;
using ::testing::StartsWith;

const std::vector<std::pair<std::string, Catalog>>& families() {
  static const std::vector<std::pair<std::string, Catalog>> all = {
      {"benchmarks", benchmark_catalog()},     {"learners", entries(learner_catalog())},
      {"policies", entries(policy_catalog())}, {"futures", future_catalog()},
      {"presets", preset_catalog()},           {"metrics", entries(metric_catalog())},
      {"codecs", entries(codec_catalog())},
  };
  return all;
}

TEST(List, PrintsEveryNameOfAFamilyOnALineOfItsOwn) {
  for (const auto& [family, catalog] : families()) {
    const Outcome outcome = gpscl({"list", family});
    EXPECT_EQ(outcome.exit_code, 0) << family;
    EXPECT_EQ(outcome.err, "") << family;
    for (const Entry& entry : catalog)
      EXPECT_THAT(lines_of(outcome.out), Contains(StartsWith("  " + entry.name + " ")));
  }
}

TEST(List, WithoutAFamilyPrintsThemAll) {
  const Outcome outcome = gpscl({"list"});
  EXPECT_EQ(outcome.exit_code, 0);
  for (const auto& [family, catalog] : families())
    EXPECT_THAT(outcome.out, HasSubstr(gpscl({"list", family}).out));
}

TEST(List, KeepsTo100Columns) {
  for (const std::string& line : lines_of(gpscl({"list"}).out))
    EXPECT_LE(columns_of(line), 100u) << line;
}

TEST(List, RefusesAnUnknownFamilyAndListsTheKnownOnes) {
  const Outcome outcome = gpscl({"list", "polices"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("'polices'"));
  for (const auto& [family, catalog] : families()) EXPECT_THAT(outcome.err, HasSubstr(family));
}

TEST(List, NamesTheOptionsOfEachEntryAndTheHelpHasThem) {
  const std::set<std::string> known = options_in_help();
  for (const auto& [family, catalog] : families()) {
    const std::set<std::string> listed = options_in(gpscl({"list", family}).out);
    for (const Entry& entry : catalog) {
      for (const Option& option : entry.options) {
        EXPECT_THAT(known, Contains("--" + option.flag)) << entry.name;
        EXPECT_THAT(listed, Contains("--" + option.flag)) << entry.name;
      }
    }
  }
}

}  // namespace list_test
}  // namespace gps
