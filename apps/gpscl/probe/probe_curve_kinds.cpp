// Probes that follow one task: ring-size, forgetting, one-minimum.
#include <algorithm>
#include <cmath>

#include "gps/probes/forgetting_curve.h"
#include "gps/probes/one_minimum.h"
#include "probe/probe_kinds.h"

namespace gps::cli {
namespace {

// Returns what to say if the ring size makes no difference beyond the noise of the seeds.
std::string flat_text(const std::vector<RingSizeCurve>& curves, Measure measure) {
  std::vector<std::vector<double>> values;
  for (const RingSizeCurve& curve : curves) values.push_back(values_of(curve, measure));
  if (curves.size() < 2) return "; one seed cannot show whether ring sizes differ: use --seeds 3";
  const OneMinimum found = one_minimum(values);
  if (!found.looks_flat()) return "";
  return fmt::format(
      "; no difference between ring sizes that {} seeds show (chance if flat: {:.2f})",
      found.curves, found.flat_chance);
}

}  // namespace

ProbeFindings probe_ring_size(ProbeOptions& options, const MakeBench& bench) {
  const Measure measure = options.measure(Measure::test_loss);
  const auto curves =
      options.curves(options.tasks(1), options.futures(names(future_catalog())), options.ratios());
  const auto results = bench().analyses(curves.options, curves.labels);
  ProbeFindings findings;
  findings.table = {{"future", "task", "ratio", "ring size"},
                    {kTestLoss,
                     kTestAccuracy,
                     kSeenLoss,
                     kSeenAccuracy,
                     {"global loss", 4},
                     {{"global accuracy", "%"}, 2}},
                    {}};
  for (std::size_t c = 0; c < results.size(); ++c) {
    if (results[c].empty()) continue;
    const RingSizeOptions& of = curves.options[c];
    std::vector<double> line;
    for (std::size_t k = 0; k < of.ratios.size(); ++k) {
      const auto values = [&](const auto& get) {
        return over(results[c], [&](const RingSizeCurve& curve) { return get(curve.points[k]); });
      };
      using Value = std::optional<double>;
      using Point = RingSizePoint;
      findings.table.rows.push_back(
          {{of.future, Cell::count(of.task), Cell::significant(of.ratios[k], 3),
            Cell::count(results[c].front().points[k].plan.ring_size)},
           {values([](const Point& p) -> Value { return p.end().test_loss; }),
            values([](const Point& p) -> Value { return p.end().test_accuracy; }),
            values([](const Point& p) -> Value { return p.end().loss; }),
            values([](const Point& p) -> Value { return p.end().accuracy; }),
            values([](const Point& p) -> Value { return p.global_loss; }),
            values([](const Point& p) -> Value { return p.global_accuracy; })}});
      const bool is_there = of.future == "offline" || (measure != Measure::global_loss &&
                                                       measure != Measure::global_accuracy);
      if (is_there)
        line.push_back(mean_of(values([&](const Point& p) -> Value {
          return values_of({0, {p}}, measure).front();
        })));
    }
    if (line.empty()) continue;
    const bool is_loss = name_of(measure).ends_with("loss");
    const auto best = is_loss ? std::min_element(line.begin(), line.end())
                              : std::max_element(line.begin(), line.end());
    findings.notes.push_back(fmt::format("{:<24} {} {}  {} {:.4f} at ratio {:.3g}",
                                         curves.labels[c], name_of(measure), spark_line(line),
                                         is_loss ? "lowest" : "highest", *best,
                                         of.ratios[static_cast<std::size_t>(best - line.begin())]) +
                             flat_text(results[c], measure));
  }
  return findings;
}

ProbeFindings probe_forgetting(ProbeOptions& options, const MakeBench& bench) {
  if (options.was_given("policy")) return probe_forgetting_in_runs(options, bench);
  const Measure measure = options.measure(Measure::test_loss);
  forgetting_curve(RingSizePoint{}, measure);  // throws if the measure is not of one task
  const auto curves =
      options.curves(options.tasks(1), options.futures(names(future_catalog())), {options.own.at});
  const auto results = bench().analyses(curves.options, curves.labels);
  ProbeFindings findings;
  findings.table = {
      {"future", "task", "later tasks"}, {kTestLoss, kTestAccuracy, kSeenLoss, kSeenAccuracy}, {}};
  for (std::size_t c = 0; c < results.size(); ++c) {
    if (results[c].empty()) continue;
    const RingSizeOptions& of = curves.options[c];
    const auto values = [&](std::size_t k, Measure which) {
      return over(results[c], [&](const RingSizeCurve& curve) -> std::optional<double> {
        return forgetting_curve(curve.points.front(), which)[k];
      });
    };
    std::vector<double> line;
    for (std::size_t k = 0; k < results[c].front().points.front().path.size(); ++k) {
      findings.table.rows.push_back(
          {{of.future, Cell::count(of.task), Cell::count(k)},
           {values(k, Measure::test_loss), values(k, Measure::test_accuracy),
            values(k, Measure::loss), values(k, Measure::accuracy)}});
      line.push_back(mean_of(values(k, measure)));
    }
    findings.notes.push_back(
        fmt::format("{:<24} {} {}", curves.labels[c], name_of(measure), spark_line(line)));
  }
  return findings;
}

ProbeFindings probe_one_minimum(ProbeOptions& options, const MakeBench& bench) {
  const Measure measure = options.measure(Measure::test_loss);
  const bool is_loss = name_of(measure).ends_with("loss");
  const auto curves =
      options.curves(options.tasks(5), options.futures({"offline"}), options.ratios());
  const auto results = bench().analyses(curves.options, curves.labels);
  ProbeFindings findings;
  findings.table = {{"future", "task"},
                    {{"curves", 0},
                     {"with one minimum", 0},
                     {"beyond noise", 0},
                     {"violation", 4},
                     {"margin", 4},
                     {"violation of the mean", 4},
                     {"its margin", 4},
                     {"chance if flat", 4}},
                    {}};
  std::size_t all = 0;
  std::size_t with_one = 0;
  std::size_t beyond = 0;
  std::size_t means = 0;
  std::size_t means_with_one = 0;
  std::size_t means_beyond = 0;
  for (std::size_t c = 0; c < results.size(); ++c) {
    if (results[c].empty()) continue;
    std::vector<std::vector<double>> values;
    for (const RingSizeCurve& curve : results[c]) {
      values.push_back(values_of(curve, measure));
      if (!is_loss) {  // look for the maximum of an accuracy
        for (double& value : values.back()) value = -value;
      }
    }
    const OneMinimum found = one_minimum(values);
    const bool has_noise = found.noise.has_value();
    const auto if_noise = [&](double value) {
      return has_noise ? std::vector{value} : std::vector<double>{};
    };
    findings.table.rows.push_back({{curves.options[c].future, Cell::count(curves.options[c].task)},
                                   {{static_cast<double>(found.curves)},
                                    {static_cast<double>(found.with_one)},
                                    if_noise(static_cast<double>(found.with_one_beyond_noise)),
                                    found.violations,
                                    if_noise(found.margin),
                                    {found.mean_violation},
                                    if_noise(found.mean_margin),
                                    if_noise(found.flat_chance)}});
    all += found.curves;
    with_one += found.with_one;
    beyond += found.with_one_beyond_noise;
    if (!has_noise) continue;
    ++means;
    means_with_one += found.mean_has_one() ? 1 : 0;
    means_beyond += found.mean_has_one_beyond_noise() ? 1 : 0;
  }
  findings.notes.push_back(
      fmt::format("curves of single seeds with one minimum: {} of {}", with_one, all));
  if (means > 0) {
    findings.notes.back() += fmt::format("; beyond noise: {}", beyond);
    findings.notes.push_back(
        fmt::format("means over seeds with one minimum: {} of {}; beyond noise: {}", means_with_one,
                    means, means_beyond));
  }
  return findings;
}

}  // namespace gps::cli
