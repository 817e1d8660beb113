// A run that several members do together gives the bits of one that does it alone.
#include <gtest/gtest.h>

#include "experiments/tiny_run.h"
#include "support/thread_team.h"

namespace gps {
namespace run_team_test {

using testing::in_a_team;
using testing::text_but_for_times;
using testing::tiny_run;
using testing::tiny_spec;
using testing::TinySource;

std::vector<std::string> texts(const Spec& spec, std::size_t members, int workers) {
  return in_a_team(members, [&](Team& team) {
    return team.together([&] {
      // Members may have different numbers of workers.
      Executor executor(workers + static_cast<int>(team.rank()));
      RunHooks hooks;
      hooks.team = &team;
      return text_but_for_times(run(spec, 0, TinySource(spec.benchmark), executor, hooks));
    });
  });
}

TEST(RunInATeam, HasTheBitsOfARunAlone) {
  for (const char* policy : {"gps", "reservoir"}) {
    Spec spec = tiny_spec(policy);
    spec.memory = 60;  // so that a search has several rounds
    const std::string alone = text_but_for_times(tiny_run(spec));
    for (const std::size_t members : {1u, 2u, 3u}) {
      for (const int workers : {1, 2}) {
        for (const std::string& text : texts(spec, members, workers))
          EXPECT_EQ(text, alone) << policy << ", members: " << members << ", workers: " << workers;
      }
    }
  }
}

TEST(RunInATeam, FailsWhereTheWeightsOfAMemberDiffer) {
  const auto reasons = in_a_team(2, [&](Team& team) -> std::string {
    Spec spec = tiny_spec("reservoir");
    if (team.rank() == 1) spec.learner.learning_rate *= 1.0001f;  // as another CPU may round
    try {
      team.together([&] {
        Executor executor(1);
        RunHooks hooks;
        hooks.team = &team;
        return run(spec, 0, TinySource(spec.benchmark), executor, hooks);
      });
    } catch (const TeamError& error) {
      return error.what();
    }
    return "";
  });
  for (const std::string& reason : reasons) {
    EXPECT_EQ(reason,
              "the weights after task 1 are not the same on member 1 as on member 0; all ranks "
              "need the same program and the same kind of CPU");
  }
}

}  // namespace run_team_test
}  // namespace gps
