// What every item must have.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <set>

#include "gps/core/errors.h"
#include "gps/experiments/spec/presets.h"
#include "gps/report/paper.h"
#include "gps/reproduce/document.h"

namespace gps {
namespace catalog_test {

using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;

std::vector<Job> jobs_of(const Item& item, const Question& question) {
  return item.jobs ? item.jobs(question) : std::vector<Job>();
}

TEST(ItemCatalog, HasEveryTableAndFigure) {
  std::set<std::string> names;
  for (const Item& item : item_catalog()) names.insert(item.name);
  EXPECT_THAT(names,
              IsSupersetOf({"table1", "table2a", "table2b", "fig4a", "fig4b", "fig4c", "appendix-b",
                            "task-difficulty", "pseudo-difficulty", "zero-shot", "small-memory",
                            "der-hal", "curriculum", "ratio-distance"}));
  EXPECT_EQ(names.size(), item_catalog().size());
  for (const Printed& printed : printed_numbers()) EXPECT_TRUE(names.contains(printed.item));
}

TEST(ItemCatalog, EveryItemAsksForRunsOrAnalysesThatArePossible) {
  for (const Item& item : item_catalog()) {
    for (const Scale scale : {Scale::smoke, Scale::reduced, Scale::full}) {
      std::vector<std::string> benchmarks = item.defaults;
      benchmarks.insert(benchmarks.end(), item.benchmarks.begin(), item.benchmarks.end());
      for (const std::string& benchmark : benchmarks) {
        SCOPED_TRACE(item.name + " " + benchmark + " " + name_of(scale));
        const Question question{benchmark, scale, 2};
        const std::vector<Job> jobs = jobs_of(item, question);
        const Analyses analyses = item.analyses ? item.analyses(question) : Analyses();
        EXPECT_GT(jobs.size() + analyses.size(), 0u);
        std::set<std::pair<std::string, std::uint64_t>> seen;
        for (const Job& job : jobs) {
          EXPECT_NO_THROW(validate(job.spec));
          EXPECT_EQ(job.spec.benchmark.name, benchmark);
          EXPECT_TRUE(seen.emplace(to_json(job.spec).dump(), job.seed).second) << "twice";
        }
        for (const auto& each : analyses.ring_sizes) EXPECT_NO_THROW(validate(each.options));
        for (const auto& each : analyses.difficulties) EXPECT_NO_THROW(validate(each.options));
        for (const auto& each : analyses.zero_shots) EXPECT_NO_THROW(validate(each.options));
      }
    }
  }
}

TEST(ItemCatalog, WithoutEvidenceEveryClaimIsNotTried) {
  for (const Item& item : item_catalog()) {
    for (const Scale scale : {Scale::smoke, Scale::reduced, Scale::full}) {
      for (const std::string& benchmark : item.defaults) {
        SCOPED_TRACE(item.name + " " + benchmark + " " + name_of(scale));
        const Finding finding = item.judge({benchmark, scale, 5}, Evidence());
        EXPECT_FALSE(finding.judgements.empty());
        EXPECT_FALSE(finding.sections.empty());
        EXPECT_EQ(tried_claims(finding), 0u);
        for (const Judgement& judgement : finding.judgements) {
          EXPECT_NE(judgement.claim, "");
          EXPECT_NE(judgement.numbers, "");
        }
        for (const Section& section : finding.sections) {
          for (const Row& row : section.table.rows)
            EXPECT_EQ(row.size(), section.table.columns.size());
        }
      }
    }
  }
}

TEST(ItemCatalog, SaysWhichItemMayBeMeant) {
  try {
    find_item("table22b");
    FAIL() << "there is none";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("'table22b'; did you mean 'table2b'?"));
  }
}

// Every number that is a run's final accuracy stands beside a run of its item at full scale.
TEST(ItemCatalog, FullScaleHasTheRunOfEveryPrintedAccuracy) {
  for (const Printed& printed : printed_numbers()) {
    const std::optional<Spec> spec = spec_for(printed);
    if (!spec) continue;
    const Item& item = find_item(printed.item);
    std::set<std::string> ours;
    for (const Job& job : jobs_of(item, {printed.benchmark, Scale::full, 5}))
      ours.insert(to_json(job.spec).dump());
    EXPECT_TRUE(ours.contains(to_json(at_scale(*spec, Scale::full)).dump()))
        << printed.item << ", " << printed.row << ", " << printed.column;
  }
}

// A result with this accuracy on all tasks.
RunResult result_of(const Spec& spec, std::uint64_t seed, double accuracy) {
  RunResult result;
  result.spec = spec;
  result.seed = seed;
  result.metrics.set("average_accuracy", accuracy);
  return result;
}

TEST(ItemCatalog, Table1IsJudgedByTheDifferencesOfItsRows) {
  const Question question{"p-mnist", Scale::full, 3};
  const Item& item = find_item("table1");
  Evidence evidence;
  for (const Job& job : item.jobs(question)) {
    double accuracy = 0.8655 + 0.001 * static_cast<double>(job.seed);
    if (policy_label(job.spec.policy) == "gps:permutation")
      accuracy += 0.01 + 0.0005 * static_cast<double>(job.seed);
    if (policy_label(job.spec.policy) == "gps:offline") continue;
    evidence.add(result_of(job.spec, job.seed, accuracy));
  }
  std::map<std::string, Verdict> verdicts;
  const Finding finding = item.judge(question, evidence);
  for (const Judgement& each : finding.judgements) verdicts[each.claim] = each.verdict;
  EXPECT_EQ(verdicts.at("GPS is above ER-Res"), Verdict::reproduced);
  EXPECT_EQ(verdicts.at("GPS comes close to ER-Oracle"), Verdict::not_tried);
  EXPECT_EQ(verdicts.at("GPS varies less over seeds than the baselines"), Verdict::not_tried)
      << "three seeds say nothing of it";
  EXPECT_EQ(verdicts.at("the level of GPS"), Verdict::reproduced) << "87.70 and 87.93";
  EXPECT_EQ(texts_of(finding.sections[0].table.rows[0]),
            (std::vector<std::string>{"ER-Res", "reservoir", "3", "86.65 ± 0.10", "",
                                      "86.55 ± 0.48", "+0.10"}));
}

TEST(ItemCatalog, DeadNetworksAreMarkedAndNotJudged) {
  const Question question{"p-mnist", Scale::full, 3};
  const Item& item = find_item("table1");
  Evidence evidence;
  for (const Job& job : item.jobs(question)) {
    const bool is_gps = policy_label(job.spec.policy) == "gps:permutation";
    RunResult result = result_of(job.spec, job.seed, is_gps ? 0.88 : 0.86);
    result.has_collapsed = is_gps && job.seed == 1;
    evidence.add(std::move(result));
  }
  const Finding finding = item.judge(question, evidence);
  for (const Judgement& each : finding.judgements) {
    if (each.claim == "GPS is above ER-Res" || each.claim == "the level of GPS") {
      EXPECT_EQ(each.verdict, Verdict::not_tried) << each.claim;
      EXPECT_THAT(each.numbers, HasSubstr("1 of 3 of gps:permutation"));
    }
  }
  const auto gps =
      std::find_if(finding.sections[0].table.rows.begin(), finding.sections[0].table.rows.end(),
                   [](const Row& row) { return row[1].text() == "gps:permutation !"; });
  ASSERT_NE(gps, finding.sections[0].table.rows.end());
  EXPECT_EQ((*gps)[4].text(), "-") << "no difference";
  EXPECT_EQ(gps->back().text(), "") << "nor one to the paper";
}

TEST(ItemCatalog, ReducedRunsSayNothingOfLevels) {
  const Question question{"p-mnist", Scale::reduced, 2};
  const Item& item = find_item("table1");
  Evidence evidence;
  for (const Job& job : item.jobs(question)) evidence.add(result_of(job.spec, job.seed, 0.8655));
  for (const Judgement& each : item.judge(question, evidence).judgements) {
    if (each.claim.find("level") == std::string::npos) continue;
    EXPECT_EQ(each.verdict, Verdict::not_tried);
    EXPECT_THAT(each.numbers, HasSubstr("reduced scale"));
  }
}

// Results of all runs of an item, one accuracy for all methods.
Evidence same_for_all(const Item& item, const Question& question) {
  Evidence evidence;
  for (const Job& job : item.jobs(question))
    evidence.add(result_of(job.spec, job.seed, 0.8 + 0.001 * static_cast<double>(job.seed)));
  return evidence;
}

TEST(Judged, AtTheSmokeScaleNothingIs) {
  const Question question{"p-mnist", Scale::smoke, 5};
  const Item& item = find_item("table1");
  const Evidence evidence = same_for_all(item, question);
  ASSERT_GT(tried_claims(item.judge(question, evidence)), 0u);
  for (const Judgement& each : judged(item, question, evidence).judgements) {
    EXPECT_EQ(each.verdict, Verdict::not_tried);
    EXPECT_EQ(each.numbers, "smoke runs are too small to judge");
  }
}

TEST(Judged, CountsTheSeedsThatAreThere) {
  const Question question{"p-mnist", Scale::full, 5};
  const Item& item = find_item("table1");
  EXPECT_EQ(judged(item, question, Evidence()).seeds.most, 0u);
  Evidence evidence;
  for (const Job& job : item.jobs(question)) {
    if (job.seed < 3 && (job.seed == 0 || policy_label(job.spec.policy) == "reservoir"))
      evidence.add(result_of(job.spec, job.seed, 0.8));
  }
  const Finding finding = judged(item, question, evidence);
  EXPECT_EQ(finding.seeds.least, 1u);
  EXPECT_EQ(finding.seeds.most, 3u);
  EXPECT_THAT(rendered({{&item, question, finding}}, Format::text),
              HasSubstr("P-MNIST, full scale, 1 to 3 seeds"));
}

TEST(Judged, MarksClaimsThatAreTriedOnAnotherStream) {
  for (const char* name : {"fig4a", "fig4b", "zero-shot", "pseudo-difficulty"}) {
    SCOPED_TRACE(name);
    const Item& item = find_item(name);
    for (const Judgement& each : judged(item, {"p-mnist", Scale::full, 5}, Evidence()).judgements) {
      EXPECT_EQ(each.origin, Origin::other_stream);
      EXPECT_THAT(each.claim, HasSubstr("on another stream than the paper's"));
    }
    for (const Judgement& each :
         judged(item, {"s-cifar-100", Scale::full, 5}, Evidence()).judgements) {
      EXPECT_EQ(each.origin, Origin::paper);
      EXPECT_THAT(each.claim, Not(HasSubstr("another stream")));
    }
  }
}

TEST(Judged, ClaimsThatSayTheyAreOursAre) {
  for (const Item& item : item_catalog()) {
    const Question question{item.defaults.front(), Scale::full, 5};
    for (const Judgement& each : judged(item, question, Evidence()).judgements) {
      const bool says_so = each.claim.find("(ours)") != std::string::npos;
      EXPECT_EQ(each.origin == Origin::ours, says_so) << item.name << ": " << each.claim;
      if (item.where == "not in the paper") {
        EXPECT_NE(each.origin, Origin::paper) << each.claim;
      }
    }
  }
}

// A curve with these losses in the end, one for each ratio.
RingSizeCurve curve_of(const std::vector<double>& losses) {
  RingSizeCurve curve;
  for (const double loss : losses) {
    TaskScore score;
    score.test_loss = loss;
    curve.points.push_back({{}, {score}, {}, {}});
  }
  return curve;
}

TEST(ItemCatalog, AppendixBIsNotTriedOnCurvesThatDoNotDependOnTheRatio) {
  const Question question{"p-mnist", Scale::full, 3};
  const Item& item = find_item("appendix-b");
  const auto verdict_for = [&](double slope) {
    Evidence evidence;
    for (const auto& each : item.analyses(question).ring_sizes) {
      std::vector<double> losses;
      for (std::size_t k = 0; k < each.options.ratios.size(); ++k) {
        // Noise that the mean over three seeds does not have.
        const double noise = 0.01 * static_cast<double>((k + each.seed) % 3);
        losses.push_back(1 + slope * static_cast<double>(k) + noise);
      }
      evidence.add(each, curve_of(losses));
    }
    return item.judge(question, evidence).judgements.back();
  };
  EXPECT_EQ(verdict_for(0.1).verdict, Verdict::reproduced);
  EXPECT_EQ(verdict_for(0).verdict, Verdict::not_tried);
  EXPECT_EQ(verdict_for(0).numbers, "no dependence on the ratio beyond noise");
}

TEST(ItemCatalog, Fig4bComparesPatternsNotLevels) {
  const Question question{"p-mnist", Scale::full, 3};
  const Item& item = find_item("fig4b");
  Evidence evidence;
  for (const auto& each : item.analyses(question).ring_sizes) {
    // The real loss rises evenly; permutation's does so from higher up and three times as fast;
    // the others start at the real one's level, and all of their rise is in the last step.
    const double seed = 0.01 * static_cast<double>(each.seed);
    std::vector<double> path = {0, 0, seed, 3};
    if (each.options.future == "offline") path = {0, 1, 2, 3};
    if (each.options.future == "permutation") path = {5, 8, 11, 14};
    RingSizePoint point;
    for (const double loss : path) {
      point.path.emplace_back();
      point.path.back().test_loss = loss;
    }
    RingSizeCurve curve;
    curve.points.assign(each.options.ratios.size(), point);
    evidence.add(each, curve);
  }
  for (const Judgement& each : item.judge(question, evidence).judgements) {
    if (each.claim.find("pattern") == std::string::npos) continue;
    EXPECT_EQ(each.verdict, Verdict::reproduced) << each.claim << ": " << each.numbers;
  }
}

TEST(ItemCatalog, OnPermutedImagesTransferIsLookedForFromTheFirstTask) {
  const auto analyses_of = [](const char* item, const char* benchmark) {
    return find_item(item).analyses({benchmark, Scale::full, 1});
  };
  EXPECT_EQ(analyses_of("zero-shot", "p-mnist").zero_shots[0].options.after, 1);
  EXPECT_EQ(analyses_of("zero-shot", "s-cifar-100").zero_shots[0].options.after, 2);
  EXPECT_EQ(analyses_of("fig4a", "p-mnist").ring_sizes[0].options.task, 1);
  EXPECT_EQ(analyses_of("fig4a", "s-cifar-100").ring_sizes[0].options.task, 3);
}

TEST(ItemCatalog, Table2aJudgesThePapersSearch) {
  const Question question{"p-mnist", Scale::full, 3};
  const Item& item = find_item("table2a");
  Evidence evidence;
  for (const Job& job : item.jobs(question)) {
    RunResult result = result_of(job.spec, job.seed, 0.8);
    result.seconds.training = 100;
    result.seconds.simulation = setting_of(job.spec.policy, "reuse") == OptionValue(0.0) ? 12 : 8;
    evidence.add(std::move(result));
  }
  const Finding finding = item.judge(question, evidence);
  EXPECT_EQ(finding.sections[0].table.rows.size(), 6u) << "three lengths, each with and without";
  EXPECT_EQ(finding.judgements[0].verdict, Verdict::not_reproduced) << "12 percent";
}

TEST(ItemCatalog, RatioDistanceIsTheL1NormOfTheRatios) {
  const Question question{"p-mnist", Scale::full, 2};
  const Item& item = find_item("ratio-distance");
  Evidence evidence;
  for (const Job& job : item.jobs(question)) {
    RunResult result = result_of(job.spec, job.seed, 0.8);
    const bool is_oracle = setting_of(job.spec.policy, "future") == OptionValue("offline");
    // Of 1000 and 500 slots: 0.2 and 0.5 apart; after the last task there is no search.
    result.decisions = {{1, {is_oracle ? 500u : 300u}, 1000, {}},
                        {2, {is_oracle ? 250u : 500u}, 500, {}},
                        {10, {is_oracle ? 0u : 100u}, 100, {}}};
    evidence.add(std::move(result));
  }
  const Finding finding = item.judge(question, evidence);
  EXPECT_EQ(texts_of(finding.sections[0].table.rows[0]),
            (std::vector<std::string>{"permutation", "2", "0.70 ± 0.00", "0.9"}));
  EXPECT_EQ(finding.judgements[0].verdict, Verdict::reproduced);
  // All seeds are alike, so the oracle of the same seed is no nearer than the other's.
  EXPECT_EQ(finding.sections[0].table.rows.back()[2].text(), "0.70 ± 0.00");
  EXPECT_EQ(finding.judgements[1].verdict, Verdict::not_reproduced);
}

TEST(ItemScale, FullIsThePapersSettingAndOthersAreSmaller) {
  Spec spec;
  EXPECT_EQ(to_json(at_scale(spec, Scale::full)), to_json(spec));
  EXPECT_EQ(at_scale(spec, Scale::reduced).benchmark.examples_per_task, 5000);
  EXPECT_LT(at_scale(spec, Scale::smoke).benchmark.tasks, 5);
  EXPECT_EQ(scale_from("reduced"), Scale::reduced);
  EXPECT_THROW(scale_from("tiny"), UsageError);
}

TEST(ReproduceDocument, WeavesNotesInAndNamesWhatIsMissing) {
  const Question question{"p-mnist", Scale::full, 2};
  const Item& item = find_item("table1");
  Evidence evidence;
  for (const Job& job : item.jobs(question))
    evidence.add(result_of(job.spec, job.seed, 0.86 + 0.001 * static_cast<double>(job.seed)));
  const std::string text = document({{&item, question, judged(item, question, evidence)}},
                                    {{"intro", "# Title\n"}, {"table1", "See [it](../x.md)."}});
  EXPECT_THAT(text, ::testing::StartsWith("# Title\n\n## Which claims hold"));
  EXPECT_THAT(text, HasSubstr("| [Table 1, section 6.2](#table1) | GPS is above ER-Res | P-MNIST | "
                              "**not reproduced** |"));
  EXPECT_THAT(text, HasSubstr("gpscl reproduce table1 --scale full --seeds 2\n"));
  EXPECT_THAT(text, HasSubstr("See [it](x.md)."));
  EXPECT_THAT(text, HasSubstr("`fig4a` (Figure 4 (a), section 6.3)"));
}

}  // namespace catalog_test
}  // namespace gps
