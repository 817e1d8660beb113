// The program is killed at random stop points and resumed, and what it leaves behind in the end is
// what an uninterrupted run leaves, to the bit: every learner and every policy. (What a kill while
// a file is being written leaves is shown in tests/core/files/files_test.cpp, at every system
// call.)
#include <gmock/gmock.h>

#include "apps/program.h"
#include "gps/core/rng.h"
#include "gps/experiments/spec/spec.h"
#include "support/temporary_folder.h"
#include "support/tiny_data.h"

#include <nlohmann/json.hpp>

namespace gps {
namespace kill_test {

using testing::Outcome;

std::vector<std::vector<std::string>> cases() {
  std::vector<std::vector<std::string>> all;
  const auto add = [&](const std::string& learner, const std::string& policy) {
    const std::string benchmark = learner == "icarl" ? "s-mnist" : "p-mnist";
    const std::string epochs = learner == "icarl" ? "8" : "2";  // its tasks are smaller
    all.push_back({"run", benchmark, "--learner", learner, "--tasks", "5", "--epochs", epochs,
                   "--jobs", "1"});
    if (!replays(learner)) return;
    all.back().insert(all.back().end(), {"--policy", policy, "--memory", "100"});
  };
  for (const std::string& policy : names(policy_catalog())) add("er", policy);
  for (const std::string& learner : names(learner_catalog())) {
    if (learner != "er") add(learner, default_policy(learner));
  }
  for (const char* learner : {"der++", "hal", "icarl"}) add(learner, "gps");
  // Several runs at a time, of which some are finished when it is killed.
  all.push_back({"run", "p-mnist", "--policy", "reservoir,gps,cur-ring-full", "--seeds", "2",
                 "--tasks", "3", "--epochs", "4", "--jobs", "2"});
  return all;
}

class Kill : public ::testing::TestWithParam<std::size_t> {
 protected:
  Kill() { testing::write_tiny_mnist(folder_.path() / "data"); }

  std::vector<std::string> arguments(const std::string& out,
                                     const std::vector<std::string>& added) const {
    std::vector<std::string> all = cases().at(GetParam());
    all.insert(all.end(), {"--hidden", "16", "--data", (folder_.path() / "data").string(), "--out",
                           (folder_.path() / out).string()});
    all.insert(all.end(), added.begin(), added.end());
    return all;
  }

  // What lies in the folder, without times; must be results only, and the store.
  std::map<std::string, nlohmann::json> results(const std::string& out) const {
    std::map<std::string, nlohmann::json> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path() / out)) {
      if (entry.path().filename().string().starts_with("runs.sqlite")) continue;
      EXPECT_EQ(entry.path().extension(), ".json") << entry.path() << " is left over";
      std::ifstream in(entry.path());
      nlohmann::json& result = found[entry.path().filename().string()];
      result = nlohmann::json::parse(in);
      for (const char* key : {"seconds", "peak_memory_bytes", "checksum"}) result.erase(key);
    }
    return found;
  }

 private:
  testing::TemporaryFolder folder_{testing::in_memory()};
};

TEST_P(Kill, AtRandomPointsChangesNothing) {
  const std::vector<std::string> resuming = {"--resume", "--checkpoint-every", "13steps"};
  const std::uint64_t points = testing::stop_points_of(arguments("whole", resuming));
  const auto expected = results("whole");

  // The second quarter of the whole run, and then the first quarter of the whole run again, of
  // which at least half is left: both kills hit. Several workers may simulate a few candidates more
  // or less, far from a quarter of all.
  Rng rng = Rng(5).fork("kill", GetParam());
  const std::uint64_t first = points / 4 + rng.index(points / 4);
  const std::uint64_t second = 1 + rng.index(points / 4);
  for (const std::uint64_t point : {first, second}) {
    const Outcome killed =
        testing::gpscl(arguments("killed", resuming), {.halt = "kill@" + std::to_string(point)});
    EXPECT_EQ(killed.exit_code, -1) << "not killed at " << point << " of " << points;
    if (point == second) {
      EXPECT_THAT(killed.err, ::testing::HasSubstr("continues in task"));
    }
  }
  const Outcome rest = testing::gpscl(arguments("killed", resuming));
  EXPECT_EQ(rest.exit_code, 0) << rest.err;
  EXPECT_EQ(results("killed"), expected) << rest.err;
}

INSTANTIATE_TEST_SUITE_P(Catalog, Kill, ::testing::Range(std::size_t{0}, cases().size()),
                         [](const auto& nth) {
                           const auto words = cases().at(nth.param);
                           std::string name;
                           for (std::size_t k = 2; k < words.size(); ++k) {
                             if (words[k - 1] != "--learner" && words[k - 1] != "--policy")
                               continue;
                             for (const char c : words[k])
                               name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
                             name += '_';
                           }
                           return name + std::to_string(nth.param);
                         });

}  // namespace kill_test
}  // namespace gps
