#include <fmt/format.h>

#include <limits>

#include "gps/probes/one_minimum.h"
#include "gps/reproduce/items/ring_sizes.h"

namespace gps {
namespace {

constexpr int kMostTasks = 5;  // as in Figure 5

int tasks_of(const Question& question) {
  return std::min(kMostTasks, spec_of(question, "er", "mixed:0.5").benchmark.tasks - 1);
}

std::string share_text(std::size_t some, std::size_t all) {
  return fmt::format("{} of {} curves, {:.0f} %", some, all,
                     100 * static_cast<double>(some) / static_cast<double>(all));
}

Judgement judge_share(std::string claim, std::size_t some, std::size_t all,
                      const std::string& of_which = "") {
  const auto printed = find_printed("appendix-b", "All benchmarks", "Valid cases");
  Judgement judgement{std::move(claim),
                      fmt::format("at least {:g} % of the curves (one for each task and seed){}",
                                  printed->value, of_which),
                      Verdict::not_tried, "there are no curves"};
  if (all == 0) return judgement;
  judgement.numbers = share_text(some, all);
  judgement.verdict = 100.0 * static_cast<double>(some) >= printed->value * static_cast<double>(all)
                          ? Verdict::reproduced
                          : Verdict::not_reproduced;
  return judgement;
}

Finding judge_appendix_b(const Question& question, const Evidence& evidence) {
  const std::vector<double> ratios = ring_ratios(question.scale);
  Table table = {"task", "seeds"};
  for (const double ratio : ratios) table.columns.emplace_back(fmt::format("{:g}", ratio));
  for (const char* head : {"switching ratio", "one minimum", "beyond noise", "chance if flat"})
    table.columns.emplace_back(head);
  Section section{fmt::format("{}: final test loss of a task, over the ratio of its ring part",
                              title_of(spec_of(question, "er", "reservoir"))),
                  table, nlohmann::json::array()};
  std::size_t curves = 0;
  std::size_t with_one = 0;
  std::size_t beyond_noise = 0;
  std::size_t dependent = 0;  // curves of tasks whose loss depends on the ratio
  const double level = 0.05 / tasks_of(question);  // 5 % over all tasks (Bonferroni)
  for (int task = 1; task <= tasks_of(question); ++task) {
    std::vector<std::vector<double>> all;
    std::vector<BySeed> columns(ratios.size());
    BySeed points;
    for (const auto& [seed, curve] :
         evidence.find(ring_size_options(question, task, "offline"), question.seeds)) {
      all.push_back(values_of(*curve, Measure::test_loss));
      for (std::size_t k = 0; k < ratios.size(); ++k) columns[k][seed] = all.back().at(k);
      points[seed] = lowest_ratio(*curve, ratios);
    }
    Row row = {Cell::count(static_cast<std::uint64_t>(task)), Cell::count(all.size())};
    for (const BySeed& column : columns) row.push_back(Cell::mean(column));
    row.push_back(Cell::mean(points));
    nlohmann::json data = {{"task", task}, {"ratios", ratios}, {"test_loss", columns}};
    if (all.empty()) {
      row.insert(row.end(), 3, Cell::missing());
    } else {
      const OneMinimum found = one_minimum(all);
      const std::size_t allowed = found.noise ? found.with_one_beyond_noise : found.with_one;
      curves += found.curves;
      with_one += found.with_one;
      if (found.flat_chance < level) {
        dependent += found.curves;
        beyond_noise += allowed;
      }
      row.push_back(Cell::share(found.with_one, found.curves));
      row.push_back(Cell::share(allowed, found.curves));
      row.push_back(found.noise ? Cell::number(found.flat_chance, 3) : Cell::missing());
      data["with_one_minimum"] = found.with_one;
      data["with_one_minimum_beyond_noise"] = allowed;
      data["flat_chance"] = found.flat_chance;
    }
    section.table.rows.push_back(std::move(row));
    section.data.push_back(std::move(data));
  }
  const std::string claim =
      "one minimum in over 85 % of the cases, if a second minimum within the noise of the seeds "
      "does not count";
  const bool is_flat = curves > 0 && dependent == 0;
  return {
      {section},
      {judge_share("the loss over the ratio has one minimum in over 85 % of the cases, as the "
                   "curves are",
                   with_one, curves),
       as(Origin::other_reading,
          is_flat ? not_tried(claim, "no dependence on the ratio beyond noise")
                  : judge_share(claim, beyond_noise, dependent,
                                fmt::format(" of those tasks whose loss depends on the ratio: an F "
                                            "test of the means of the points against the noise's "
                                            "variance, at {:g} % (5 % over all tasks)",
                                            100 * level)))}};
}

}  // namespace

Item make_appendix_b() {
  return {"appendix-b",
          "Is there one switching point? The loss of five tasks over the share of the ring part",
          "Appendix B and Figure 5, Figure 1, section 4.3",
          "The loss is L^G_j of Eqn. 8 on the test set of the task, with the real later tasks. The "
          "noise is the difference between seeds that is left after the mean of each seed is "
          "removed (`gpscl probe one-minimum`). The column `beyond noise` also counts curves whose "
          "second minimum the noise can explain. Nearly all flat curves are among them, and "
          "`chance if flat` shows them: it is the probability that the means over seeds differ as "
          "much if the loss does not depend on the ratio (F test).",
          {"p-mnist", "s-cifar-10", "s-cifar-100", "tiny-imagenet"},
          {"p-mnist"},
          {},
          judge_appendix_b,
          [](const Question& question) {
            Analyses all;
            for (int task = 1; task <= tasks_of(question); ++task) {
              const auto some = ring_size_analyses(question, task, "offline");
              all.ring_sizes.insert(all.ring_sizes.end(), some.begin(), some.end());
            }
            return all;
          }};
}

}  // namespace gps
