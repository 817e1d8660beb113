#include "gps/core/work/pace.h"

#include <gtest/gtest.h>

namespace gps {
namespace pace_test {

// A clock that a test sets.
struct Time {
  double now = 100;
  Clock clock() {
    return [this] { return now; };
  }
};

TEST(Pace, SaysNothingAboutWorkThatIsSoonOver) {
  Time time;
  Pace pace(time.clock());
  for (const double moment : {100.0, 100.5, 101.0, 101.99}) {
    time.now = moment;
    EXPECT_FALSE(pace.is_line_due()) << moment;
  }
}

TEST(Pace, HasALineAfterTwoSecondsThenLessOftenButOnceAMinute) {
  Time time;
  Pace pace(time.clock());
  std::vector<double> lines;
  for (int second = 0; second <= 300; ++second) {
    time.now = 100 + second;
    if (pace.is_line_due()) lines.push_back(second);
  }
  EXPECT_EQ(lines, (std::vector<double>{2, 4, 8, 16, 32, 64, 124, 184, 244}));
}

TEST(Pace, HasOneLineForAllThatWereMissed) {
  Time time;
  Pace pace(time.clock());
  time.now = 100 + 20;
  EXPECT_TRUE(pace.is_line_due());
  EXPECT_FALSE(pace.is_line_due());
  time.now = 100 + 31;
  EXPECT_FALSE(pace.is_line_due());
  time.now = 100 + 32;
  EXPECT_TRUE(pace.is_line_due());
}

TEST(Pace, BeginsAnewWithEachKindOfWork) {
  Time time;
  Pace pace(time.clock());
  time.now = 150;
  EXPECT_TRUE(pace.is_line_due());
  pace.begin();
  EXPECT_DOUBLE_EQ(pace.elapsed(), 0);
  EXPECT_FALSE(pace.is_line_due());
  time.now = 152;
  EXPECT_TRUE(pace.is_line_due());
}

TEST(Pace, CountsWhatIsLeftFromWhatWasDoneSinceTheBeginning) {
  Time time;
  Pace pace(time.clock());
  EXPECT_FALSE(pace.left(0.5)) << "no time has passed";
  time.now = 110;
  EXPECT_FALSE(pace.left(0)) << "nothing is done";
  EXPECT_DOUBLE_EQ(*pace.left(0.25), 30);
  EXPECT_DOUBLE_EQ(*pace.left(1), 0);
  pace.begin(0.5);  // resumed work: half of it is done already
  time.now = 120;
  EXPECT_DOUBLE_EQ(*pace.left(0.75), 10);
}

TEST(DurationText, IsRoundedAsAnEstimateMayBe) {
  EXPECT_EQ(duration_text(0), "1 s");
  EXPECT_EQ(duration_text(3.4), "3 s");
  EXPECT_EQ(duration_text(42), "40 s");
  EXPECT_EQ(duration_text(97), "95 s");
  EXPECT_EQ(duration_text(100), "2 min");
  EXPECT_EQ(duration_text(290), "5 min");
  EXPECT_EQ(duration_text(59.9 * 60), "1 h");
  EXPECT_EQ(duration_text(12000), "3 h 20 min");
  EXPECT_EQ(duration_text(40 * 3600), "2 days");
}

}  // namespace pace_test
}  // namespace gps
