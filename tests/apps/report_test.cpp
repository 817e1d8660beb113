// gpscl report: a page, or pieces, of what the store has.
#include <gmock/gmock.h>

#include "apps/known_options.h"
#include "apps/tiny_program_run.h"
#include "gps/core/files/sqlite.h"
#include "gps/experiments/store/store.h"

namespace gps {
namespace report_test {

namespace fs = std::filesystem;

using ::testing::AllOf;
using testing::gpscl;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Outcome;
using testing::text_of;

constexpr const char* kNotChecked =
    "not checked: the report's page; to check: install nodejs and npm, build again";

class ReportCommand : public testing::TinyProgramRun {
 protected:
  void fill() {
    gpscl(arguments(
        {"--policy", "reservoir,gps", "--memory", "20", "--seeds", "2", "--export", "memory"}));
    gpscl(arguments({"--lr", "1e30", "--memory", "20"}));
  }
  Outcome report(std::vector<std::string> words) const {
    words.insert(words.begin(), {"report", path("out").string()});
    return gpscl(words, {.folder = path("")});
  }
  // Whether this gpscl carries the page.
  bool has_page() const {
    return report({"-o", path("try.html").string()}).err.find("built without") == std::string::npos;
  }
  static nlohmann::json overview_in(const std::string& html) {
    const std::string begin = "id=\"data-overview\">";
    const std::size_t at = html.find(begin) + begin.size();
    return nlohmann::json::parse(html.substr(at, html.find("</script>", at) - at));
  }
};

TEST_F(ReportCommand, WritesAPageWithAllRunsAndNamesIt) {
  fill();
  if (!has_page()) GTEST_SKIP() << kNotChecked;
  const Outcome outcome = report({});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("report.html: 5 runs"));
  const std::string html = text_of(path("report.html"));
  EXPECT_THAT(html, HasSubstr("Content-Security-Policy\" content=\"default-src 'none'"));
  const nlohmann::json overview = overview_in(html);
  ASSERT_EQ(overview.at("runs").size(), 5u);
  for (const nlohmann::json& run : overview.at("runs")) {
    const std::string shown = gpscl({"runs", "show", run.at("id").dump(), "--store",
                                     (path("out") / "runs.sqlite").string()})
                                  .out;
    EXPECT_THAT(shown, HasSubstr("to repeat it: " + run.at("command").get<std::string>() + "\n"));
    EXPECT_EQ(run.at("has_sheet"), run.at("status") == "done");
    EXPECT_EQ(run.at("error").get<std::string>().empty(), run.at("status") == "done");
    for (const nlohmann::json& metric : run.at("metrics"))
      EXPECT_THAT(shown, HasSubstr(metric[1].get<std::string>()));
  }
}

TEST_F(ReportCommand, FiltersRunsAndLimitsImages) {
  fill();
  if (!has_page()) GTEST_SKIP() << kNotChecked;
  ASSERT_EQ(report({"--policy", "gps", "--images", "0"}).exit_code, 0);
  const nlohmann::json overview = overview_in(text_of(path("report.html")));
  EXPECT_EQ(overview.at("runs").size(), 2u);
  EXPECT_EQ(overview.at("sheets_left_out"), 2);
  EXPECT_EQ(overview.at("runs")[0].at("has_sheet"), false);
}

TEST_F(ReportCommand, SaysWhichImagesItCannotRead) {
  fill();
  if (!has_page()) GTEST_SKIP() << kNotChecked;
  for (const auto& entry : fs::directory_iterator(path("out"))) {
    if (entry.path().extension() == ".safetensors") testing::write_file(entry.path(), "damaged");
  }
  const Outcome outcome = report({});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("its images are left out"));
}

TEST_F(ReportCommand, LeavesOutDamagedRunsAndNamesThem) {
  fill();
  {
    Database database(path("out") / "runs.sqlite", Database::Mode::read_write,
                      std::chrono::milliseconds(0));
    database.execute("UPDATE runs SET spec = substr(spec, 2) WHERE id = 1");
    std::string result;
    {
      Statement row(database, "SELECT result FROM runs WHERE id = 2");
      ASSERT_TRUE(row.step());
      result = row.text(0);
    }
    nlohmann::json json = nlohmann::json::parse(result);
    json["memory"][1]["tasks"][0]["task"] = 7;  // the page indexes by it
    json.erase("checksum");                     // as of an earlier version
    Statement(database, "UPDATE runs SET result = ?1 WHERE id = 2").bind(1, json.dump()).run();
  }
  const auto names_both = AllOf(
      HasSubstr("gpscl: run 1 is damaged: its spec is not JSON; gpscl runs rm 1 removes it\n"),
      HasSubstr(
          "gpscl: run 2 is damaged: 'memory' has task 7 in the place of task 1; gpscl runs rm "
          "2 removes it\n"));
  for (const char* format : {"md", "svg"}) {
    const Outcome outcome = report({"--format", format, "-o", format});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.err, names_both);
  }
  if (!has_page()) GTEST_SKIP() << kNotChecked;
  const Outcome outcome = report({});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, names_both);
  EXPECT_EQ(overview_in(text_of(path("report.html"))).at("runs").size(), 3u);
}

TEST_F(ReportCommand, OfDamagedRunsOnlyDoesNotReplaceAnother) {
  fill();
  Database(path("out") / "runs.sqlite", Database::Mode::read_write, std::chrono::milliseconds(0))
      .execute("UPDATE runs SET spec = substr(spec, 2)");
  testing::write_file(path("page"), "an earlier report");
  const Outcome outcome = report({"--format", "md", "-o", path("pieces").string()});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("none of the runs can be read\n"));
  if (!has_page()) GTEST_SKIP() << kNotChecked;
  EXPECT_EQ(report({"-o", path("page").string()}).exit_code, 1);
  EXPECT_EQ(text_of(path("page")), "an earlier report");
}

TEST_F(ReportCommand, WritesPiecesThatAgreeWithRunsCompare) {
  fill();
  for (const auto& [format, extension] :
       {std::pair("csv", "csv"), {"md", "md"}, {"latex", "tex"}, {"svg", "svg"}}) {
    const Outcome outcome = report({"--format", format, "-o", format});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr(std::string(format) + ": "));
    const fs::path file =
        path(format) /
        (std::string("1-p-mnist-2-tasks-memory-20-epochs-1-hidden-16-accuracy.") + extension);
    ASSERT_TRUE(fs::exists(file)) << file;
    if (std::string(format) == "svg" || std::string(format) == "csv") continue;  // all in one table
    const std::string compared = gpscl({"runs", "compare", "--format", format, "--store",
                                        (path("out") / "runs.sqlite").string()})
                                     .out;
    EXPECT_THAT(compared, ::testing::EndsWith(text_of(file)));
  }
}

TEST_F(ReportCommand, HasTheAnalysesOfTheStore) {
  const std::vector<std::string> probe = {"probe",
                                          "ring-size",
                                          "p-mnist",
                                          "--data",
                                          path("data").string(),
                                          "--out",
                                          path("out").string(),
                                          "--epochs",
                                          "1",
                                          "--hidden",
                                          "16",
                                          "--tasks",
                                          "2",
                                          "--memory",
                                          "20",
                                          "--future",
                                          "offline,permutation",
                                          "--points",
                                          "3",
                                          "--seeds",
                                          "2",
                                          "--format",
                                          "csv"};
  const Outcome printed = gpscl(probe);
  ASSERT_EQ(printed.exit_code, 0) << printed.err;
  ASSERT_EQ(report({"--format", "csv", "-o", "csv"}).exit_code, 0);
  const fs::path file =
      path("csv") / "analysis-ring-size-1-p-mnist-2-tasks-memory-20-task-1-epochs-1-hidden-16.csv";
  ASSERT_TRUE(fs::exists(file));
  // The same numbers: what follows the future, the task and the ratio there, and the future here.
  const auto numbers = [](const std::string& text, std::size_t first) {
    std::set<std::string> lines;
    for (const std::string& line : testing::lines_of(text)) {
      std::size_t at = 0;
      for (std::size_t k = 0; k < first; ++k) at = line.find(',', at) + 1;
      lines.insert(line.substr(0, line.find(',')) + line.substr(at));
    }
    return lines;
  };
  EXPECT_EQ(numbers(text_of(file), 1), numbers(printed.out, 3));
  ASSERT_EQ(report({"--format", "svg", "-o", "svg"}).exit_code, 0);
  EXPECT_TRUE(fs::exists(
      path("svg") /
      "analysis-ring-size-1-p-mnist-2-tasks-memory-20-task-1-epochs-1-hidden-16-test-loss.svg"));
  EXPECT_EQ(report({"--format", "csv", "-o", "other", "--benchmark", "s-mnist"}).exit_code, 1);
  EXPECT_FALSE(fs::exists(path("other")));
  if (!has_page()) GTEST_SKIP() << kNotChecked;
  EXPECT_EQ(overview_in(text_of(path("try.html"))).at("analyses").at("charts").size(), 2u);
}

TEST_F(ReportCommand, LeavesDetailsOutWhereThereIsNoRoomAndSaysSo) {
  fill();
  if (!has_page()) GTEST_SKIP() << kNotChecked;
  EXPECT_THAT(report({}).err, Not(HasSubstr("--details")));
  const Outcome outcome = report({"--details", "0"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("details of 4 of 5 runs are left out to keep the page small; "
                                     "include more with --details 1"));
  const nlohmann::json overview = overview_in(text_of(path("report.html")));
  EXPECT_EQ(overview.at("details_left_out"), 4);
  EXPECT_EQ(overview.at("runs")[1].at("has_sheet"), false);
}

TEST_F(ReportCommand, RefusesWhatItCannotDoInOneLine) {
  const Outcome missing = gpscl({"report", path("nowhere").string(), "--format", "md"});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_THAT(missing.err, AllOf(HasSubstr("nowhere: there is no such store"),
                                 HasSubstr("name another with gpscl report STORE")));
  testing::write_file(path("photo.png"), "no database at all, and longer than a header");
  const Outcome other = gpscl({"report", path("photo.png").string(), "--format", "md"});
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_THAT(other.err, AllOf(HasSubstr("photo.png: is not a store of runs"),
                               HasSubstr("name another with gpscl report STORE")));
  fill();
  const Outcome format = report({"--format", "pdf"});
  EXPECT_EQ(format.exit_code, 2);
  EXPECT_THAT(format.err,
              HasSubstr("--format must be one of html, svg, csv, md, latex, got 'pdf'"));
  const Outcome folder =
      report({"--format", "md", "-o",
              (path("data") / "mnist" / "train-labels-idx1-ubyte" / "below").string()});
  EXPECT_EQ(folder.exit_code, 1);
  EXPECT_THAT(folder.err, HasSubstr("below: cannot be made"));
  if (!has_page()) return;
  const Outcome file = report({"-o", path("no-folder/report.html").string()});
  EXPECT_EQ(file.exit_code, 1);
  EXPECT_THAT(file.err, HasSubstr("no-folder/report.html"));
}

TEST_F(ReportCommand, DoesNotReplaceAReportByAnEmptyOne) {
  fill();
  const std::string page = path("page").string();
  testing::write_file(page, "an earlier report");
  for (const char* format : {"html", "md", "csv"}) {
    if (std::string(format) == "html" && !has_page()) continue;
    const std::string output = std::string(format) == "html" ? page : path("pieces").string();
    const Outcome nothing = report({"--format", format, "-o", output, "--policy", "herding"});
    EXPECT_EQ(nothing.exit_code, 1);
    EXPECT_EQ(testing::lines_of(nothing.err).size(), 1u) << nothing.err;
    EXPECT_THAT(nothing.err, HasSubstr("none of 5 runs matches --policy herding; its policies: "
                                       "gps:permutation, reservoir\n"));
    EXPECT_THAT(
        report({"--format", format, "-o", output, "--benchmark", "s-mnist", "--learner", "er"}).err,
        HasSubstr("none of 5 runs matches --benchmark s-mnist --learner er; its benchmarks: "
                  "p-mnist; its learners: er\n"));
    EXPECT_FALSE(fs::exists(path("pieces")));
  }
  EXPECT_EQ(text_of(page), "an earlier report");
}

TEST_F(ReportCommand, AStoreWithoutAnyRunIsRefused) {
  { const Store store(path("empty.sqlite")); }
  for (const char* format : {"md", "csv", "latex", "svg"}) {
    const Outcome outcome = gpscl({"report", path("empty.sqlite").string(), "--format", format,
                                   "-o", path("pieces").string()});
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_THAT(outcome.err, HasSubstr("no run is recorded here; gpscl run and gpscl sweep"));
    EXPECT_FALSE(fs::exists(path("pieces")));
  }
}

TEST_F(ReportCommand, AStoreWithoutFinishedRunsIsAReportToo) {
  gpscl(arguments({"--lr", "1e30", "--memory", "20"}));
  EXPECT_EQ(report({"--format", "md"}).exit_code, 0);
  if (!has_page()) GTEST_SKIP() << kNotChecked;
  const nlohmann::json overview = overview_in(text_of(path("try.html")));
  EXPECT_TRUE(overview.at("settings").empty());
  EXPECT_EQ(overview.at("runs")[0].at("status"), "failed");
}

TEST_F(ReportCommand, ARunWhoseProcessIsGoneIsInterrupted) {
  fill();
  {
    Store store(path("out") / "runs.sqlite");
    Spec spec;
    spec.benchmark.tasks = 3;
    ASSERT_EQ(store.claim(spec, 7, {}, {"another-host", 1, "never"}, /*now=*/1000), Claim::granted);
  }
  if (!has_page()) GTEST_SKIP() << kNotChecked;
  std::size_t interrupted = 0;
  const nlohmann::json overview = overview_in(text_of(path("try.html")));
  for (const nlohmann::json& run : overview.at("runs")) {
    EXPECT_EQ(run.at("status") == "interrupted", run.at("seed") == 7);
    if (run.at("status") == "interrupted") ++interrupted;
  }
  EXPECT_EQ(interrupted, 1u);
}

}  // namespace report_test
}  // namespace gps
