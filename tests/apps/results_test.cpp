// What a run prints and leaves behind.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "apps/matches.h"
#include "apps/program.h"
#include "apps/tiny_program_run.h"

namespace gps {
namespace results_test {

using testing::all_matches;
using testing::gpscl;
using ::testing::HasSubstr;
using testing::lines_of;
using ::testing::Not;
using testing::Outcome;

class Results : public testing::TinyProgramRun {};

TEST_F(Results, AsJsonAreOneArrayWithTheDocumentedKeysAndNothingElse) {
  const Outcome outcome =
      gpscl(arguments({"--policy", "gps", "--memory", "20", "--json", "--picture"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto results = nlohmann::json::parse(outcome.out);
  ASSERT_EQ(results.size(), 1u);
  const nlohmann::json& result = results[0];
  for (const char* key :
       {"schema", "version", "spec", "seed", "accuracy", "accuracy_at_initialisation", "metrics",
        "switching_points", "memory", "steps", "seconds", "peak_memory_bytes", "checksum"}) {
    EXPECT_TRUE(result.contains(key)) << key;
  }
  for (const char* key : {"average_accuracy", "learning_accuracy", "backward_transfer",
                          "forward_transfer", "forgetting", "average_incremental_accuracy"}) {
    EXPECT_TRUE(result.at("metrics").at(key).is_number()) << key;
  }
  for (const char* key : {"training", "simulation", "evaluation"})
    EXPECT_GT(result.at("seconds").at(key).get<double>(), 0) << key;
  EXPECT_GT(result.at("peak_memory_bytes").get<std::size_t>(), 1000000u);
  EXPECT_EQ(result.at("accuracy").size(), 2u);
  EXPECT_EQ(result.at("steps"), 2 * 400 / 10);
  ASSERT_EQ(result.at("switching_points").size(), 2u);
  const nlohmann::json& point = result.at("switching_points")[0];
  EXPECT_EQ(point.at("task"), 1);
  EXPECT_EQ(point.at("quota"), 20);
  EXPECT_LE(point.at("ring_size").get<int>(), 20);
  ASSERT_FALSE(point.at("probes").empty());
  for (const char* key : {"ring_size", "loss", "accuracy"})
    EXPECT_TRUE(point.at("probes")[0].at(key).is_number()) << key;
}

TEST_F(Results, AreKeptInOneFileARunEqualToWhatIsPrinted) {
  const Outcome outcome =
      gpscl(arguments({"--policy", "reservoir,mixed:0.25", "--seeds", "2", "--json"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto printed = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(printed.size(), 4u);
  const auto kept = files_in("out");
  EXPECT_EQ(kept.size(), 4u);
  for (const nlohmann::json& result : printed) {
    const bool is_kept = std::any_of(kept.begin(), kept.end(),
                                     [&](const auto& file) { return file.second == result; });
    EXPECT_TRUE(is_kept) << result.at("spec") << " seed " << result.at("seed");
  }
}

TEST_F(Results, ComeSeedBySeedInTheOrderOfThePolicies) {
  const Outcome outcome =
      gpscl(arguments({"--policy", "ring-full,reservoir", "--seeds", "2", "--json"}));
  std::vector<std::string> order;
  for (const nlohmann::json& result : nlohmann::json::parse(outcome.out)) {
    order.push_back(result.at("spec").at("policy").get<std::string>() + " " +
                    result.at("seed").dump());
  }
  EXPECT_EQ(order,
            (std::vector<std::string>{"ring-full 0", "reservoir 0", "ring-full 1", "reservoir 1"}));
}

TEST_F(Results, OfASingleSeedAreThoseOfThatSeedAmongMany) {
  const Outcome many = gpscl(arguments({"--seeds", "3", "--json"}, "many"));
  const Outcome one = gpscl(arguments({"--seed", "2", "--json"}, "one"));
  const auto all = without_times(nlohmann::json::parse(many.out));
  const auto single = without_times(nlohmann::json::parse(one.out));
  ASSERT_EQ(single.size(), 1u);
  EXPECT_EQ(single[0].at("seed"), 2);
  EXPECT_EQ(single[0], all.at(2));
}

TEST_F(Results, AreTheSameForAnyNumberOfJobs) {
  const std::vector<std::string> added = {"--policy", "reservoir,gps", "--memory", "20", "--seeds",
                                          "2",        "--json",        "--jobs"};
  std::vector<nlohmann::json> results;
  for (const char* jobs : {"1", "2", "5"}) {
    std::vector<std::string> all = added;
    all.emplace_back(jobs);
    const Outcome outcome = gpscl(arguments(all, std::string("jobs") + jobs));
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    results.push_back(without_times(nlohmann::json::parse(outcome.out)));
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

TEST_F(Results, EndWithATableOfPoliciesAndTheirDifferences) {
  const Outcome outcome = gpscl(arguments({"--policy", "reservoir,ring-full", "--seeds", "3"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::string number = R"([0-9]+\.[0-9][0-9])";
  const std::string mean = number + " ± " + number;
  const std::string signed_number = "[+-]" + number;
  const std::string interval =
      signed_number + R"( \[)" + signed_number + ", " + signed_number + R"(\])";
  EXPECT_EQ(all_matches(outcome.out, "^reservoir +" + mean).size(), 1u) << outcome.out;
  EXPECT_EQ(all_matches(outcome.out, "^ring-full +" + mean + " +" + interval + " +" + mean).size(),
            1u)
      << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("vs reservoir"));
  EXPECT_THAT(outcome.out, HasSubstr("95 %"));
}

TEST_F(Results, OfOneSeedHaveATableWithoutDeviations) {
  const Outcome outcome = gpscl(arguments({"--learner", "sgd"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("\nsgd "));
  EXPECT_THAT(outcome.out, Not(HasSubstr("±")));
}

TEST_F(Results, HaveAPictureOfTheMemoryOnDemand) {
  const Outcome outcome = gpscl(arguments({"--policy", "reservoir,gps", "--picture"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("reservoir seed 0\n memory after the last task"));
  EXPECT_THAT(outcome.out, HasSubstr("gps:permutation seed 0\n switching points"));
  EXPECT_THAT(gpscl(arguments({}, "plain")).out, Not(HasSubstr("memory after the last task")));
}

TEST_F(Results, AreKeptInAFolderOfTheirOwnByDefault) {
  const Outcome outcome = gpscl({"run", "p-mnist", "--tasks", "1", "--epochs", "1"},
                                {.folder = path(""), .data = path("data")});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(files_in("results").size(), 1u);
}

TEST_F(Results, OfASplitStreamHaveBothAccuracies) {
  const std::vector<std::string> call = {"run",      "s-mnist",
                                         "--data",   path("data").string(),
                                         "--out",    path("split").string(),
                                         "--policy", "reservoir,gps",
                                         "--memory", "20",
                                         "--epochs", "1"};
  const Outcome outcome = gpscl(call);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              HasSubstr("s-mnist (each task has its own classes), learner er, 5 tasks, memory 20, "
                        "model mlp, learning rate "));
  EXPECT_THAT(outcome.out, Not(HasSubstr(", loss "))) << "the usual one";
  EXPECT_THAT(outcome.out, HasSubstr("all classes %"));
  EXPECT_THAT(outcome.out, HasSubstr("own classes %"));
  EXPECT_EQ(all_matches(outcome.err,
                        R"(accuracy [0-9.]+ % among all classes \(own classes [0-9.]+ %\), kept)")
                .size(),
            2u)
      << outcome.err;
  for (const auto& [name, result] : files_in("split")) {
    EXPECT_EQ(result.at("scenario"), "task-incremental") << name;
    EXPECT_EQ(result.at("spec").at("tasks"), 5) << name;
    EXPECT_EQ(result.at("class_incremental").at("accuracy").size(), 5u) << name;
    EXPECT_LE(result.at("class_incremental").at("metrics").at("average_accuracy"),
              result.at("metrics").at("average_accuracy"))
        << name;
  }
}

TEST_F(Results, OfAPermutedStreamHaveOneAccuracy) {
  const Outcome outcome = gpscl(arguments({}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out + outcome.err, Not(HasSubstr("-incremental")));
  for (const auto& [name, result] : files_in("out"))
    EXPECT_EQ(result.at("scenario"), "domain-incremental") << name;
}

TEST_F(Results, EveryLearnerMakesThem) {
  for (const std::string learner :
       {"er", "der", "der++", "agem", "gss", "hal", "ogd", "oewc", "gdumb", "sgd", "joint"}) {
    const Outcome outcome = gpscl(arguments({"--learner", learner, "--json"}, learner));
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(nlohmann::json::parse(outcome.out)[0].at("spec").at("learner"), learner);
  }
}

TEST_F(Results, HaveTheTestsThatWereAskedFor) {
  const std::vector<std::string> rest = {"--tasks", "3", "--json"};
  const auto result_of = [&](std::vector<std::string> added) {
    added.insert(added.end(), rest.begin(), rest.end());
    const Outcome outcome = gpscl(arguments(added, "out" + added.front() + added[1]));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out)[0];
  };
  const nlohmann::json all = result_of({"--policy", "reservoir"});
  const nlohmann::json last = result_of({"--evaluate", "last"});
  EXPECT_EQ(last.at("spec").at("evaluate"), "last");
  EXPECT_EQ(last.at("accuracy").at(2), all.at("accuracy").at(2));
  EXPECT_TRUE(last.at("accuracy").at(0).empty());
  EXPECT_TRUE(last.at("metrics").at("forgetting").is_null());
  EXPECT_EQ(last.at("metrics").at("average_accuracy"), all.at("metrics").at("average_accuracy"));
  const nlohmann::json seen = result_of({"--evaluate", "seen"});
  EXPECT_EQ(seen.at("metrics"), all.at("metrics"));
  const nlohmann::json few = result_of({"--test-images", "10"});
  EXPECT_EQ(few.at("spec").at("test_images"), 10);
  for (const double value : few.at("accuracy").at(2))
    EXPECT_NEAR(10 * value, std::round(10 * value), 1e-9);
}

TEST_F(Results, OfALearnerDoNotChangeWithOptionsOfAnother) {
  const Outcome both =
      gpscl(arguments({"--learner", "er,gss", "--repeats", "3", "--json"}, "both"));
  ASSERT_EQ(both.exit_code, 0) << both.err;
  const Outcome alone = gpscl(arguments({"--learner", "er", "--json"}, "alone"));
  ASSERT_EQ(alone.exit_code, 0) << alone.err;
  const auto results = without_times(nlohmann::json::parse(both.out));
  const auto plain = without_times(nlohmann::json::parse(alone.out));
  ASSERT_EQ(results.size(), 2u);
  ASSERT_EQ(plain.size(), 1u);
  EXPECT_EQ(results[0], plain[0]);
  EXPECT_EQ(results[1].at("spec").at("learner"), "gss");
  EXPECT_NE(results[1].at("accuracy"), plain[0].at("accuracy"));
}

TEST_F(Results, OfARunThatDivergesAreNone) {
  const Outcome outcome = gpscl(arguments({"--lr", "1e30", "--json"}));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("reservoir seed 0"));
  EXPECT_THAT(outcome.err, HasSubstr("smaller learning rate"));
  EXPECT_EQ(nlohmann::json::parse(outcome.out), nlohmann::json::array());
  EXPECT_TRUE(files_in("out").empty());
}

TEST_F(Results, OfOtherRunsAreKeptWhereOneDiverges) {
  const Outcome outcome = gpscl(arguments({"--learner", "er,der", "--alpha", "1e30", "--json"}));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("task "));
  EXPECT_THAT(outcome.err, HasSubstr("epoch "));
  EXPECT_THAT(outcome.err, HasSubstr("step "));
  const auto results = nlohmann::json::parse(outcome.out);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].at("spec").at("learner"), "er");
  EXPECT_EQ(files_in("out").size(), 1u);
}

TEST_F(Results, OfANetworkThatLearntNothingSayWhatToTry) {
  testing::write_blank_mnist(path("data"));
  const Outcome outcome = gpscl(arguments({"--json"}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto said = all_matches(outcome.err, "^[a-z-]+ seed 0: warning: .*$");
  ASSERT_EQ(said.size(), 1u) << outcome.err;
  EXPECT_THAT(said[0], HasSubstr("2 of 2 tasks not learnt"));
  EXPECT_THAT(said[0], HasSubstr("try a lower --lr"));
  EXPECT_EQ(nlohmann::json::parse(outcome.out)[0].at("warnings").size(), 1u);
  EXPECT_EQ(nlohmann::json::parse(outcome.out)[0].at("collapsed"), true);
  const std::string store = path("out/runs.sqlite").string();
  const Outcome shown = gpscl({"runs", "show", "1", "--store", store});
  EXPECT_THAT(shown.out, HasSubstr("! collapsed: the network is dead"));
  EXPECT_THAT(shown.out, HasSubstr("warning: 2 of 2 tasks not learnt"));
  const Outcome listed = gpscl({"runs", "list", "--store", store});
  EXPECT_THAT(listed.out, HasSubstr("done !"));
  EXPECT_THAT(listed.out, HasSubstr("\n! the run collapsed: "));
}

TEST_F(Results, OfDeadNetworksAreMarkedAndNotCompared) {
  testing::write_blank_mnist(path("data"));
  const Outcome outcome = gpscl(arguments({"--policy", "reservoir,ring-full"}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("\nreservoir !"));
  EXPECT_THAT(outcome.out, HasSubstr("\nring-full !"));
  EXPECT_THAT(outcome.out, HasSubstr("\n! 2 of 2 runs collapsed: "));
  EXPECT_EQ(all_matches(outcome.out, "^ring-full ! +[0-9.]+ +- ").size(), 1u) << outcome.out;
}

TEST_F(Results, ThatStandardOutputHasNoRoomForAreAnErrorButKept) {
  if (!std::filesystem::exists("/dev/full"))
    GTEST_SKIP()
        << "not checked: results to a full standard output; to check: a system with /dev/full";
  const Outcome outcome = gpscl(arguments({"--json"}), {.out = "/dev/full"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("\ngpscl: ")) << "no word of it";
  EXPECT_EQ(files_in("out").size(), 1u);
}

}  // namespace results_test
}  // namespace gps
