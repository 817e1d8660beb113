#include "gps/report/page/page.h"

#include <gmock/gmock.h>
#include <zlib.h>

#include <algorithm>

#include "gps/report/comparison.h"
#include "gps/report/page/packing.h"
#include "gps/report/page/page_details.h"
#include "gps/report/planned.h"
#include "report/tiny_report.h"

namespace gps {
namespace page_test {

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

std::string gunzipped(std::string packed) {
  std::string text;
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string room(1 << 16, '\0');
  int outcome = Z_OK;
  while (outcome == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(room.data());
    stream.avail_out = static_cast<uInt>(room.size());
    outcome = inflate(&stream, Z_NO_FLUSH);
    text.append(room, 0, room.size() - stream.avail_out);
  }
  EXPECT_EQ(outcome, Z_STREAM_END);
  inflateEnd(&stream);
  return text;
}

std::string from_base64(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = (bits << 6 | static_cast<unsigned>(digits.find(c))) & 0xffffu;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 255u);
  }
  return bytes;
}

json details_in(const std::string& html) {
  return json::parse(gunzipped(from_base64(element(html, "data-details"))));
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
  EXPECT_EQ(setting.at("head"), json(heads_of(expected)));
  EXPECT_EQ(setting.at("rows"), json({texts_of(expected.rows[0]), texts_of(expected.rows[1])}));
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
  EXPECT_EQ(gps.at("shares")[0][0][0], 0.5);
  EXPECT_EQ(gps.at("seconds").at("simulation"), 2);
  EXPECT_TRUE(gps.at("own_curve").empty());
}

TEST(Page, MarksRunsWhoseNetworkIsDead) {
  Report report = tiny_report();
  const json before = overview_json(report);
  EXPECT_EQ(before.at("settings")[0].at("collapsed"), "");
  EXPECT_EQ(before.at("runs")[0].at("collapsed"), false);
  report.runs[0].result->has_collapsed = true;  // gps, seed 1
  const json overview = overview_json(report);
  EXPECT_EQ(overview.at("runs")[0].at("collapsed"), true);
  EXPECT_EQ(overview.at("runs")[1].at("collapsed"), false);
  const json& setting = overview.at("settings")[0];
  EXPECT_EQ(setting.at("lines")[0].at("collapsed"), 0);
  EXPECT_EQ(setting.at("lines")[1].at("collapsed"), 1);
  EXPECT_EQ(setting.at("rows")[1][0], "er gps:permutation !");
  EXPECT_THAT(setting.at("collapsed").get<std::string>(),
              ::testing::StartsWith("! 1 of 4 runs collapsed"));
}

TEST(Page, HasEveryRunLatestFirstWithItsMetricsAsShown) {
  const json runs = overview_json(tiny_report()).at("runs");
  ASSERT_EQ(runs.size(), 4u);
  EXPECT_EQ(runs[0].at("id"), 4);
  EXPECT_EQ(runs[0].at("metrics")[0], json({"average accuracy", "73.00"}));
  EXPECT_EQ(runs[0].at("command"), "gpscl run p-mnist");
  EXPECT_EQ(runs[0].at("memory"), 8);
  EXPECT_EQ(runs[0].at("tasks"), 2);
  EXPECT_TRUE(runs[0].at("seed").is_number());
  EXPECT_EQ(runs[0].at("parts"), json({1, 2, 3}));
}

TEST(Page, HasTheNumbersOfAnAnalysisAsTheyAreShown) {
  Report report;
  report.analyses = testing::tiny_analyses();
  const json chart = overview_json(report).at("analyses").at("charts")[0];
  EXPECT_EQ(chart.at("head")[2], "seeds");
  EXPECT_EQ(chart.at("head")[3], "test loss");
  EXPECT_EQ(chart.at("rows")[1][0], "offline");
  EXPECT_EQ(chart.at("rows")[1][1], "10");
  EXPECT_EQ(chart.at("rows")[1][3], "1.0000 ± 0.7071") << "as in Markdown";
  for (std::size_t c = 0; c < chart.at("head").size(); ++c) {
    const json& rows = chart.at("rows");
    EXPECT_TRUE(
        std::any_of(rows.begin(), rows.end(), [c](const json& row) { return row[c] != "-"; }))
        << chart.at("head")[c] << " has no value";
  }
}

TEST(Page, HasEveryMetricOfTheCatalogOfEveryRunWithItsMeaning) {
  const json overview = overview_json(tiny_report());
  const json& metrics = overview.at("metrics");
  ASSERT_EQ(metrics.size(), metric_catalog().size());
  for (std::size_t k = 0; k < metrics.size(); ++k) {
    const Metric& metric = metric_catalog()[k];
    EXPECT_EQ(metrics[k].at("name"), metric.name);
    EXPECT_EQ(metrics[k].at("title"), metric.title);
    EXPECT_EQ(metrics[k].at("formula"), metric.paper);
    EXPECT_EQ(metrics[k].at("meaning"), metric.summary);
    EXPECT_EQ(metrics[k].at("larger_is_better"), metric.larger_is_better);
    for (const json& run : overview.at("runs")) EXPECT_EQ(run.at("metrics")[k][0], metric.title);
  }
}

TEST(Page, DetailsAreTheMatrixTheProbesAndTheMemory) {
  const json details = details_json(tiny_report().runs[2]);  // of id 2
  EXPECT_EQ(details.at("accuracy"), json({{9000, 1000}, {6000, 8000}}));
  EXPECT_EQ(details.at("decisions")[0].at("plan"), json({4}));
  EXPECT_EQ(details.at("decisions")[0].at("quota"), 8);
  EXPECT_EQ(details.at("decisions")[0].at("probes"),
            json::parse("[[[4], 7500, 0.5], [[2], 7000, 0.6]]"));
  EXPECT_EQ(details.at("labels"), json({{0, 1}, {0, 1}}));
  EXPECT_EQ(details.at("memory")[1], json({{2, 0, 1, 1}, {0, 2, 0, 2}})) << "ring, then reservoir";
  EXPECT_FALSE(details.contains("class_accuracy"));
  EXPECT_FALSE(details.contains("sheet"));
  EXPECT_FALSE(details.contains("warnings"));
}

TEST(Page, DetailsOfAPlannedRunHaveItsPlan) {
  const RunResult result = testing::tiny_planned_result(0, 0.6, 0.8);
  const json plan = details_json(reported(1, result)).at("plan");
  EXPECT_EQ(plan.at("text"), prediction_text(result));
  EXPECT_EQ(plan.at("reached"), 7000);
  EXPECT_EQ(plan.at("head"), json(heads_of(plan_table(result))));
  EXPECT_EQ(plan.at("rows"), json({texts_of(plan_table(result).rows[0])}));
  ASSERT_EQ(plan.at("choices").size(), 1u);
  const json& choice = plan.at("choices")[0];
  EXPECT_EQ(choice.at("task"), 1);
  EXPECT_EQ(choice.at("expected"), json({7250, 6000, 8000}));
  ASSERT_EQ(choice.at("trials").size(), 4u);
  EXPECT_EQ(choice.at("trials")[1], json({label_of(testing::tiny_recipe(0.03)), 7300, 1, 1}));
  EXPECT_EQ(choice.at("trials")[3], json({label_of(testing::tiny_recipe(1)), 8000, 0, 0}));
}

TEST(Page, HasWhatAPlanPredictedBesideWhatWasReached) {
  Report report = tiny_report();
  report.runs.insert(report.runs.begin(), reported(5, testing::tiny_planned_result(0, 0.6, 0.8)));
  const json overview = overview_json(report);
  EXPECT_EQ(overview.at("runs")[0].at("prediction"), json({0.725, 0.6, 0.8, 0.7}));
  EXPECT_EQ(overview.at("runs")[0].at("learner"), "plan");
  EXPECT_EQ(overview.at("runs")[0].at("policy"), "plan");
  ASSERT_EQ(overview.at("settings").size(), 1u) << "it stands beside the others";
  const json& line = overview.at("settings")[0].at("lines")[2];
  EXPECT_EQ(line.at("label"), "plan");
  EXPECT_EQ(line.at("learner"), "plan");
  EXPECT_EQ(line.at("policy"), "plan");
  EXPECT_EQ(line.at("runs"), json({5}));
}

TEST(Page, OfRunsWithoutPlansDoesNotSpeakOfThem) {
  const json overview = overview_json(tiny_report());
  for (const json& run : overview.at("runs")) EXPECT_FALSE(run.contains("prediction"));
  for (const ReportedRun& run : tiny_report().runs)
    EXPECT_FALSE(details_json(run).contains("plan"));
  RunResult split = testing::tiny_planned_result(0, 0.6, 0.8);
  split.plan.choices[0].expected.reset();
  const Report report{"store", "now", {reported(1, split)}, 0};
  EXPECT_FALSE(overview_json(report).at("runs")[0].contains("prediction"))
      << "nothing was predicted";
}

TEST(Page, MeanMatricesAreThoseOfALineUnderItsFirstRun) {
  const json details = details_in(html_page(kTemplate, tiny_report()).html);
  ASSERT_EQ(details.at("matrices").size(), 2u);
  EXPECT_EQ(details.at("matrices").at("1"), json({{9000, 1000}, {4500, 8000}}));  // 0.4 and 0.5
  EXPECT_EQ(details.at("matrices").at("2"), json({{9000, 1000}, {6100, 8200}}));
  EXPECT_EQ(details.at("runs").at("4").at("accuracy"), json({{9000, 1000}, {6200, 8400}}));
}

TEST(Page, DetailsKeepWithinTheirRoomAndOneRunOfEachSpecGoesFirst) {
  // Accuracies that do not repeat, so that they cannot be packed well.
  Report report{"store", "now", {}, 0};
  unsigned state = 1;
  const auto draw = [&] {
    state = state * 1103515245u + 12345u;
    return static_cast<double>(state >> 16) / 65536.0;
  };
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (const char* policy : {"reservoir", "gps"}) {
      RunResult result = tiny_result(policy, seed, 0.5, 0.8);
      result.spec.benchmark.tasks = 60;
      result.accuracy.assign(60, std::vector<double>(60));
      for (std::vector<double>& row : result.accuracy) {
        for (double& value : row) value = draw();
      }
      report.runs.insert(report.runs.begin(),
                         reported(static_cast<std::int64_t>(report.runs.size()) + 1, result));
    }
  }
  const Page whole = html_page(kTemplate, report);
  EXPECT_EQ(whole.details_left_out, 0u);
  const double room = 100e3;
  const Page page = html_page(kTemplate, report, room);
  EXPECT_GT(page.details_left_out, 20u);
  EXPECT_LT(element(page.html, "data-details").size(), room + 90e3) << "zlib holds some back";
  const json details = details_in(page.html);
  EXPECT_EQ(details.at("runs").size() + page.details_left_out, 40u);
  EXPECT_EQ(details.at("matrices"), details_in(whole.html).at("matrices"));
  for (const auto& [id, run] : details.at("runs").items())
    EXPECT_LE(std::stoul(id), details.at("runs").size() + 1) << "of the lowest seeds";
  const json overview = json::parse(element(page.html, "data-overview"));
  EXPECT_EQ(overview.at("details_left_out"), page.details_left_out);
  EXPECT_EQ(overview.at("runs").size(), 40u);
}

TEST(Page, CountsOnlyTheClassesOfATaskWhereTasksHaveTheirOwn) {
  RunResult result = tiny_result("reservoir", 0, 0.5, 0.8);
  result.labels = {{1}, {0}};
  result.class_incremental = {{{0.5, 0.25}, {0.125, 0.0625}}, {0.1, 0.1}, {}};
  result.class_incremental->metrics =
      compute_metrics(result.class_incremental->accuracy, {0.1, 0.1});
  Report report{"store", "now", {reported(1, result)}, 0};
  const json details = details_json(report.runs[0]);
  EXPECT_EQ(details.at("memory")[1], json({{0, 1}, {0, 0}}));
  EXPECT_FALSE(details.at("own_accuracy").empty());
}

TEST(Page, LeadsWithTheAccuracyAmongAllClassesWhereTasksHaveTheirOwn) {
  RunResult result = tiny_result("reservoir", 0, 0.5, 0.8);
  Report report{"store", "now", {reported(1, result)}, 0};
  EXPECT_EQ(overview_json(report).at("settings")[0].at("among"), "");
  result.labels = {{1}, {0}};
  result.class_incremental = {{{0.5, 0.25}, {0.125, 0.0625}}, {0.1, 0.1}, {}};
  result.class_incremental->metrics =
      compute_metrics(result.class_incremental->accuracy, {0.1, 0.1});
  report.runs = {reported(1, result)};
  const json overview = overview_json(report);
  const json& setting = overview.at("settings")[0];
  EXPECT_NE(setting.at("among"), "");
  EXPECT_EQ(setting.at("head")[2], "all classes %");
  EXPECT_EQ(setting.at("rows")[0][2], "9.38");
  const json& line = setting.at("lines")[0];
  EXPECT_DOUBLE_EQ(line.at("accuracy").at("mean"), 0.09375);
  EXPECT_DOUBLE_EQ(line.at("accuracies")[0][1], 0.09375);
  EXPECT_DOUBLE_EQ(line.at("curve")[1][0], 0.09375);
  EXPECT_DOUBLE_EQ(line.at("own_curve")[1][0], 0.65);
  EXPECT_DOUBLE_EQ(overview.at("runs")[0].at("accuracy"), 0.09375);
  EXPECT_EQ(overview.at("runs")[0].at("metrics")[0],
            json({"average accuracy, all classes", "9.38"}));
  const json details = details_json(report.runs[0]);
  EXPECT_EQ(details.at("accuracy")[1], json({1250, 625}));
  EXPECT_EQ(details.at("own_accuracy")[1], json({5000, 8000}));
}

TEST(Page, DetailsHaveTheNamesOfTheClassesIfThereAreAny) {
  RunResult result = tiny_result("reservoir", 0, 0.5, 0.8);
  Report report{"store", "now", {reported(1, result)}, 0};
  EXPECT_FALSE(details_json(report.runs[0]).contains("class_names"));
  result.class_names = {"cat", "dog"};
  report.runs = {reported(1, result)};
  EXPECT_EQ(details_json(report.runs[0]).at("class_names"), json({"cat", "dog"}));
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
  EXPECT_EQ(details_in(html_page(kTemplate, report).html).at("runs").size(), 4u) << "of the others";
}

TEST(Page, AnEmptyStoreGivesAnEmptyPage) {
  const Report report{"store", "now", {}, 0};
  EXPECT_TRUE(overview_json(report).at("settings").empty());
  EXPECT_TRUE(overview_json(report).at("runs").empty());
  EXPECT_THAT(html_page(kTemplate, report).html, HasSubstr("data-details"));
}

TEST(Page, NoTextOfTheStoreCanEndAScriptOrBeMarkup) {
  Report report = tiny_report();
  const std::string error = "</script><script>alert(1)</script><!-- \"quoted\" \xff é";
  report.runs[0].run.error = error;
  report.runs[1].command = "gpscl run '</SCRIPT>'";
  const std::string html = html_page(kTemplate, report).html;
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
  const std::string html = html_page(kTemplate, tiny_report()).html;
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
  Gzip gzip;
  gzip.add(text);
  const std::string packed = gzip.finish();
  EXPECT_LT(packed.size(), 1000u);
  EXPECT_EQ(gunzipped(packed), text);
}

TEST(Packing, PiecesBecomeOneWhole) {
  Gzip gzip;
  std::string all;
  for (int k = 0; k < 30000; ++k) {
    const std::string piece = std::to_string(k * 7919);
    gzip.add(piece);
    all += piece;
  }
  const std::size_t before = gzip.size();
  const std::string packed = gzip.finish();
  EXPECT_LE(before, packed.size());
  EXPECT_GT(before + (1 << 17), packed.size());
  EXPECT_EQ(gunzipped(packed), all);
}

}  // namespace page_test
}  // namespace gps
