// `gpscl probe` on a made-up data set, as a user or a script would call it.
#include <gmock/gmock.h>

#include <csignal>

#include "apps/tiny_program_run.h"
#include "gps/probes/probe.h"

namespace gps {
namespace probe_test {

using testing::gpscl;
using ::testing::HasSubstr;
using testing::lines_of;
using ::testing::Not;
using testing::Outcome;
using testing::Program;
using ::testing::StartsWith;

class ProbeCommand : public testing::TinyProgramRun {
 protected:
  std::vector<std::string> arguments(const std::string& kind, const std::vector<std::string>& added,
                                     const std::string& out = "out") const {
    std::vector<std::string> all = {"probe",
                                    kind,
                                    "p-mnist",
                                    "--data",
                                    path("data").string(),
                                    "--out",
                                    path(out).string(),
                                    "--epochs",
                                    "1",
                                    "--hidden",
                                    "16",
                                    "--tasks",
                                    "3"};
    all.insert(all.end(), added.begin(), added.end());
    return all;
  }
  Outcome probe(const std::string& kind, const std::vector<std::string>& added = {},
                const std::string& out = "out") const {
    return gpscl(arguments(kind, added, out));
  }
  // What --format json prints.
  nlohmann::json found(const std::string& kind, std::vector<std::string> added,
                       const std::string& out = "out") const {
    added.insert(added.end(), {"--format", "json"});
    const Outcome outcome = probe(kind, added, out);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out);
  }
};

const std::vector<std::string> kSmallCurve = {
    "--future", "offline,rotation", "--points", "3", "--seeds", "2", "--memory", "40"};

TEST(Probe, ListsItsKindsWithoutArguments) {
  const Outcome outcome = gpscl({"probe"});
  EXPECT_EQ(outcome.exit_code, 0);
  for (const Entry& entry : probe_catalog()) {
    EXPECT_THAT(outcome.out, HasSubstr(entry.name));
    EXPECT_THAT(outcome.out, HasSubstr(entry.paper));
  }
  EXPECT_EQ(gpscl({"probe", "--help"}).out, outcome.out);
  EXPECT_EQ(gpscl({"probe", "time", "--help"}).out, outcome.out);
}

TEST_F(ProbeCommand, EveryKindPrintsATable) {
  for (const Entry& entry : probe_catalog()) {
    SCOPED_TRACE(entry.name);
    const bool has_points = entry.name == "ring-size" || entry.name == "one-minimum";
    const Outcome outcome = probe(entry.name, has_points ? std::vector<std::string>{"--points", "3"}
                                                         : std::vector<std::string>{});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_GE(lines_of(outcome.out).size(), 2u) << outcome.out;
    EXPECT_THAT(outcome.err, HasSubstr("seed 0: "));
  }
}

TEST_F(ProbeCommand, RingSizeHasARowForEachFutureAndRatio) {
  const nlohmann::json json = found("ring-size", kSmallCurve);
  ASSERT_EQ(json.at("rows").size(), 6u);
  EXPECT_EQ(json.at("seeds").size(), 2u);
  const nlohmann::json& last = json.at("rows")[2];
  EXPECT_EQ(last.at("future"), "offline");
  EXPECT_EQ(last.at("task"), 1);
  EXPECT_EQ(last.at("ratio"), 1);
  EXPECT_EQ(last.at("ring size"), 40);
  EXPECT_EQ(last.at("test loss").at("values").size(), 2u);
  EXPECT_FALSE(last.at("global loss").is_null());
  EXPECT_TRUE(json.at("rows")[5].at("global loss").is_null()) << "of a pretended future";
}

TEST_F(ProbeCommand, RingSizeSaysIfItMakesNoDifference) {
  const std::string text = probe("ring-size", kSmallCurve).out;
  const nlohmann::json tested =
      found("one-minimum", {"--task", "1", "--future", "offline,rotation", "--points", "3",
                            "--seeds", "2", "--memory", "40"});
  ASSERT_EQ(tested.at("rows").size(), 2u);
  std::size_t flat = 0;
  for (const nlohmann::json& row : tested.at("rows"))
    flat += row.at("chance if flat").at("values")[0].get<double>() >= 0.05 ? 1 : 0;
  std::size_t said = 0;
  for (const std::string& line : lines_of(text))
    said += line.find("no difference between ring sizes that 2 seeds show") == std::string::npos
                ? 0
                : 1;
  EXPECT_EQ(said, flat) << text << tested;
  EXPECT_THAT(probe("ring-size", {"--points", "3"}).out,
              HasSubstr("one seed cannot show whether ring sizes differ: use --seeds 3"));
}

TEST_F(ProbeCommand, TakesWhatWasDoneFromTheStore) {
  const Outcome first = probe("ring-size", kSmallCurve);
  EXPECT_THAT(first.err, Not(HasSubstr("was done before")));
  const Outcome again = probe("ring-size", kSmallCurve);
  EXPECT_EQ(again.out, first.out);
  for (const std::string& line : lines_of(again.err)) EXPECT_THAT(line, HasSubstr("done before"));
  auto more = kSmallCurve;
  more[5] = "3";  // seeds
  const Outcome third = probe("ring-size", more);
  EXPECT_THAT(third.err, HasSubstr("ring-size offline task 1 seed 2: done"));
  EXPECT_THAT(third.err, HasSubstr("ring-size offline task 1 seed 1: was done before"));
  more.emplace_back("--rerun");
  EXPECT_THAT(probe("ring-size", more).err, Not(HasSubstr("before")));
  // Another analysis of the same curves.
  EXPECT_THAT(probe("one-minimum", {"--task", "1", "--future", "offline", "--points", "3",
                                    "--seeds", "3", "--memory", "40"})
                  .err,
              Not(HasSubstr(": done")));
}

TEST_F(ProbeCommand, GivesTheSameForAnyNumberOfJobs) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> calls = {
      {"ring-size", kSmallCurve},
      {"difficulty", {"--future", "real,permutation", "--seeds", "2"}},
      {"zero-shot", {"--after", "1"}},
      {"ratio-distance", {"--memory", "40"}}};
  for (const auto& [kind, added] : calls) {
    SCOPED_TRACE(kind);
    auto one = added;
    one.insert(one.end(), {"--jobs", "1"});
    auto three = added;
    three.insert(three.end(), {"--jobs", "3"});
    EXPECT_EQ(found(kind, one, "one"), found(kind, three, "three"));
  }
}

TEST_F(ProbeCommand, UsesTheRunsThatThereAre) {
  const Outcome ran = gpscl(TinyProgramRun::arguments(
      {"--policy", "reservoir,mixed:1", "--memory", "40", "--tasks", "3", "--json"}));
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const nlohmann::json results = nlohmann::json::parse(ran.out);
  const Outcome outcome = probe("forgetting", {"--policy", "reservoir,mixed:1", "--memory", "40",
                                               "--task", "2", "--format", "json"});
  EXPECT_THAT(outcome.err, HasSubstr("reservoir seed 0: was done before"));
  const nlohmann::json rows = nlohmann::json::parse(outcome.out).at("rows");
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].at("test accuracy").at("mean"), results[0].at("accuracy")[1][1]);
  EXPECT_EQ(rows[1].at("test accuracy").at("mean"), results[0].at("accuracy")[2][1]);
  EXPECT_EQ(rows[3].at("test accuracy").at("mean"), results[1].at("accuracy")[2][1]);
}

TEST_F(ProbeCommand, WritesEveryFormat) {
  const std::string csv = probe("zero-shot", {"--format", "csv"}).out;
  EXPECT_THAT(
      csv,
      StartsWith("tasks,task,test accuracy %,test accuracy % deviation,test accuracy % seeds"));
  const std::string md = probe("zero-shot", {"--format", "md"}).out;
  EXPECT_THAT(md, StartsWith("| tasks"));
  EXPECT_THAT(probe("zero-shot").out, HasSubstr("chance: 10.00 %"));
}

TEST_F(ProbeCommand, KeepsWhatIsFinishedWhenInterrupted) {
  const auto seeds = [&](const std::string& count, const std::string& out) {
    return arguments("difficulty", {"--seeds", count, "--jobs", "1"}, out);
  };
  const std::uint64_t points = testing::stop_points_of(seeds("3", "counted"));
  Program program(seeds("20", "out"), {.halt = "pause@" + std::to_string(points + 1)});
  ASSERT_TRUE(program.wait_until_paused());
  program.continue_with(SIGINT);
  const Outcome outcome = program.finish();
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_THAT(lines_of(outcome.err).back(), HasSubstr("3 of 20 finished and kept in"));
  const Outcome again = probe("difficulty", {"--seeds", "3"});
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_THAT(again.err, HasSubstr("seed 0: was done before"));
}

TEST_F(ProbeCommand, RefusesMistakesInOneLineBeforeAnyWork) {
  struct Mistake {
    std::string kind;
    std::vector<std::string> added;
    std::vector<std::string> named;
  };
  const std::vector<Mistake> mistakes = {
      {"ring-size", {"--task", "3"}, {"--task", "between 1 and 2", "got 3"}},
      {"ring-size", {"--task", "one"}, {"--task", "'one'"}},
      {"ring-size", {"--future", "past"}, {"'past'", "offline"}},
      {"ring-size", {"--future", "offline,offline"}, {"'offline' twice"}},
      {"ring-size", {"--points", "1"}, {"--points", "got 1"}},
      {"ring-size", {"--points", "1000000000"}, {"--points", "between 2 and 10000"}},
      {"ring-size", {"--ratios", "0.5,nan"}, {"--ratios", "'nan'"}},
      {"ring-size", {"--seeds", "1000000000"}, {"--seeds", "between 1 and 100000"}},
      {"ring-size", {"--points", "3", "--ratios", "0.5"}, {"--points", "--ratios"}},
      {"ring-size", {"--ratios", "0.5,2"}, {"--ratios", "got 2"}},
      {"ring-size", {"--policy", "gps"}, {"ring-size", "--policy"}},
      {"ring-size", {"--measure", "f1"}, {"'f1'", "test-loss"}},
      {"ring-size", {"--measure", "loss"}, {"'loss'", "held-back-loss"}},
      {"ring-size", {"--stride", "5"}, {"--stride"}},
      {"forgetting", {"--at", "2"}, {"--at", "got 2"}},
      {"forgetting", {"--policy", "gps", "--task", "4"}, {"--task", "got 4"}},
      {"forgetting", {"--measure", "global-loss"}, {"global-loss"}},
      {"difficulty", {"--future", "offline"}, {"'offline'", "real"}},
      {"difficulty", {"--count", "0"}, {"--count", "got 0"}},
      {"difficulty", {"--count", "1000000000"}, {"--count", "between 1 and 100"}},
      {"zero-shot", {"--count", "1000000000"}, {"--count", "between 1 and 100"}},
      {"forgetting", {"--at", "nan"}, {"--at", "'nan'"}},
      {"difficulty", {"--learner", "er"}, {"--learner"}},
      {"zero-shot", {"--after", "9"}, {"--after", "got 9"}},
      {"zero-shot", {"--policy", "reservoir,gps"}, {"one --learner and --policy"}},
      {"ratio-distance", {"--future", "offline"}, {"leave it out"}},
      {"time", {"--json"}, {"--format json"}},
      {"time", {"--format", "xml"}, {"'xml'", "text, csv, json, md"}},
      {"time", {"--format", "cvs"}, {"--format must be one of text, ", "did you mean 'csv'?"}},
      {"time", {"--resume"}, {"gpscl probe does not take --resume", "--rerun"}},
      {"time", {"--restart"}, {"gpscl probe does not take --restart", "--rerun"}},
      {"time", {"--export", "model"}, {"gpscl probe does not take --export"}},
      {"ring-size", {"--at", "0.5"}, {"gpscl probe ring-size does not take --at"}},
      {"one-minimum", {"--checkpoint-every", "1"}, {"does not take --checkpoint-every"}},
      {"ring-size", {"--picture"}, {"gpscl probe does not take --picture"}},
      {"ring-size", {"--tensorboard", "y"}, {"gpscl probe does not take --tensorboard"}},
      {"time", {"--nonsense"}, {"unknown option --nonsense", "gpscl probe --help"}},
  };
  for (const Mistake& mistake : mistakes) {
    SCOPED_TRACE(mistake.kind + " " + join(mistake.added, " "));
    const Outcome outcome = probe(mistake.kind, mistake.added, "nowhere");
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
    for (const std::string& part : mistake.named) EXPECT_THAT(outcome.err, HasSubstr(part));
    EXPECT_FALSE(std::filesystem::exists(path("nowhere")));
  }
  const Outcome unknown = gpscl({"probe", "ring"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("unknown probe 'ring'; known: ring-size, forgetting"));
  EXPECT_THAT(gpscl({"probe", "time"}).err, HasSubstr("no benchmark given"));
}

}  // namespace probe_test
}  // namespace gps
