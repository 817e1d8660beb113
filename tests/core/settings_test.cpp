#include "gps/core/settings.h"

#include <gtest/gtest.h>

#include "support/complaint.h"

namespace gps {
namespace settings_test {

using testing::complaint;

const Option kReal{.key = "alpha", .flag = "alpha", .kind = OptionKind::real, .usual = 0.5};
const Option kWhole{.key = "memory", .flag = "memory", .kind = OptionKind::whole, .usual = 10};
const Option kName{.key = "er_loss",
                   .flag = "er-loss",
                   .kind = OptionKind::name,
                   .usual = "sum",
                   .names = {"sum", "concat"}};

TEST(Settings, HoldWhatIsNotAsUsual) {
  Settings settings;
  EXPECT_EQ(settings, Settings());
  EXPECT_FALSE(settings.contains("alpha"));
  EXPECT_EQ(value_in(settings, kReal), OptionValue(0.5));
  settings["alpha"] = 0.25;
  EXPECT_EQ(value_in(settings, kReal), OptionValue(0.25));
  EXPECT_EQ(*settings.find("alpha"), OptionValue(0.25));
  EXPECT_NE(settings, Settings());
  settings.erase("alpha");
  settings.erase("alpha");
  EXPECT_EQ(settings, Settings());
}

TEST(Settings, AreCheckedKeyByKey) {
  const auto said = [](const char* key, const OptionValue& value) {
    Settings settings;
    settings[key] = value;
    return complaint([&] {
      check(settings, {kName, kWhole}, [](const std::string& other) { return other == "alpha"; });
    });
  };
  EXPECT_EQ(said("er_loss", "concat"), "(fine)");
  EXPECT_EQ(said("er_loss", "mean"), "`er-loss` must be one of sum, concat, got 'mean'");
  EXPECT_EQ(said("alpha", "whatever"), "(fine)") << "somebody else's";
  EXPECT_EQ(said("beta_gamma", 1), "`beta-gamma` is not an option");
}

}  // namespace settings_test
}  // namespace gps
