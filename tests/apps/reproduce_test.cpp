// gpscl reproduce: every item at the smoke scale on made-up data, what it prints, and what it
// skips.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

#include "apps/matches.h"
#include "apps/tiny_program_run.h"
#include "gps/nn/resnet18/amx_products.h"
#include "gps/reproduce/item.h"

namespace gps {
namespace reproduce_test {

namespace fs = std::filesystem;

using ::testing::AllOf;
using testing::gpscl;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Outcome;

class Reproduce : public testing::TinyProgramRun {
 protected:
  std::vector<std::string> call(const std::vector<std::string>& words,
                                const std::string& out = "out") const {
    std::vector<std::string> all = {
        "reproduce", "--data", path("data").string(), "--out", path(out).string(), "--jobs", "2"};
    all.insert(all.end(), words.begin(), words.end());
    return all;
  }
  // Without an item, of which --data and --jobs are options.
  std::vector<std::string> show(const std::vector<std::string>& words) const {
    std::vector<std::string> all = {"reproduce", "--out", path("out").string()};
    all.insert(all.end(), words.begin(), words.end());
    return all;
  }
};

TEST_F(Reproduce, ListsTheItemsOfThePaper) {
  const Outcome outcome = gpscl({"reproduce"});
  EXPECT_EQ(outcome.exit_code, 0);
  for (const Item& item : item_catalog()) EXPECT_THAT(outcome.out, HasSubstr(item.name + " "));
}

TEST_F(Reproduce, RefusesWhatDoesNotExist) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> mistakes = {
      {{"tabel1"}, "did you mean 'table1'?"},
      {{"table1", "--scale", "huge"}, "--scale must be one of smoke, reduced, full, got 'huge'"},
      {{"table1", "--benchmarks", "p-mnst"}, "unknown benchmark 'p-mnst'"},
      {{"fig4c", "--benchmarks", "p-mnist,s-cifar-10"},
       "fig4c has no rows for --benchmarks 's-cifar-10'; it has them for p-mnist"},
      {{"all", "--benchmarks", "p-fashion-mnist"},
       "no item has rows for --benchmarks 'p-fashion-mnist'"},
      {{"table1", "--format", "html"},
       "--format must be one of text, md, csv, latex, json, got 'html'"},
      {{"table1", "--benchmarks", "p-mnist,p-mnist"}, "--benchmarks names 'p-mnist' twice"},
      {{"table1", "--notes", "notes"}, "--notes cannot be used except with --format md"},
      {{"table1", "--no-run", "--dry-run"}, "--dry-run cannot be used with --no-run"},
      {{"table1", "--dry-run", "--format", "csv"}, "--format cannot be used with --dry-run"},
  };
  for (const auto& [words, message] : mistakes) {
    const Outcome outcome = gpscl(call(words));
    EXPECT_EQ(outcome.exit_code, 2) << message;
    EXPECT_THAT(outcome.err, HasSubstr(message));
    EXPECT_FALSE(fs::exists(path("out")));
  }
}

TEST_F(Reproduce, RefusesWhatMeansNothingWithoutAnItem) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> mistakes = {
      {{}, "--out cannot be used without an ITEM or a --format"},
      {{"--scale", "smoke"}, "--scale cannot be used without an ITEM or a --format"},
      {{"--benchmarks", "p-mnist"}, "--benchmarks cannot be used without an ITEM or a --format"},
      {{"--dry-run", "--format", "md"},
       "--dry-run cannot be used without an ITEM, because nothing is run"},
      {{"--jobs", "2", "--format", "md"}, "--jobs cannot be used without an ITEM"},
      {{"--notes", "notes", "--format", "json"}, "--notes cannot be used except with --format md"},
      {{"--format", "html"}, "--format must be one of text, md, csv, latex, json, got 'html'"},
      {{"--format", "md", "--scale", "huge"},
       "--scale must be one of smoke, reduced, full, got 'huge'"},
      {{"--format", "md", "--benchmarks", "p-mnist,p-mnist"}, "names 'p-mnist' twice"},
  };
  for (const auto& [words, message] : mistakes) {
    const Outcome outcome = gpscl(show(words));
    EXPECT_EQ(outcome.exit_code, 2) << message;
    EXPECT_THAT(outcome.err, HasSubstr(message));
    EXPECT_EQ(outcome.out, "");
  }
}

TEST_F(Reproduce, FindsOutBeforeTheWorkThatItsOutputCannotBeWritten) {
  const Outcome outcome =
      gpscl(call({"table1", "--scale", "smoke", "-o", path("none/x.md").string()}));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("none/x.md: cannot be written: No such file or directory"));
  EXPECT_FALSE(fs::exists(path("out"))) << "something was run";
  EXPECT_EQ(gpscl({"reproduce", "table1", "--no-run", "--store", path("none").string()}).exit_code,
            1);
}

TEST_F(Reproduce, TakesAnItemThatIsNamedTwiceOnce) {
  const auto plan = [&](const std::vector<std::string>& items) {
    std::vector<std::string> words = items;
    words.insert(words.end(), {"--scale", "smoke", "--dry-run"});
    return gpscl(call(words)).out;
  };
  EXPECT_EQ(plan({"fig4c", "fig4c"}), plan({"fig4c"}));
}

TEST_F(Reproduce, TellsOnlyOfWhatThereIsToDo) {
  EXPECT_THAT(gpscl(call({"fig4a", "--scale", "smoke", "--dry-run"})).out,
              AllOf(HasSubstr(" analyses: 0 done, "), Not(HasSubstr("runs"))));
  EXPECT_THAT(gpscl(call({"fig4c", "--scale", "smoke", "--dry-run"})).out,
              AllOf(HasSubstr(" runs: 0 done, "), Not(HasSubstr("analyses"))));
  const Outcome outcome = gpscl(call({"fig4a", "--scale", "smoke", "--seeds", "1"}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("reproduce: "), HasSubstr(" analyses, "), Not(HasSubstr(" runs"))));
}

TEST_F(Reproduce, RunsEveryItemOnceAndJudgesNoneAtTheSmokeScale) {
  const Outcome plan = gpscl(call({"all", "--scale", "smoke", "--dry-run"}));
  ASSERT_EQ(plan.exit_code, 0) << plan.err;
  EXPECT_FALSE(fs::exists(path("out"))) << "a plan writes nothing";
  const Outcome first = gpscl(call({"all", "--scale", "smoke", "--format", "json"}));
  ASSERT_EQ(first.exit_code, 0) << first.err;
  const auto answers = nlohmann::json::parse(first.out);
  std::set<std::string> items;
  for (const nlohmann::json& answer : answers) {
    items.insert(answer.at("item"));
    EXPECT_EQ(answer.at("scale"), "smoke");
    EXPECT_FALSE(answer.at("claims").empty());
    EXPECT_FALSE(answer.at("tables").empty());
    EXPECT_EQ(answer.at("seeds"), 2);
    EXPECT_EQ(answer.at("fewest_seeds"), 2);
    for (const nlohmann::json& claim : answer.at("claims")) {
      EXPECT_EQ(claim.at("verdict"), "not tried");
      EXPECT_EQ(claim.at("numbers"), "smoke runs are too small to judge");
    }
  }
  EXPECT_EQ(items.size(), item_catalog().size());

  const Outcome again = gpscl(call({"all", "--scale", "smoke", "--format", "json"}));
  EXPECT_THAT(again.err, HasSubstr(" 0 to do"));
  EXPECT_EQ(again.out, first.out);
  const Outcome nothing_left = gpscl(call({"all", "--scale", "smoke", "--dry-run"}));
  EXPECT_THAT(nothing_left.out, HasSubstr(" 0 failed, 0 to do"));
  EXPECT_THAT(nothing_left.out, HasSubstr(" done, 0 to do; about 0:00"));

  // The document has every item.
  const Outcome whole = gpscl(show({"--format", "md", "--scale", "smoke"}));
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  EXPECT_THAT(whole.out, HasSubstr("## Which claims hold"));
  EXPECT_THAT(whole.out, HasSubstr(" 0 are reproduced, 0 are not, and "));
  for (const Item& item : item_catalog())
    EXPECT_THAT(whole.out, HasSubstr("gpscl reproduce " + item.name + " --scale smoke"));
  EXPECT_THAT(gpscl(show({"--format", "md"})).out, HasSubstr("Of 0 claims of the paper"))
      << "at the smoke scale nothing is shown";
  for (const char* format : {"text", "csv", "latex"}) {
    const Outcome other =
        gpscl(call({"table1", "--no-run", "--scale", "smoke", "--format", format}));
    EXPECT_EQ(other.exit_code, 0) << other.err;
    EXPECT_THAT(other.out, HasSubstr("ER-Ring-Full"));
    EXPECT_THAT(other.out, HasSubstr("GPS is above ER-Res"));
  }
}

TEST_F(Reproduce, HasOneNumberACellInCsv) {
  const Outcome csv = gpscl(call({"task-difficulty", "--scale", "smoke", "--format", "csv"}));
  ASSERT_EQ(csv.exit_code, 0) << csv.err;
  EXPECT_THAT(csv.out, HasSubstr("\r\nreal,2,"));
  EXPECT_THAT(csv.out, HasSubstr("tasks,seeds,Task 1,Task 1 deviation,Task 2,Task 2 deviation,"));
  EXPECT_THAT(csv.out, Not(HasSubstr("±")));
}

TEST_F(Reproduce, NumbersAreThoseOfTheStore) {
  const Outcome ours =
      gpscl(call({"table1", "--benchmarks", "p-mnist", "--scale", "smoke", "--format", "json"}));
  ASSERT_EQ(ours.exit_code, 0) << ours.err;
  const std::string store = (path("out") / "runs.sqlite").string();
  const Outcome stored = gpscl({"runs", "compare", "--format", "json", "--store", store});
  ASSERT_EQ(stored.exit_code, 0) << stored.err;
  std::map<std::string, nlohmann::json> by_label;
  for (const nlohmann::json& setting : nlohmann::json::parse(stored.out)) {
    for (const nlohmann::json& run : setting.at("runs")) by_label[run.at("label")] = run;
  }
  const auto rows = nlohmann::json::parse(ours.out).at(0).at("tables").at(0).at("rows");
  EXPECT_EQ(rows.size(), by_label.size());
  const std::string md = gpscl(show({"--format", "md", "--scale", "smoke"})).out;
  for (const nlohmann::json& row : rows) {
    const nlohmann::json& run = by_label.at("er " + row.at("label").get<std::string>());
    const double mean = 100 * run.at("average_accuracy").at("mean").get<double>();
    const double deviation = 100 * run.at("average_accuracy").at("deviation").get<double>();
    EXPECT_NEAR(row.at("mean").get<double>(), mean, 1e-9);
    EXPECT_NEAR(row.at("deviation").get<double>(), deviation, 1e-9);
    EXPECT_THAT(md, HasSubstr(fmt::format("| {} | 2 | {:.2f} ± {:.2f} |",
                                          row.at("label").get<std::string>(), mean, deviation)));
  }
}

TEST_F(Reproduce, KnowsWhatRunHasDone) {
  const std::vector<std::string> words = {"zero-shot", "ratio-distance", "--benchmarks",
                                          "p-mnist",   "--scale",        "smoke"};
  gpscl(call({"ratio-distance", "--scale", "smoke", "--seeds", "1"}));
  EXPECT_THAT(gpscl(call(words)).err, HasSubstr("8 runs, 4 to do"));
  EXPECT_THAT(gpscl(call(words)).err, Not(HasSubstr("zero-shot")));
}

// The larger scale does not hide what only the smaller one can say.
TEST_F(Reproduce, ShowsTheScaleAtWhichMoreClaimsWereTried) {
  const Item& item = find_item("table1");
  const auto record = [&](Store& store, Scale scale, int seeds) {
    for (const Job& job : item.jobs({"p-mnist", scale, seeds})) {
      RunResult result;
      result.spec = job.spec;
      result.seed = job.seed;
      const auto tasks = static_cast<std::size_t>(job.spec.benchmark.tasks);
      const std::size_t rows = learns_jointly(job.spec.learner.name) ? 1 : tasks;
      const double accuracy = 0.8 + 0.001 * static_cast<double>(job.seed);
      result.accuracy.assign(rows, std::vector<double>(tasks, accuracy));
      result.accuracy_at_initialisation.assign(tasks, 0.1);
      result.metrics = compute_metrics(result.accuracy, result.accuracy_at_initialisation);
      result.decisions = {{1, {300}, 1000, {}}};  // which ratio-distance looks at
      store.record_done(result, this_process(), 1, 1);
      if (seeds == 1) return;  // a single run
    }
  };
  const fs::path file = path("scales.sqlite");
  const auto shown = [&] {
    const Outcome outcome = gpscl({"reproduce", "--format", "json", "--store", file.string()});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    for (const nlohmann::json& answer : nlohmann::json::parse(outcome.out)) {
      if (answer.at("item") == "table1") return answer;
    }
    return nlohmann::json();
  };
  {
    Store store(file);
    record(store, Scale::full, 1);
    record(store, Scale::reduced, 3);
  }
  EXPECT_EQ(shown().at("scale"), "reduced");
  EXPECT_EQ(shown().at("seeds"), 3);
  {
    Store store(file);
    record(store, Scale::full, 2);
  }
  EXPECT_EQ(shown().at("scale"), "full");
  EXPECT_EQ(shown().at("seeds"), 2) << "those that are there, not the five of the scale";
}

TEST_F(Reproduce, RefusesNotesThatGoNowhere) {
  gpscl(call({"table2a", "--scale", "smoke"}));
  testing::write_file(path("notes") / "tabel1.md", "lost");
  const Outcome outcome = gpscl(show({"--format", "md", "--notes", path("notes").string()}));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("tabel1"));
}

// The runs of configs/ are the very runs of the items at full scale.
TEST_F(Reproduce, SharesItsRunsWithTheSweepsOfConfigs) {
  struct Pair {
    std::string config;
    std::string item;
    std::vector<std::string> benchmarks = {"p-mnist"};
    Scale scale = Scale::full;
  };
  std::vector<Pair> pairs = {
      {"table1", "table1"},
      {"table1-natural", "table1", {"s-cifar-10", "s-cifar-100", "tiny-imagenet"}},
      {"fig4c", "fig4c"},
      {"fig4c-oracle", "fig4c"},
      {"table2a", "table2a"},
      {"table2b", "table2b"},
      {"table6", "small-memory"},
      {"table7", "der-hal"},
      {"table8", "curriculum"},
      {"ratio-distance", "ratio-distance"},
      {"peers-loss", "peers-loss"},
      {"long-tailed", "long-tailed"}};
  if (amx::available())
    pairs.push_back({"reduced-natural", "table1", {"s-cifar-10"}, Scale::reduced});
  for (const auto& [config, item, benchmarks, scale] : pairs) {
    SCOPED_TRACE(config);
    const fs::path file = path(config + ".sqlite");
    {
      Store store(file);
      for (const std::string& benchmark : benchmarks) {
        for (const Job& job : find_item(item).jobs({benchmark, scale, default_seeds(scale)})) {
          RunResult result;
          result.spec = job.spec;
          result.seed = job.seed;
          store.record_done(result, this_process(), 1, 1);
        }
      }
    }
    const Outcome plan = gpscl({"sweep", "configs/" + config + ".toml", "--dry-run", "--store",
                                file.string(), "--out", path("none").string()},
                               {.folder = GPSCL_SOURCE_DIR});
    EXPECT_EQ(plan.exit_code, 0) << plan.err;
    EXPECT_THAT(plan.out, HasSubstr(" 0 failed, 0 to do"));
  }
}

}  // namespace reproduce_test
}  // namespace gps
