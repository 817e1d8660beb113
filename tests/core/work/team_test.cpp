#include "gps/core/work/team.h"

#include <gmock/gmock.h>

#include "support/thread_team.h"

namespace gps {
namespace team_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::in_a_team;

// What a member's work ends with: "" or the exception's words.
template <typename Work>
std::vector<std::string> ends(std::size_t size, const Work& work) {
  return in_a_team(size, [&](Team& team) -> std::string {
    try {
      team.together([&] {
        work(team);
        return 0;
      });
    } catch (const Interrupted&) {
      return "interrupted";
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  });
}

TEST(Team, TellsEveryMemberWhatAllSay) {
  const auto heard = in_a_team(3, [](Team& team) {
    return team.together([&] { return team.gather(Team::Words(team.rank(), 10 + team.rank())); });
  });
  for (const auto& words : heard)
    EXPECT_THAT(words, ElementsAre(Team::Words{}, Team::Words{11}, Team::Words{12, 12}));
}

TEST(Team, NamesTheMemberWhoseFingerprintDiffers) {
  const auto reasons = ends(3, [](Team& team) { team.agree(team.rank() == 2 ? 8 : 7, "weights"); });
  for (const std::string& reason : reasons)
    EXPECT_THAT(reason, HasSubstr("weights are not the same on member 2 as on member 0"));
}

TEST(Team, EndsTogetherWhereOneMemberFails) {
  const auto reasons = ends(3, [](Team& team) {
    team.gather({1});
    if (team.rank() == 1) throw std::runtime_error("disk full");
    team.gather({2});
    FAIL() << "one member is not there any more";
  });
  EXPECT_THAT(reasons, ElementsAre("member 1: disk full", "disk full", "member 1: disk full"));
}

TEST(Team, EndsTogetherWhereOneMemberFailsAfterTheOthersAreDone) {
  const auto reasons = ends(2, [](Team& team) {
    if (team.rank() == 1) throw std::runtime_error("disk full");
  });
  EXPECT_THAT(reasons, ElementsAre("member 1: disk full", "disk full"));
}

TEST(Team, IsInterruptedAsAWhole) {
  const auto reasons = ends(3, [](Team& team) {
    if (team.rank() == 0) throw Interrupted();
    team.gather({2});
  });
  EXPECT_THAT(reasons, ElementsAre("interrupted", "interrupted", "interrupted"));
}

TEST(Team, KeepsTheExceptionThatAllThrow) {
  const auto reasons = ends(3, [](Team&) { throw UsageError("no"); });
  EXPECT_THAT(reasons, ElementsAre("no", "no", "no"));
}

TEST(Team, NoticesMembersThatDoDifferentThings) {
  const auto reasons = ends(2, [](Team& team) {
    if (team.rank() == 0) team.gather({1});
    if (team.rank() == 1) team.agree(1, "weights");
  });
  for (const std::string& reason : reasons)
    EXPECT_THAT(reason, HasSubstr("do not execute the same steps"));
}

TEST(Team, CanWorkAgainAfterAFailure) {
  const auto heard = in_a_team(2, [](Team& team) {
    try {
      team.together([&]() -> int {
        if (team.rank() == 1) throw std::runtime_error("disk full");
        return static_cast<int>(team.gather({2}).size());
      });
    } catch (const std::exception&) {
    }
    return team.together([&] { return team.gather({team.rank()}); });
  });
  for (const auto& words : heard) EXPECT_THAT(words, ElementsAre(Team::Words{0}, Team::Words{1}));
}

TEST(Assign, GoesRoundMembersAndByTheirWorkers) {
  const std::vector<std::uint64_t> equal = {1, 1, 1};
  EXPECT_THAT(assign(5, equal), ElementsAre(0, 1, 2, 0, 1));
  const std::vector<std::uint64_t> unequal = {1, 3};
  const auto owners = assign(8, unequal);
  EXPECT_EQ(std::count(owners.begin(), owners.end(), 0u), 2);
}

TEST(Fingerprint, TellsOneBitApart) {
  std::vector<float> values(1001, 0.5f);
  const std::uint64_t before = fingerprint_of(values);
  EXPECT_EQ(fingerprint_of(values), before);
  for (const std::size_t k : {0u, 500u, 1000u}) {
    std::vector<float> other = values;
    other[k] = std::nextafter(other[k], 1.0f);
    EXPECT_NE(fingerprint_of(other), before) << k;
  }
}

}  // namespace team_test
}  // namespace gps
