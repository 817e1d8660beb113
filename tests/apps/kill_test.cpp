// The program is killed at random moments and resumed, and what it leaves behind in the end is what
// an uninterrupted run leaves, to the bit: every learner and every policy.
#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "apps/program.h"
#include "gps/core/rng.h"
#include "gps/experiments/spec.h"
#include "support/temporary_folder.h"
#include "support/tiny_data.h"

#include <nlohmann/json.hpp>

namespace gps {
namespace {

using testing::Outcome;
using testing::Program;
using Clock = std::chrono::steady_clock;

constexpr int kKills = 2;  // of each case that must hit while it runs

std::vector<std::vector<std::string>> cases() {
  std::vector<std::vector<std::string>> all;
  const auto add = [&](const std::string& learner, const std::string& policy) {
    const std::string benchmark = learner == "icarl" ? "s-mnist" : "p-mnist";
    const double steps = learner == "icarl" ? 400 : 100;  // its tasks are smaller
    const int epochs = std::max(2, static_cast<int>(steps / relative_cost(learner)));
    all.push_back({"run", benchmark, "--learner", learner, "--tasks", "5", "--epochs",
                   std::to_string(epochs)});
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
                 "--tasks", "3", "--epochs", "40", "--jobs", "2"});
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
      result.erase("seconds");
      result.erase("peak_memory_bytes");
    }
    return found;
  }

  void remove(const std::string& out) const { std::filesystem::remove_all(folder_.path() / out); }

 private:
  testing::TemporaryFolder folder_{testing::in_memory()};
};

TEST_P(Kill, AtRandomMomentsChangesNothing) {
  const std::vector<std::string> resuming = {"--resume", "--checkpoint-every", "13steps"};
  const auto start = Clock::now();
  const Outcome whole = testing::gpscl(arguments("whole", resuming));
  const std::chrono::duration<double> takes = Clock::now() - start;
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  const auto expected = results("whole");

  Rng rng = Rng(5).fork("kill", GetParam());
  int kills = 0;
  int continued = 0;
  for (int attempts = 0; (kills < kKills || continued == 0) && attempts < 50; ++attempts) {
    Program program(arguments("killed", resuming));
    std::this_thread::sleep_for(rng.uniform() * takes);
    program.send(SIGKILL);
    const Outcome outcome = program.finish();
    continued += outcome.err.find("goes on in task") != std::string::npos ? 1 : 0;
    if (outcome.exit_code == -1) {
      ++kills;
    } else {
      EXPECT_EQ(results("killed"), expected) << "it was faster";
      remove("killed");
    }
  }
  EXPECT_GE(kills, kKills);
  EXPECT_GE(continued, 1) << "always killed before the first checkpoint";
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

}  // namespace
}  // namespace gps
