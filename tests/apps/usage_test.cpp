// Mistakes on the command line: refused at once, with one line that names them.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "apps/program.h"
#include "gps/experiments/spec/spec.h"
#include "support/temporary_folder.h"
#include "support/tiny_data.h"

namespace gps {
namespace usage_test {

using testing::gpscl;
using ::testing::HasSubstr;
using testing::lines_of;
using ::testing::Not;
using testing::Outcome;
using testing::ProgramOptions;
using ::testing::StartsWith;
using testing::TemporaryFolder;

struct Mistake {
  std::vector<std::string> arguments;  // after "run"
  std::vector<std::string> named;      // what the message must contain
};

// Each mistake is refused with exit code 2 and one line, though the data is there to start with,
// and before anything is written.
void expect_refused(const std::vector<Mistake>& mistakes) {
  const TemporaryFolder folder;
  testing::write_tiny_mnist(folder.path() / "data");
  std::filesystem::create_directory(folder.path() / "work");
  const ProgramOptions options{.folder = folder.path() / "work", .data = folder.path() / "data"};
  for (const Mistake& mistake : mistakes) {
    std::vector<std::string> arguments = {"run"};
    arguments.insert(arguments.end(), mistake.arguments.begin(), mistake.arguments.end());
    const Outcome outcome = gpscl(arguments, options);
    SCOPED_TRACE(join(arguments, " "));
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
    EXPECT_THAT(outcome.err, StartsWith("gpscl: "));
    for (const std::string& part : mistake.named) EXPECT_THAT(outcome.err, HasSubstr(part));
    EXPECT_TRUE(std::filesystem::is_empty(options.folder));
  }
}

TEST(Usage, UnknownNamesListTheKnownOnes) {
  const std::string benchmarks = join(names(benchmark_catalog()));
  const std::string policies = join(names(policy_catalog()));
  const std::string futures = join(names(future_catalog()));
  expect_refused({
      {{}, {"benchmark", benchmarks}},
      {{"p-mnst"}, {"'p-mnst'", benchmarks}},
      {{"p-mnist", "--learner", "eer"}, {"'eer'", join(names(learner_catalog()))}},
      {{"p-mnist", "--policy", "resevoir"}, {"'resevoir'", policies}},
      {{"p-mnist", "--policy", "reservoir,rng"}, {"'rng'", policies}},
      {{"p-mnist", "--policy", "reservoir,"}, {"''", policies}},
      {{"p-mnist", "--policy", "gps:crystal"}, {"'crystal'", futures}},
      {{"p-mnist", "--policy", "gps", "--future", "past"}, {"'past'", futures}},
      {{"p-mnist", "--er-loss", "mean"}, {"--er-loss", "'mean'", "sum, concat"}},
      {{"p-mnist", "--learner", "hal", "--hal-variant", "noise"}, {"'noise'", "mean, mammoth"}},
      {{"p-mnist", "--learner", "oewc", "--fisher", "true"},
       {"'true'", "empirical, exact, mammoth"}},
      {{"p-mnist", "--init", "he"}, {"'he'", "xavier, pytorch"}},
      {{"p-mnist", "--policy", "gps", "--score", "fair"}, {"'fair'", "natural, balanced"}},
      {{"p-mnist", "--policy", "gps", "--objective", "f1"}, {"'f1'", "accuracy, loss"}},
      {{"p-mnist", "--policy", "mixed", "--in-task", "lax"}, {"'lax'", "strict, running"}},
      {{"p-mnist", "--policy", "ring-full", "--ring-quota", "ceil"}, {"'ceil'", "deal, floor"}},
      {{"p-mnist", "--policy", "mixed", "--base", "easy"}, {"'easy'", "random, curriculum"}},
      {{"p-mnist", "--policy", "gradient", "--gss-variant", "iqp"}, {"'iqp'", "mammoth, greedy"}},
  });
}

TEST(Usage, WordsThatBelongNowhereAreNamed) {
  expect_refused({
      {{"p-mnist", "s-mnist"}, {"unexpected argument 's-mnist'; see gpscl run --help"}},
      {{"p-mnist", "--sorted", "x"}, {"unknown option --sorted; see gpscl run --help"}},
      {{"p-mnist", "-x"}, {"unknown option -x; see gpscl run --help"}},
  });
  const Outcome outcome = gpscl({"--verbose"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.err, "gpscl: unknown option --verbose; see gpscl --help\n");
}

TEST(Usage, MistypedWordsAreAnsweredWithWhatWasProbablyMeant) {
  expect_refused({
      {{"p-mnist", "--polcy", "gps"}, {"unknown option --polcy; did you mean --policy?"}},
      {{"p-mnist", "--polcy=gps"}, {"unknown option --polcy; did you mean --policy?"}},
      {{"p-mnst"}, {"did you mean 'p-mnist'?"}},
      {{"p-mnist", "--policy", "resevoir"}, {"did you mean 'reservoir'?"}},
      {{"p-mnist", "--learner", "der+"}, {"unknown learner 'der+'; did you mean 'der"}},
      {{"p-mnist", "--model", "resnet-18"}, {"did you mean 'resnet18'?"}},
      {{"p-mnist", "--policy", "gps:rotations"}, {"did you mean 'rotation'?"}},
      {{"p-mnist", "--er-loss", "Sum"}, {"got 'Sum'; did you mean 'sum'?"}},
  });
  const std::vector<std::pair<std::vector<std::string>, std::string>> calls = {
      {{"rum", "p-mnist"}, "unknown command 'rum'; did you mean 'run'? known: run, "},
      {{"help", "rum"}, "unknown command 'rum'; did you mean 'run'? known: run, "},
      {{"rnu"}, "unknown command 'rnu'; did you mean 'run'?"},
      {{"RUN"}, "unknown command 'RUN'; did you mean 'run'?"},
      {{"help", "run", "extra"}, "unexpected argument 'extra'; expected gpscl help COMMAND"},
      {{"data", "lst"}, "unknown action 'lst'; did you mean 'list'? known: list, "},
      {{"list", "polices"}, "unknown family 'polices'; did you mean 'policies'?"},
      {{"learn", "state", "--color", "grey"}, "unknown option --color; did you mean --colour?"},
      {{"probe", "ring-size", "--mesure", "x"}, "unknown option --mesure; did you mean --measure?"},
  };
  for (const auto& [call, answer] : calls) {
    const Outcome outcome = gpscl(call);
    EXPECT_EQ(outcome.exit_code, 2) << join(call, " ");
    EXPECT_THAT(outcome.err, StartsWith("gpscl: " + answer));
    EXPECT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
  }
}

TEST(Usage, MistakesOfTheCommandLineAreRefusedInOurWords) {
  expect_refused({
      {{"p-mnist", "--memory"}, {"--memory needs a value; see gpscl run --help"}},
      {{"p-mnist", "--memory", "--seed", "1"}, {"--memory needs a value; see gpscl run --help"}},
      {{"p-mnist", "--seed", "1", "--memory", "--", "5"}, {"--memory needs a value"}},
      {{"p-mnist", "--memory", "5", "--memory", "6"}, {"--memory is given more than once"}},
      {{"p-mnist", "--memory=5", "--seed", "1", "--memory", "6"},
       {"--memory is given more than once"}},
      {{"p-mnist", "--out", "run", "--out", "a"}, {"--out is given more than once"}},
      {{"p-mnist", "--resume=maybe"}, {"--resume takes no value, got 'maybe'"}},
      {{"p-mnist", "--resume=true"}, {"--resume takes no value, got 'true'"}},
      {{"p-mnist", "--memory", "1_000"}, {"--memory must be a whole number", "got '1_000'"}},
      {{"p-mnist", "--memory", "1.5e0"}, {"--memory must be a whole number", "got '1.5e0'"}},
      {{"p-mnist", "--memory", "1e30"}, {"--memory is out of range, got '1e30'"}},
      {{"p-mnist", "--checkpoint-every", "often"},
       {"--checkpoint-every must be a number of minutes, a number of steps such as 100steps, or "
        "off, got 'often'"}},
      {{"p-mnist", "--plan-budget", "3"}, {"--plan-budget has no effect for a run without --plan"}},
      {{"p-mnist", "--evaluate", "sometimes"},
       {"--evaluate must be every-task, seen, last or a whole number of at least 2",
        "got 'sometimes'"}},
      {{"p-mnist", "--evaluate", "1"}, {"--evaluate must be every-task", "got '1'"}},
      {{"p-mnist", "--test-images", "-3"}, {"--test-images must be between 0", "got -3"}},
  });
}

TEST(Usage, NoFlagOfAnyCommandTakesAValue) {
  const std::vector<std::vector<std::string>> calls = {
      {"--version=1"},
      {"run", "--help=true"},
      {"learn", "state", "--again=false"},
      {"runs", "rm", "--yes=maybe"},
      {"sweep", "x.toml", "--dry-run="},
      {"reproduce", "--help={}"},
      {"probe", "ring-size", "--help=1"},
  };
  for (const std::vector<std::string>& call : calls) {
    const Outcome outcome = gpscl(call);
    EXPECT_EQ(outcome.exit_code, 2) << join(call, " ");
    const std::string& flag = call.back();
    EXPECT_EQ(outcome.err,
              fmt::format("gpscl: {} takes no value, got '{}'\n", flag.substr(0, flag.find('=')),
                          flag.substr(flag.find('=') + 1)));
  }
}

TEST(Usage, WhatIsNoNumberIsNamed) {
  std::vector<Mistake> mistakes;
  for (const char* option :
       {"--memory", "--tasks", "--epochs", "--batch", "--seeds", "--seed", "--jobs",
        "--examples-per-task", "--memory-batch", "--window", "--gss-batch"}) {
    mistakes.push_back({{"p-mnist", option, "ten"}, {option, "'ten'"}});
  }
  for (const std::string value : {"1.5", "", "7x", "99999999999"})
    mistakes.push_back({{"p-mnist", "--memory", value}, {"--memory", "'" + value + "'"}});
  for (const std::string value : {"784kb", "20 MB", "1.5", "GB", "-1kB"})
    mistakes.push_back(
        {{"p-mnist", "--memory", value}, {"--memory", "784kB, 20MB or 1GiB", "'" + value + "'"}});
  mistakes.push_back({{"p-mnist", "--memory", "0B"}, {"--memory", "at least 1B", "0B"}});
  mistakes.push_back({{"p-mnist", "--codec", "bits:9"}, {"--codec", "N from 1 to 8", "'bits:9'"}});
  for (const char* option : {"--lr", "--lambda", "--imbalance", "--easy-fraction"})
    mistakes.push_back({{"p-mnist", option, "0,1"}, {option, "'0,1'"}});
  mistakes.push_back({{"p-mnist", "--hidden", "100,"}, {"--hidden", "''"}});
  mistakes.push_back({{"p-mnist", "--policy", "mixed", "--ring", "0.5,x"}, {"--ring", "'x'"}});
  expect_refused(mistakes);
}

TEST(Usage, NumbersOutOfRangeAreNamedWithTheirValue) {
  expect_refused({
      {{"p-mnist", "--memory", "-5"}, {"--memory", "between 1 and", "-5"}},
      {{"p-mnist", "--tasks", "0"}, {"--tasks", "between 1 and", "0"}},
      {{"s-mnist", "--tasks", "3"}, {"--tasks", "10 classes", "1, 2, 5, 10", "got 3"}},
      {{"tiny-imagenet", "--tasks", "3"}, {"--tasks", "200 classes", "got 3"}},
      {{"s-mnist", "--class-order", "1,0"}, {"--class-order", "0 to 9", "got 2 labels"}},
      {{"s-cifar-100", "--class-order", "backwards"}, {"--class-order", "'backwards'"}},
      {{"p-mnist", "--class-order", "random"}, {"--class-order", "p-mnist"}},
      {{"p-mnist", "--epochs", "0"}, {"--epochs", "between 1 and", "0"}},
      {{"p-mnist", "--batch", "0"}, {"--batch", "between 1 and", "0"}},
      {{"p-mnist", "--seeds", "0"}, {"--seeds", "between 1 and", "0"}},
      {{"p-mnist", "--seed", "-1"}, {"--seed", "at least 0", "-1"}},
      {{"p-mnist", "--jobs", "0"}, {"--jobs", "between 1 and 1024", "0"}},
      {{"p-mnist", "--jobs", "-2"}, {"--jobs", "between 1 and 1024", "-2"}},
      {{"p-mnist", "--jobs", "1000000"}, {"--jobs", "between 1 and 1024", "1000000"}},
      {{"p-mnist", "--lr", "0"}, {"--lr", "positive", "0"}},
      {{"p-mnist", "--lr", "nan"}, {"--lr", "nan"}},
      {{"p-mnist", "--lambda", "-1"}, {"--lambda", "-1"}},
      {{"p-mnist", "--imbalance", "0.5"}, {"--imbalance", "0.5"}},
      {{"p-mnist", "--policy", "mixed:1.5"}, {"--ring", "between 0 and 1", "1.5"}},
      {{"p-mnist", "--policy", "mixed", "--ring", "0.1,0.2"}, {"--ring", "10 tasks", "2"}},
      {{"p-mnist", "--policy", "cur-res", "--easy-fraction", "1.5"},
       {"--easy-fraction", "above 0 and at most 1", "1.5"}},
      {{"p-mnist", "--policy", "cur-res", "--easy-fraction", "0"}, {"--easy-fraction", "above 0"}},
      {{"p-mnist", "--policy", "gradient", "--gss-batch", "0"}, {"--gss-batch", "at least 1", "0"}},
      {{"p-mnist", "--policy", "ring-full:floor", "--memory", "99"}, {"100", "99"}},
  });
}

TEST(Usage, AbsurdNumbersAreRefusedBeforeTheyFillTheMemory) {
  const std::string huge = "2000000000";
  std::vector<Mistake> mistakes;
  for (const char* option : {"--memory", "--tasks", "--epochs", "--batch", "--seeds", "--jobs",
                             "--memory-batch", "--hidden"}) {
    mistakes.push_back({{"p-mnist", option, huge}, {option, "between 1 and", huge}});
  }
  for (const char* option : {"--window", "--sim-epochs"}) {
    mistakes.push_back(
        {{"p-mnist", "--policy", "gps", option, huge}, {option, "between 0 and", huge}});
  }
  mistakes.push_back(
      {{"p-mnist", "--learner", "ogd", "--directions", huge}, {"--directions", huge}});
  mistakes.push_back({{"p-mnist", "--hidden", "65536,65536"}, {"--hidden", "4295 million"}});
  mistakes.push_back({{"s-cifar-10", "--width", "1024"}, {"--width", "million"}});
  mistakes.push_back({{"p-mnist", "--policy", "reservoir,ring-full", "--seeds", "90000"},
                      {"--seeds", "2 policies x 90000 seeds = 180000 runs", "100000"}});
  expect_refused(mistakes);
}

TEST(Usage, NumbersThatAreNotFiniteAreRefused) {
  std::vector<Mistake> mistakes;
  for (const std::string value : {"nan", "inf", "infinity"}) {
    for (const char* option : {"--lr", "--lambda", "--imbalance", "--checkpoint-every"})
      mistakes.push_back({{"p-mnist", option, value}, {option, "'" + value + "'"}});
  }
  mistakes.push_back({{"p-mnist", "--lr", "1e300"}, {"--lr must be at most", "got '1e300'"}});
  mistakes.push_back({{"p-mnist", "--policy", "mixed", "--ring", "nan"}, {"--ring", "'nan'"}});
  expect_refused(mistakes);
}

TEST(Usage, OptionsThatContradictEachOtherAreRefused) {
  expect_refused({
      {{"p-mnist", "--seed", "1", "--seeds", "2"}, {"--seed", "--seeds"}},
      {{"p-mnist", "--policy", "gps,reservoir,gps"}, {"--policy", "'gps:permutation' twice"}},
      {{"p-mnist", "--policy", "mixed,mixed:0.5"}, {"--policy", "'mixed:0.5' twice"}},
      {{"p-mnist", "--learner", "sgd", "--policy", "reservoir"}, {"'sgd'", "'reservoir'"}},
      {{"p-mnist", "--learner", "joint", "--policy", "gps"}, {"'joint'", "'gps'"}},
      {{"p-mnist", "--policy", "mixed:0.3", "--ring", "0.5"}, {"mixed:0.3", "--ring"}},
      {{"p-mnist", "--policy", "gps:rotation", "--future", "blurring"},
       {"gps:rotation", "--future"}},
      {{"p-mnist", "--policy", "gps:balanced", "--score", "natural"}, {"gps:balanced", "--score"}},
      {{"p-mnist", "--policy", "gps:cur", "--base", "random"}, {"gps:cur", "--base"}},
      {{"p-mnist", "--policy", "mixed:0.5/cur", "--ring", "0.5"}, {"mixed:0.5/cur", "--ring"}},
      {{"p-mnist", "--policy", "gradient:greedy", "--gss-variant", "mammoth"},
       {"gradient:greedy", "--gss-variant"}},
      {{"p-mnist", "--policy", "gps", "--stride", "5", "--min-stride", "10"}, {"--stride (5)"}},
      {{"p-mnist", "--policy", "gps", "--min-stride", "9", "--max-stride", "3"},
       {"--min-stride (9)", "--max-stride (3)"}},
  });
}

TEST(Usage, OptionsThatNoChosenPolicyOrLearnerLooksAtAreRefused) {
  std::vector<Mistake> mistakes;
  const auto refuse = [&](const std::string& option, const std::string& value,
                          const std::string& concerned) {
    mistakes.push_back({{"p-mnist", "--policy", "reservoir,hybrid", option, value},
                        {option, "policy " + concerned, "reservoir, hybrid"}});
  };
  refuse("--ring", "0.5", "mixed");
  refuse("--ring-quota", "deal", "ring-full");
  refuse("--in-task", "running", "mixed and gps");
  for (const char* option : {"--score-examples", "--window", "--sim-epochs", "--sim-examples",
                             "--stride", "--min-stride", "--max-stride"}) {
    refuse(option, "5", "gps");
  }
  refuse("--base", "curriculum", "mixed and gps");
  refuse("--easy-fraction", "0.2", "cur-res");
  refuse("--gss-variant", "greedy", "gradient");
  refuse("--gss-batch", "5", "gradient");
  mistakes.push_back(
      {{"p-mnist", "--policy", "gps", "--easy-fraction", "0.2"}, {"--easy-fraction", "--base"}});
  refuse("--future", "rotation", "gps");
  refuse("--objective", "loss", "gps");
  refuse("--score", "balanced", "gps");
  for (const char* option : {"--hal-lambda", "--hal-beta", "--hal-gamma", "--anchor-steps",
                             "--ewc-lambda", "--ewc-gamma", "--weight-decay"}) {
    mistakes.push_back({{"p-mnist", option, "1"}, {option, "learner", "--learner is er"}});
  }
  mistakes.push_back({{"p-mnist", "--learner", "hal", "--fisher", "exact"},
                      {"--fisher", "learner oewc", "--learner is hal"}});
  mistakes.push_back({{"s-mnist", "--learner", "icarl", "--lambda", "1"},
                      {"--lambda", "learner er and gss and hal", "--learner is icarl"}});
  mistakes.push_back({{"p-mnist", "--learner", "sgd", "--memory", "5"}, {"--memory", "'sgd'"}});
  mistakes.push_back({{"p-mnist", "--learner", "sgd", "--codec", "raw"}, {"--codec", "'sgd'"}});
  mistakes.push_back({{"p-mnist", "--logits", "int8"}, {"--logits", "learner der and der++"}});
  mistakes.push_back({{"p-mnist", "--unknown-length"}, {"--unknown-length", "policy gps"}});
  mistakes.push_back({{"p-mnist", "--no-augment"}, {"--no-augment", "p-mnist", "grey"}});
  mistakes.push_back(
      {{"p-mnist", "--learner", "joint", "--lambda", "1"}, {"--lambda", "--learner is joint"}});
  expect_refused(mistakes);
}

TEST(Usage, AFolderForResultsThatCannotBeMadeIsRefusedBeforeDataIsLookedFor) {
  const TemporaryFolder folder;
  testing::write_file(folder.path() / "file", "in the way");
  for (const auto& out : {folder.path() / "file", folder.path() / "file" / "below"}) {
    const Outcome outcome = gpscl({"run", "p-mnist", "--out", out.string()});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("--out '" + out.string() + "'"));
    EXPECT_THAT(outcome.err, Not(HasSubstr("data set")));
  }
}

}  // namespace usage_test
}  // namespace gps
