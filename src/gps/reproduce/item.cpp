#include "gps/reproduce/item.h"

#include <algorithm>

namespace gps {
namespace {

using Counts = std::map<std::string, std::size_t>;  // number of found seeds, by spec or options

template <typename Options>
void count(const std::vector<Analysis<Options>>& analyses, const Evidence& evidence, int seeds,
           Counts& counts) {
  for (const Analysis<Options>& each : analyses)
    counts[to_json(each.options).dump()] = evidence.find(each.options, seeds).size();
}

SeedsFound seeds_found(const Item& item, const Question& question, const Evidence& evidence) {
  Counts counts;
  if (item.jobs) {
    for (const Job& job : item.jobs(question))
      counts[to_json(job.spec).dump()] += evidence.find(job.spec, job.seed) != nullptr ? 1 : 0;
  }
  if (item.analyses) {
    const Analyses analyses = item.analyses(question);
    count(analyses.ring_sizes, evidence, question.seeds, counts);
    count(analyses.difficulties, evidence, question.seeds, counts);
    count(analyses.zero_shots, evidence, question.seeds, counts);
  }
  if (counts.empty()) return {};
  const auto fewer = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto [least, most] = std::minmax_element(counts.begin(), counts.end(), fewer);
  return {least->second, most->second};
}

}  // namespace

bool has_rows_for(const Item& item, const std::string& benchmark) {
  const auto has = [&](const std::vector<std::string>& all) {
    return std::find(all.begin(), all.end(), benchmark) != all.end();
  };
  return has(item.benchmarks) || has(item.defaults);
}

Finding judged(const Item& item, const Question& question, const Evidence& evidence) {
  Finding finding = item.judge(question, evidence);
  finding.seeds = seeds_found(item, question, evidence);
  const bool is_other_stream = std::find(item.benchmarks.begin(), item.benchmarks.end(),
                                         question.benchmark) == item.benchmarks.end();
  for (Judgement& each : finding.judgements) {
    if (is_other_stream && each.origin == Origin::paper) {
      each.origin = Origin::other_stream;
      each.claim += " (on another stream than the paper's)";
    }
    if (question.scale == Scale::smoke) {
      each.verdict = Verdict::not_tried;
      each.numbers = "smoke runs are too small to judge";
    }
  }
  return finding;
}

}  // namespace gps
