// gpscl runs: what the store tells.
#include <gmock/gmock.h>
#include <unistd.h>

#include <functional>
#include <sstream>

#include "apps/matches.h"
#include "apps/tiny_program_run.h"
#include "gps/core/files/files.h"
#include "gps/core/files/sqlite.h"
#include "gps/experiments/store/store.h"

namespace gps {
namespace runs_test {

namespace fs = std::filesystem;

using testing::all_matches;
using testing::gpscl;
using ::testing::HasSubstr;
using testing::lines_of;
using ::testing::Not;
using testing::Outcome;

class Runs : public testing::TinyProgramRun {
 protected:
  // Two policies and three seeds, one of them with DER too, and one run that fails.
  void fill() {
    gpscl(arguments({"--policy", "reservoir,gps", "--memory", "20", "--seeds", "3"}));
    gpscl(arguments({"--learner", "der", "--memory", "20", "--seed", "1"}));
    gpscl(arguments({"--lr", "1e30", "--memory", "20"}));
  }
  Outcome runs(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "runs");
    arguments.insert(arguments.end(), {"--store", (path("out") / "runs.sqlite").string()});
    return gpscl(arguments);
  }
  std::size_t listed(std::vector<std::string> filters) const {
    filters.insert(filters.begin(), "list");
    return lines_of(runs(filters).out).size() - 1;
  }

  fs::path store() const { return path("out") / "runs.sqlite"; }
  Database database() const {
    return {store(), Database::Mode::read_write, std::chrono::milliseconds(0)};
  }
  StoredRun stored(std::int64_t id) const {
    return Store(store(), {.read_only = true}).find({{id}, "", "", "", {}}, true).front();
  }
  // Changes a result as if it had been written so, without a checksum.
  void change_result(std::int64_t id, const std::function<void(nlohmann::json&)>& change) const {
    auto result = nlohmann::json::parse(stored(id).result);
    result.erase("checksum");
    change(result);
    Database changed = database();
    Statement(changed, "UPDATE runs SET result = ?1 WHERE id = ?2")
        .bind(1, result.dump())
        .bind(2, id)
        .run();
  }
};

TEST_F(Runs, OfANameThatTheStoreDoesNotHaveAreNotThere) {
  gpscl(arguments({"--memory", "20"}));
  for (const char* action : {"list", "compare"}) {
    const Outcome outcome = runs({action, "--benchmark", "p-mnst"});
    EXPECT_EQ(outcome.exit_code, 1) << action;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err,
              "gpscl: no run matches benchmark 'p-mnst'; did you mean 'p-mnist'? known: "
              "p-mnist\n");
  }
  EXPECT_THAT(runs({"list", "--learner", "icarl"}).err,
              HasSubstr("no run matches learner 'icarl'; known: er\n"));
}

TEST_F(Runs, AreListedWithFilters) {
  fill();
  EXPECT_EQ(listed({}), 8u);
  EXPECT_EQ(listed({"--learner", "der"}), 1u);
  EXPECT_EQ(listed({"--policy", "gps"}), 3u);
  EXPECT_EQ(listed({"--policy", "gps:permutation"}), 3u);
  EXPECT_EQ(listed({"--status", "failed"}), 1u);
  EXPECT_EQ(listed({"--benchmark", "p-mnist", "--learner", "der", "--status", "failed"}), 0u);
  EXPECT_EQ(lines_of(runs({"list"}).out)[1].find("8 "), 0u) << "latest first";
  const Outcome few = runs({"list", "--limit", "2"});
  EXPECT_THAT(few.out, HasSubstr("6 more"));
}

TEST_F(Runs, AreShownWithTheCommandThatRepeatsThem) {
  fill();
  for (std::string id = "1"; id[0] <= '8'; ++id[0]) {
    const Outcome outcome = runs({"show", id});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const auto commands = all_matches(outcome.out, "to repeat it: gpscl (.*)", /*group=*/1);
    ASSERT_EQ(commands.size(), 1u) << outcome.out;
    std::vector<std::string> words;
    std::istringstream text(commands[0]);
    for (std::string word; text >> word;) words.push_back(word);
    const std::string out = "again" + id;
    words.insert(words.end(), {"--data", path("data").string(), "--out", path(out).string()});
    gpscl(words);
    const auto again = files_in(out);
    if (outcome.out.find("failed") != std::string::npos) {
      EXPECT_TRUE(again.empty());
      EXPECT_THAT(outcome.out, HasSubstr("error: the loss is no longer"));
      continue;
    }
    ASSERT_EQ(again.size(), 1u);
    const auto kept = files_in("out");
    ASSERT_TRUE(kept.contains(again.begin()->first)) << "another spec";
    EXPECT_EQ(without_times(nlohmann::json::array({again.begin()->second})),
              without_times(nlohmann::json::array({kept.at(again.begin()->first)})));
    EXPECT_THAT(outcome.out, HasSubstr("average accuracy"));
    EXPECT_THAT(outcome.out, HasSubstr("accuracy % on each task"));
    EXPECT_THAT(outcome.out, HasSubstr("training "));
  }
  const std::string gps = runs({"show", "1"}).out + runs({"show", "2"}).out;  // one of them is
  EXPECT_THAT(gps, HasSubstr("switching points"));
  EXPECT_EQ(nlohmann::json::parse(runs({"show", "1", "--json"}).out).at("id"), 1);
}

TEST_F(Runs, TellTheCommandForUnusualOptionsToo) {
  const std::vector<std::vector<std::string>> unusual = {
      {"--policy", "gps:rotation/balanced/cur", "--memory", "60", "--sim-epochs", "2", "--stride",
       "9", "--min-stride", "5", "--max-stride", "12", "--unknown-length", "--window", "2"},
      {"--policy", "mixed", "--ring", "0.1,0.9,1", "--tasks", "3", "--in-task", "running"},
      {"--policy", "ring-full:floor", "--memory", "40"},
      {"--policy", "gps", "--memory", "2kB", "--codec", "bits:2/dither"},
      {"--policy", "gradient:greedy", "--gss-batch", "3", "--learner", "gss", "--repeats", "2"},
      {"--preset", "mammoth", "--learner", "hal", "--tasks", "2", "--examples-per-task", "100"},
      {"--learner", "oewc", "--fisher", "exact", "--ewc-gamma", "0.5", "--init", "pytorch"},
      {"--hidden", "none", "--batch", "16", "--imbalance", "3", "--er-loss", "concat"},
      {"--evaluate", "last", "--test-images", "20"},
  };
  for (std::size_t k = 0; k < unusual.size(); ++k) {
    std::vector<std::string> words = arguments(unusual[k]);
    if (unusual[k][0] == "--hidden") {  // which is there already
      const auto at = std::find(words.begin(), words.end(), "--hidden");
      words.erase(at, at + 2);
    }
    ASSERT_EQ(gpscl(words).exit_code, 0) << join(words, " ");
    const Outcome shown = runs({"show", std::to_string(k + 1)});
    ASSERT_EQ(shown.exit_code, 0) << shown.err;
    const auto commands = all_matches(shown.out, "to repeat it: gpscl (.*)", /*group=*/1);
    ASSERT_EQ(commands.size(), 1u);
    std::vector<std::string> again = split(commands[0], ' ');
    again.insert(again.end(), {"--data", path("data").string(), "--out", path("again").string()});
    ASSERT_EQ(gpscl(again).exit_code, 0) << commands[0];
  }
  const auto first = files_in("out");
  for (const auto& [name, result] : files_in("again"))
    EXPECT_TRUE(first.contains(name)) << name << " is another spec";
  EXPECT_EQ(files_in("again").size(), unusual.size());
}

TEST_F(Runs, AreComparedOverCommonSeeds) {
  fill();
  const Outcome outcome = runs({"compare", "reservoir", "gps", "der"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("p-mnist, 2 tasks, memory 20"));
  const std::string number = R"([0-9]+\.[0-9][0-9])";
  EXPECT_EQ(
      all_matches(outcome.out, "^er gps:permutation +3 +" + number + " ± " + number + " +[+-]" +
                                   number + R"( \[[+-])" + number + ", [+-]" + number + R"(\])")
          .size(),
      1u)
      << outcome.out;
  EXPECT_EQ(
      all_matches(outcome.out, "^der reservoir +1 +" + number + " +[+-]" + number + " +").size(),
      1u)
      << "one common seed has no interval:\n"
      << outcome.out;
  EXPECT_THAT(outcome.out, Not(HasSubstr("1e+30"))) << "failed";
  const Outcome by_id = runs({"compare", "1", "7"});
  EXPECT_EQ(all_matches(by_id.out, "^(er|der) ").size(), 2u) << by_id.out << by_id.err;
}

TEST_F(Runs, AreComparedWithABaselineThatTheUserNames) {
  fill();
  const std::string first = runs({"compare", "reservoir", "gps"}).out;
  EXPECT_THAT(first, HasSubstr("vs er reservoir"));
  for (const char* name : {"gps", "gps:permutation", "er gps", "er gps:permutation"}) {
    const Outcome outcome = runs({"compare", "reservoir", "gps", "--baseline", name});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("vs er gps:permutation"));
    EXPECT_THAT(outcome.out, Not(HasSubstr("vs er reservoir")));
  }
  const Outcome unknown = runs({"compare", "reservoir", "gps", "--baseline", "resevoir"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_EQ(unknown.out, "");
  EXPECT_THAT(unknown.err, HasSubstr("unknown --baseline 'resevoir'; known: er reservoir, "));
  EXPECT_THAT(runs({"list", "--baseline", "gps"}).err, HasSubstr("takes no --baseline"));
}

TEST_F(Runs, AreNotComparedWithABaselineThatMayBeSeveral) {
  fill();
  const Outcome outcome = runs({"compare", "--baseline", "reservoir"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("--baseline reservoir fits several lines of p-mnist, "));
  EXPECT_THAT(outcome.err, HasSubstr("er reservoir"));
  EXPECT_THAT(outcome.err, HasSubstr("der reservoir"));
  EXPECT_THAT(runs({"compare", "--baseline", "er reservoir"}).out, HasSubstr("vs er reservoir"));
}

TEST_F(Runs, OfASettingWithoutTheBaselineHaveNoDifferences) {
  fill();
  ASSERT_EQ(gpscl(arguments({"--policy", "reservoir,ring-full", "--memory", "30"})).exit_code, 0);
  const std::vector<std::string> compare = {"compare", "--baseline", "gps"};
  const Outcome text = runs(compare);
  ASSERT_EQ(text.exit_code, 0) << text.err;
  EXPECT_EQ(all_matches(text.out, "vs er gps:permutation").size(), 1u) << text.out;
  EXPECT_EQ(all_matches(text.out, " vs ").size(), 1u) << "not to another line";
  EXPECT_EQ(all_matches(text.out, "no run of gps is here, so there are no differences").size(), 1u);
  const auto settings =
      nlohmann::json::parse(runs({"compare", "--baseline", "gps", "--format", "json"}).out);
  ASSERT_EQ(settings.size(), 2u);
  EXPECT_EQ(settings[0].at("baseline"), "er gps:permutation");
  EXPECT_EQ(settings[1].at("baseline"), nullptr);
  for (const auto& line : settings[1].at("runs")) EXPECT_EQ(line.at("difference"), nullptr);
  const auto without = nlohmann::json::parse(runs({"compare", "--format", "json"}).out);
  for (const auto& setting : without)
    EXPECT_EQ(setting.at("baseline"), setting.at("runs")[0].at("label")) << "the first line";
}

TEST_F(Runs, OfSeveralSettingsAreOneTableAsCsv) {
  fill();
  ASSERT_EQ(gpscl(arguments({"--policy", "reservoir,ring-full", "--memory", "30"})).exit_code, 0);
  const Outcome outcome = runs({"compare", "--format", "csv"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::vector<std::string> lines = lines_of(outcome.out);
  ASSERT_EQ(lines.size(), 1u + 3u + 2u) << outcome.out;
  EXPECT_THAT(lines[0], ::testing::StartsWith("setting,baseline,run,seeds,"));
  EXPECT_THAT(lines[0], HasSubstr(",difference,"));
  for (const std::string& line : lines) {
    std::size_t quotes = 0;
    std::size_t commas = 0;
    for (const char c : line) {
      quotes += c == '"' ? 1 : 0;
      commas += c == ',' && quotes % 2 == 0 ? 1 : 0;
    }
    EXPECT_EQ(commas, static_cast<std::size_t>(std::count(lines[0].begin(), lines[0].end(), ',')))
        << line;
  }
  EXPECT_THAT(lines[1], ::testing::StartsWith("\"p-mnist, 2 tasks, memory 20"));
  EXPECT_THAT(lines[5], ::testing::StartsWith("\"p-mnist, 2 tasks, memory 30"));
}

TEST_F(Runs, MayBeNamedByTheFolderOfTheirStore) {
  gpscl(arguments({"--memory", "20"}));
  const Outcome outcome = gpscl({"runs", "list", "--store", path("out").string()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, runs({"list"}).out);
}

TEST_F(Runs, AreComparedForProgramsToo) {
  fill();
  const Outcome outcome = runs({"compare", "reservoir", "gps", "--format", "json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto settings = nlohmann::json::parse(outcome.out);
  ASSERT_EQ(settings.size(), 1u);
  const auto& rows = settings[0].at("runs");
  ASSERT_EQ(rows.size(), 3u) << outcome.out;
  EXPECT_EQ(rows[0].at("difference"), nullptr);
  std::map<std::string, double> sums;
  for (const auto& [name, result] : files_in("out")) {
    if (result.at("spec").at("learner") == "er")
      sums[result.at("spec").at("policy")] +=
          result.at("metrics").at("average_accuracy").get<double>();
  }
  for (const auto& row : rows) {
    if (row.at("label") == "er gps:permutation") {
      EXPECT_NEAR(row.at("average_accuracy").at("mean"), sums.at("gps") / 3, 1e-12);
      EXPECT_NEAR(row.at("difference").at("mean"), (sums.at("gps") - sums.at("reservoir")) / 3,
                  1e-12);
      EXPECT_EQ(row.at("seeds"), nlohmann::json({0, 1, 2}));
    }
  }
}

TEST_F(Runs, OfAnotherSchemaAreNamedAndLeftOut) {
  fill();
  database().execute("UPDATE runs SET result = '{\"schema\": 99}' WHERE id = 2");
  for (const std::vector<std::string>& call : std::vector<std::vector<std::string>>{
           {"compare"}, {"export"}, {"export", "--format", "md"}}) {
    const Outcome outcome = runs(call);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("the result of run 2 cannot be read"));
    EXPECT_THAT(outcome.out, HasSubstr("reservoir"));
  }
  EXPECT_EQ(lines_of(runs({"export"}).out).size(), 9u) << "the row itself stays";
  EXPECT_THAT(runs({"show", "2"}).err, HasSubstr("the result of run 2 cannot be read"));
}

TEST_F(Runs, OfAnotherVersionAreShownAndRemovedAllTheSame) {
  fill();
  const std::size_t files = files_in("out").size();
  // What a version with other specs would have left: a row, its result and its file.
  const StoredRun before = stored(2);
  const std::string spec = R"({"benchmark":"q-mnist"})";
  change_result(2, [&](nlohmann::json& result) { result["spec"] = nlohmann::json::parse(spec); });
  Database changed = database();
  Statement(changed, "UPDATE runs SET spec = ?1, hash = ?2, checksum = NULL WHERE id = 2")
      .bind(1, spec)
      .bind(2, text_hash(spec))
      .run();
  for (const auto& [name, result] : files_in("out")) {
    const std::size_t at = name.find(before.hash);
    if (at == std::string::npos || result.at("seed") != before.seed) continue;
    fs::rename(path("out") / name,
               path("out") / (name.substr(0, at) + text_hash(spec) + name.substr(at + 8)));
  }
  const Outcome shown = runs({"show", "2"});
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("this gpscl cannot repeat the run: "));
  const Outcome removed = runs({"rm", "2", "--yes"});
  EXPECT_EQ(removed.exit_code, 0) << removed.err;
  EXPECT_EQ(removed.out, "1 removed\n");
  EXPECT_EQ(files_in("out").size(), files - 1);
}

TEST_F(Runs, WithADamagedSpecAreNamedLeftOutAndRemoved) {
  fill();
  const std::size_t files = files_in("out").size();
  database().execute("UPDATE runs SET spec = substr(spec, 2) WHERE id = 2");
  const std::string line =
      "gpscl: run 2 is damaged: its spec is not JSON; gpscl runs rm 2 removes it\n";
  for (const std::vector<std::string>& call : std::vector<std::vector<std::string>>{
           {"list"}, {"compare"}, {"export"}, {"export", "--format", "json"}}) {
    const Outcome outcome = runs(call);
    EXPECT_EQ(outcome.exit_code, 0) << join(call, " ");
    EXPECT_EQ(outcome.err, line) << join(call, " ");
    EXPECT_THAT(outcome.out, HasSubstr("reservoir")) << join(call, " ");
  }
  EXPECT_EQ(listed({}), 7u);
  EXPECT_EQ(lines_of(runs({"export"}).out).size(), 8u);
  EXPECT_EQ(nlohmann::json::parse(runs({"export", "--format", "json"}).out).size(), 7u);
  for (const std::vector<std::string>& call :
       std::vector<std::vector<std::string>>{{"show", "2"}, {"show", "2", "--json"}}) {
    const Outcome outcome = runs(call);
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err, line);
  }
  EXPECT_EQ(runs({"rm", "2", "--yes"}).out, "1 removed\n");
  EXPECT_EQ(runs({"list"}).err, "");
  EXPECT_EQ(listed({}), 7u);
  EXPECT_EQ(files_in("out").size(), files - 1) << "its files are known by its hash";
}

TEST_F(Runs, ThatDoNotMatchTheirChecksumsAreNamedAndLeftOut) {
  fill();
  database().execute("UPDATE runs SET accuracy = 0.5 WHERE id = 3");
  const Outcome list = runs({"list"});
  EXPECT_EQ(list.exit_code, 0);
  EXPECT_EQ(list.err,
            "gpscl: run 3 is damaged: its checksum does not match; gpscl runs rm 3 removes it\n");
  EXPECT_EQ(listed({}), 7u);
  EXPECT_EQ(runs({"rm", "3", "--yes"}).out, "1 removed\n");
  database().execute(
      "UPDATE runs SET result = replace(result, '\"steps\":', '\"steps\":1') WHERE id = 2");
  const Outcome all = runs({"export"});
  EXPECT_EQ(all.exit_code, 0);
  EXPECT_THAT(all.err, HasSubstr("gpscl: run 2 is damaged: its checksum does not match; "));
  EXPECT_THAT(all.err, HasSubstr("; gpscl runs rm 2 removes it\n"));
  EXPECT_EQ(lines_of(all.err).size(), 1u) << all.err;
  EXPECT_EQ(lines_of(all.out).size(), 7u);
  EXPECT_EQ(runs({"show", "2"}).exit_code, 1);
}

TEST_F(Runs, WithAResultThatContradictsItselfAreNamedAndLeftOut) {
  fill();
  change_result(2, [](nlohmann::json& result) { result["accuracy"][1].push_back(0.5); });
  const std::string line =
      "run 2 is damaged: 'a row of accuracy' has 3 entries; expected 2; gpscl runs rm 2 removes it";
  for (const std::vector<std::string>& call : std::vector<std::vector<std::string>>{
           {"compare"}, {"export"}, {"export", "--format", "json"}, {"export", "--format", "md"}}) {
    const Outcome outcome = runs(call);
    EXPECT_EQ(outcome.exit_code, 0) << join(call, " ");
    EXPECT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(line)) << join(call, " ");
  }
  EXPECT_EQ(lines_of(runs({"export"}).out).size(), 8u);
  const Outcome shown = runs({"show", "2"});
  EXPECT_EQ(shown.exit_code, 1);
  EXPECT_EQ(shown.out, "");
  EXPECT_EQ(shown.err, "gpscl: " + line + "\n");
}

TEST_F(Runs, AreNotRemovedWhileAProcessIsAtThem) {
  fill();
  const fs::path file = path("out") / "runs.sqlite";
  Spec spec;
  spec.benchmark.tasks = 2;
  set_policy(spec.policy, "reservoir");
  {
    Store store(file);
    ASSERT_EQ(store.claim(spec, 7, {}, this_process(), 100), Claim::granted);
  }
  const Outcome only = runs({"rm", "--status", "running", "--yes"});
  EXPECT_EQ(only.exit_code, 2);
  EXPECT_EQ(lines_of(only.err).size(), 1u) << only.err;
  EXPECT_THAT(only.err, HasSubstr("run 9 is not removed: process " + std::to_string(getpid())));
  const Outcome among = runs({"rm", "--policy", "reservoir", "--learner", "er", "--yes"});
  EXPECT_EQ(among.exit_code, 0);
  EXPECT_THAT(among.err, HasSubstr("run 9 is not removed"));
  EXPECT_EQ(listed({"--status", "running"}), 1u);
  EXPECT_EQ(listed({"--learner", "er", "--status", "done"}), 3u);
  Store(file).release(spec, 7, this_process(), 100);
  EXPECT_EQ(runs({"rm", "9", "--yes"}).exit_code, 0);
}

TEST_F(Runs, AreExported) {
  fill();
  const auto json = nlohmann::json::parse(runs({"export", "--format", "json"}).out);
  ASSERT_EQ(json.size(), 8u);
  const auto kept = files_in("out");
  std::size_t same = 0;
  for (const auto& run : json) {
    for (const auto& [name, result] : kept) same += run.at("result") == result ? 1 : 0;
  }
  EXPECT_EQ(same, kept.size());
  const auto lines = lines_of(runs({"export", "--learner", "er"}).out);
  ASSERT_EQ(lines.size(), 8u);
  EXPECT_THAT(lines[0], HasSubstr("average_accuracy"));
  for (const std::string& line : lines)
    EXPECT_TRUE(line.ends_with('\r')) << "RFC 4180 wants its line ends";
  EXPECT_THAT(runs({"export", "--format", "md"}).out, HasSubstr("| er gps:permutation | 3 |"));
  EXPECT_THAT(runs({"export", "--format", "latex"}).out, HasSubstr("er gps:permutation & 3 &"));
  const std::string file = path("table.tex").string();
  EXPECT_EQ(runs({"export", "--format", "latex", "-o", file}).out, "");
  EXPECT_TRUE(std::filesystem::exists(file));
  EXPECT_EQ(runs({"export", "-o", "/nonexistent/x"}).exit_code, 1);
  for (const char* standard : {"-", "/dev/stdout"})
    EXPECT_THAT(runs({"export", "--policy", "gps", "-o", standard}).out, HasSubstr("gps"));
  const auto link = path("link.tex");
  std::filesystem::create_symlink(file, link);
  EXPECT_EQ(runs({"export", "--format", "md", "-o", link.string()}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_THAT(read_file(file), HasSubstr("| er gps:permutation | 3 |"));
}

TEST_F(Runs, OfAKilledProcessAreInterrupted) {
  const fs::path file = path("out") / "runs.sqlite";
  fs::create_directories(path("out"));
  Spec spec;
  ProcessId gone = this_process();
  gone.start = "before the last boot";
  {
    Store store(file);
    store.claim(spec, 1, {}, gone, 100);
    store.claim(spec, 2, {}, this_process(), 100);
  }
  EXPECT_EQ(listed({"--status", "running"}), 1u);
  EXPECT_EQ(listed({"--status", "interrupted"}), 1u);
  EXPECT_THAT(runs({"show", "1"}).out, HasSubstr("seed 1: interrupted"));
  EXPECT_THAT(runs({"show", "2"}).out, HasSubstr("seed 2: running"));
  const auto json = nlohmann::json::parse(runs({"export", "--format", "json"}).out);
  for (const auto& run : json)
    EXPECT_EQ(run.at("status"), run.at("seed") == 1 ? "interrupted" : "running");
  EXPECT_EQ(runs({"rm", "--status", "interrupted", "--yes"}).out, "1 removed\n");
}

TEST_F(Runs, AreRemovedWithTheirFilesOnlyWhenSure) {
  fill();
  const Outcome unsure = runs({"rm", "--policy", "gps"});
  EXPECT_EQ(unsure.exit_code, 2);
  EXPECT_THAT(unsure.err, HasSubstr("--yes"));
  EXPECT_EQ(listed({}), 8u);
  EXPECT_EQ(runs({"rm", "--policy", "gps", "--yes"}).exit_code, 0);
  EXPECT_EQ(listed({}), 5u);
  EXPECT_EQ(files_in("out").size(), 4u);
  EXPECT_EQ(runs({"rm", "8", "--yes"}).exit_code, 0);
  EXPECT_EQ(listed({"--status", "failed"}), 0u);
}

TEST_F(Runs, MistakesAreOneLine) {
  fill();
  const std::vector<std::pair<std::vector<std::string>, std::string>> mistakes = {
      {{}, "list, show, compare, export, rm"},
      {{"lst"}, "'lst'"},
      {{"show"}, "the id of one run"},
      {{"show", "99"}, "no run 99"},
      {{"show", "first"}, "'first'"},
      {{"list", "--status", "lost"}, "running, done, failed, interrupted"},
      {{"compare", "magic"}, "'magic'"},
      {{"export", "--format", "xml"}, "csv, json, md, latex"},
      {{"export", "--format", "text"}, "csv, json, md, latex"},
      {{"export", "--format", "md", "--status", "failed"}, "only finished runs"},
      {{"list", "--json"}, "takes no --json; it takes --benchmark"},
      {{"list", "--format", "csv"}, "takes no --format"},
      {{"list", "nonsense"}, "takes no 'nonsense'"},
      {{"list", "--limit", "-1"}, "--limit"},
      {{"export", "gps"}, "takes no 'gps'"},
      {{"compare", "--status", "failed"}, "takes no --status"},
      {{"rm"}, "no runs given"},
      {{"rm", "99", "--yes"}, "no run"},
  };
  for (const auto& [arguments, part] : mistakes) {
    const Outcome outcome = runs(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << join(arguments, " ");
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(part));
  }
  const Outcome none = gpscl({"runs", "list", "--store", path("none").string()});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_THAT(none.err, HasSubstr("no such store"));
}

}  // namespace runs_test
}  // namespace gps
