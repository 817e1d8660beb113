#include "gps/report/page.h"

#include <gmock/gmock.h>
#include <zlib.h>

#include "gps/report/comparison.h"
#include "gps/report/packing.h"
#include "report/tiny_report.h"

namespace gps {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::reported;
using testing::tiny_report;
using testing::tiny_result;

constexpr std::string_view kTemplate = "<html><!-- data --><script>code</script></html>";

// What stands in the script element of this id.
std::string element(const std::string& html, const std::string& id) {
  const std::size_t at = html.find("id=\"" + id + "\">");
  EXPECT_NE(at, std::string::npos) << id;
  const std::size_t begin = html.find('>', at) + 1;
  return html.substr(begin, html.find("</script>", begin) - begin);
}

TEST(Page, HasTheTablesOfRunsCompare) {
  const Report report = tiny_report();
  const json overview = overview_json(report);
  ASSERT_EQ(overview.at("settings").size(), 1u);
  const json& setting = overview.at("settings")[0];
  EXPECT_EQ(setting.at("title"), "p-mnist, 2 tasks, memory 8");
  std::vector<RunResult> oldest_first;
  for (auto run = report.runs.rbegin(); run != report.runs.rend(); ++run)
    oldest_first.push_back(*run->result);
  std::vector<Spec> specs;
  for (const RunResult& result : oldest_first) specs.push_back(result.spec);
  const Table expected = compare(oldest_first, distinct_labels(specs), /*with_seeds=*/true);
  EXPECT_EQ(setting.at("head"), json(expected[0]));
  EXPECT_EQ(setting.at("rows"), json({expected[1], expected[2]}));
}

TEST(Page, HasMeansIntervalsCurvesAndTimesOfEachLine) {
  const json gps = overview_json(tiny_report()).at("settings")[0].at("lines")[1];
  EXPECT_EQ(gps.at("label"), "er gps:permutation");
  EXPECT_EQ(gps.at("runs"), json({2, 4})) << "by seed";
  EXPECT_DOUBLE_EQ(gps.at("accuracy").at("mean"), 0.715);  // 0.70 and 0.73
  EXPECT_NEAR(gps.at("accuracy").at("deviation"), 0.021213, 1e-6);
  EXPECT_NEAR(gps.at("accuracy").at("half_width"), 12.7062 * 0.015, 1e-5);  // t · s/√2
  EXPECT_DOUBLE_EQ(gps.at("curve")[1][0], 0.715);
  EXPECT_DOUBLE_EQ(gps.at("forgetting")[0][0], 0.29);  // 0.30 and 0.28
  EXPECT_EQ(gps.at("ring_share")[0][0], 0.5);
  EXPECT_EQ(gps.at("seconds").at("simulation"), 2);
  EXPECT_TRUE(gps.at("class_incremental").is_null());
  EXPECT_TRUE(gps.at("class_curve").empty());
}

TEST(Page, HasEveryRunLatestFirstWithItsMetricsAsShown) {
  const json runs = overview_json(tiny_report()).at("runs");
  ASSERT_EQ(runs.size(), 4u);
  EXPECT_EQ(runs[0].at("id"), 4);
  EXPECT_EQ(runs[0].at("metrics")[0], json({"average accuracy", "73.00"}));
  EXPECT_EQ(runs[0].at("command"), "gpscl run p-mnist");
  EXPECT_EQ(runs[0].at("memory"), "8");
  EXPECT_EQ(runs[0].at("parts"), json({1, 2, 3}));
}

TEST(Page, DetailsAreTheMatrixTheProbesAndTheMemory) {
  const json details = details_json(tiny_report()).at("2");
  EXPECT_EQ(details.at("accuracy"), json({{9000, 1000}, {6000, 8000}}));
  EXPECT_EQ(details.at("decisions")[0].at("ring"), 4);
  EXPECT_EQ(details.at("decisions")[0].at("quota"), 8);
  EXPECT_EQ(details.at("decisions")[0].at("probes"), json({{4, 7500, 0.5}, {2, 7000, 0.6}}));
  EXPECT_EQ(details.at("labels"), json({{0, 1}, {0, 1}}));
  EXPECT_EQ(details.at("memory")[1], json({{2, 0, 1, 1}, {0, 2, 0, 2}})) << "ring, then reservoir";
  EXPECT_FALSE(details.contains("class_accuracy"));
  EXPECT_FALSE(details.contains("sheet"));
}

TEST(Page, CountsOnlyTheClassesOfATaskWhereTasksHaveTheirOwn) {
  RunResult result = tiny_result("reservoir", 0, 0.5, 0.8);
  result.labels = {{1}, {0}};
  result.class_incremental = {{{0.5, 0.25}, {0.125, 0.0625}}, {0.1, 0.1}, {}};
  result.class_incremental->metrics =
      compute_metrics(result.class_incremental->accuracy, {0.1, 0.1});
  Report report{"store", "now", {reported(1, result)}, 0};
  const json details = details_json(report).at("1");
  EXPECT_EQ(details.at("memory")[1], json({{0, 1}, {0, 0}}));
  EXPECT_EQ(details.at("class_accuracy")[1], json({1250, 625}));
  const json line = overview_json(report).at("settings")[0].at("lines")[0];
  EXPECT_DOUBLE_EQ(line.at("class_curve")[1][0], 0.09375);
}

TEST(Page, ShowsFailedAndInterruptedRunsWithTheirErrors) {
  Report report = tiny_report();
  ReportedRun failed = report.runs[0];
  failed.result.reset();
  failed.run.id = 5;
  failed.run.status = RunStatus::failed;
  failed.run.accuracy.reset();
  failed.run.error = "the loss is no longer finite";
  report.runs.insert(report.runs.begin(), failed);
  failed.run.id = 6;
  failed.run.status = RunStatus::interrupted;
  failed.run.error.clear();
  report.runs.insert(report.runs.begin(), failed);
  const json overview = overview_json(report);
  EXPECT_EQ(overview.at("runs")[0].at("status"), "interrupted");
  EXPECT_EQ(overview.at("runs")[1].at("error"), "the loss is no longer finite");
  EXPECT_TRUE(overview.at("runs")[1].at("accuracy").is_null());
  EXPECT_TRUE(overview.at("runs")[1].at("metrics").empty());
  EXPECT_EQ(overview.at("settings")[0].at("lines").size(), 2u) << "results are those of the others";
  EXPECT_FALSE(details_json(report).contains("5"));
}

TEST(Page, AnEmptyStoreGivesAnEmptyPage) {
  const Report report{"store", "now", {}, 0};
  EXPECT_TRUE(overview_json(report).at("settings").empty());
  EXPECT_TRUE(overview_json(report).at("runs").empty());
  EXPECT_TRUE(details_json(report).empty());
  EXPECT_THAT(html_page(kTemplate, report), HasSubstr("data-details"));
}

TEST(Page, NoTextOfTheStoreCanEndAScriptOrBeMarkup) {
  Report report = tiny_report();
  const std::string error = "</script><script>alert(1)</script><!-- \"quoted\" \xff é";
  report.runs[0].run.error = error;
  report.runs[1].command = "gpscl run '</SCRIPT>'";
  const std::string html = html_page(kTemplate, report);
  EXPECT_THAT(html, Not(HasSubstr("alert(1)</script>")));
  EXPECT_THAT(html, Not(HasSubstr("</SCRIPT>")));
  const std::string text = element(html, "data-overview");
  EXPECT_THAT(text, Not(HasSubstr("<")));
  const json overview = json::parse(text);
  EXPECT_THAT(overview.at("runs")[0].at("error").get<std::string>(),
              HasSubstr("</script><script>alert(1)</script><!-- \"quoted\" "));
  EXPECT_EQ(overview.at("runs")[1].at("command"), "gpscl run '</SCRIPT>'");
}

TEST(Page, PutsTheDataWhereTheTemplateWantsIt) {
  const std::string html = html_page(kTemplate, tiny_report());
  EXPECT_THAT(html, ::testing::StartsWith("<html><script"));
  EXPECT_THAT(html, ::testing::EndsWith("<script>code</script></html>"));
  EXPECT_EQ(json::parse(element(html, "data-overview")).at("store"), "results/runs.sqlite");
}

TEST(Packing, Base64IsThatOfTheStandard) {  // RFC 4648, section 10
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xff\xfe"), "//4=");
}

TEST(Packing, WhatIsGzippedIsReadByZlib) {
  const std::string text(100000, 'x');
  std::string packed = gzipped(text);
  EXPECT_LT(packed.size(), 1000u);
  std::string again(text.size(), '\0');
  z_stream stream{};
  ASSERT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(again.data());
  stream.avail_out = static_cast<uInt>(again.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  inflateEnd(&stream);
  EXPECT_EQ(again, text);
}

}  // namespace
}  // namespace gps
