#include "gps/reproduce/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "gps/core/errors.h"
#include "gps/core/text/name_list.h"
#include "gps/core/text/text.h"
#include "gps/report/paper.h"

namespace gps {
namespace {

std::string table_text(const Table& table, Format format) {
  if (format == Format::csv) return csv_table(table);
  if (format == Format::md) return markdown_table(table);
  if (format == Format::latex) return latex_table(table);
  return text_table(table);
}

Table verdict_table(const std::vector<Judgement>& judgements) {
  Table table = {"claim", "verdict", "by", "rule"};
  for (const Judgement& each : judgements)
    table.rows.push_back({each.claim, name_of(each.verdict), each.numbers, each.rule});
  return table;
}

// Describes the seeds that were found, not those that were asked for.
std::string seeds_of(const SeedsFound& seeds) {
  if (seeds.most == 0) return "no seeds";
  const std::string most = fmt::format("{} seed{}", seeds.most, seeds.most == 1 ? "" : "s");
  return seeds.least == seeds.most ? most : fmt::format("{} to {}", seeds.least, most);
}

std::string setting_of(const Answer& answer) {
  return fmt::format("{}, {} scale, {}", paper_name(answer.question.benchmark),
                     name_of(answer.question.scale), seeds_of(answer.finding.seeds));
}

std::string heading(const Answer& answer) {
  return fmt::format("{}: {} ({}); {}", answer.item->name, answer.item->title, answer.item->where,
                     setting_of(answer));
}

nlohmann::json as_json(const Answer& answer) {
  nlohmann::json sections = nlohmann::json::array();
  for (const Section& section : answer.finding.sections)
    sections.push_back({{"title", section.title}, {"rows", section.data}});
  nlohmann::json claims = nlohmann::json::array();
  for (const Judgement& each : answer.finding.judgements) {
    claims.push_back({{"claim", each.claim},
                      {"origin", name_of(each.origin)},
                      {"verdict", name_of(each.verdict)},
                      {"numbers", each.numbers},
                      {"rule", each.rule}});
  }
  return {{"item", answer.item->name},
          {"title", answer.item->title},
          {"where", answer.item->where},
          {"benchmark", answer.question.benchmark},
          {"scale", name_of(answer.question.scale)},
          {"seeds", answer.finding.seeds.most},
          {"fewest_seeds", answer.finding.seeds.least},
          {"tables", sections},
          {"claims", claims}};
}

// Returns a heading as a line of its own, in the syntax of the format.
std::string line_of(const std::string& text, Format format) {
  if (format == Format::latex) return fmt::format("% {}\n", text);
  if (format == Format::md) return fmt::format("## {}\n\n", text);
  return text + "\n";
}

std::string rendered(const Answer& answer, Format format) {
  const std::string gap = format == Format::csv ? "" : "\n";
  std::string text = line_of(heading(answer), format) + (format == Format::text ? "\n" : "");
  for (const Section& section : answer.finding.sections) {
    text += fmt::format("{}{}\n{}{}{}", format == Format::latex ? "% " : "", section.title, gap,
                        table_text(section.table, format), gap);
  }
  if (format != Format::text)
    return text + table_text(verdict_table(answer.finding.judgements), format);
  for (const Judgement& each : answer.finding.judgements) {
    text +=
        fmt::format("{:<14}  {}\n{:16}{}\n", name_of(each.verdict), each.claim, "", each.numbers);
    if (!each.rule.empty()) text += fmt::format("{:16}(rule: {})\n", "", each.rule);
  }
  return text;
}

// Notes are in a folder beside the document, so "../" is removed from their links.
std::string note_of(const Notes& notes, const std::string& name) {
  const auto at = notes.find(name);
  if (at == notes.end()) return "";
  std::string text = at->second + (at->second.ends_with('\n') ? "" : "\n");
  for (std::size_t up = text.find("](../"); up != std::string::npos; up = text.find("](../", up))
    text.erase(up + 2, 3);
  return text;
}

std::string link_to(const Item& item) { return fmt::format("[{}](#{})", item.where, item.name); }

// A claim, and the answer that makes it.
struct ClaimMade {
  const Answer* answer;
  const Judgement* judgement;
};

// Returns each claim once per benchmark, although two items may make it: the place where it was
// tried, if there is one.
std::vector<ClaimMade> claims_of(const std::vector<Answer>& answers) {
  std::vector<ClaimMade> claims;
  std::map<std::pair<std::string, std::string>, std::size_t> places;
  for (const Answer& answer : answers) {
    for (const Judgement& each : answer.finding.judgements) {
      const auto [at, is_new] =
          places.try_emplace({answer.question.benchmark, each.claim}, claims.size());
      if (is_new) {
        claims.push_back({&answer, &each});
      } else if (claims[at->second].judgement->verdict == Verdict::not_tried) {
        claims[at->second] = {&answer, &each};
      }
    }
  }
  return claims;
}

// Returns for example "Of 12 claims of the paper, 5 are reproduced, 3 are not, and 4 were not
// tried."
std::string count_text(const std::vector<ClaimMade>& claims, Origin origin,
                       const std::string& whose) {
  std::map<Verdict, std::size_t> counts;
  std::size_t all = 0;
  for (const ClaimMade& each : claims) {
    if (each.judgement->origin != origin) continue;
    ++counts[each.judgement->verdict];
    ++all;
  }
  return fmt::format("Of {} claims {}, {} are reproduced, {} are not, and {} were not tried.", all,
                     whose, counts[Verdict::reproduced], counts[Verdict::not_reproduced],
                     counts[Verdict::not_tried]);
}

// Returns false if the store has only rows of the item that it shares with other items.
bool says_something(const Answer& answer) {
  return answer.finding.seeds.least > 0 || tried_claims(answer.finding) > 0;
}

std::string stream_of(const Answer& answer) {
  std::string name = paper_name(answer.question.benchmark);
  if (answer.question.scale == Scale::full) return name;
  return fmt::format("{}, {}", name, name_of(answer.question.scale));
}

// Returns the claims that were judged, one per row.
Table judged(const std::vector<ClaimMade>& claims) {
  Table table = {"where", "claim", "on", "verdict", "by"};
  for (const auto& [answer, judgement] : claims) {
    if (judgement->verdict == Verdict::not_tried) continue;
    std::string verdict = name_of(judgement->verdict);
    if (judgement->verdict == Verdict::not_reproduced) verdict = fmt::format("**{}**", verdict);
    table.rows.push_back({link_to(*answer->item), judgement->claim, stream_of(*answer), verdict,
                          judgement->numbers});
  }
  return table;
}

// Returns the other claims, with those of an answer in one row. The sections of the items give the
// reasons.
Table not_judged(const std::vector<ClaimMade>& claims) {
  std::vector<std::pair<const Answer*, std::vector<std::string>>> by_answer;
  for (const auto& [answer, judgement] : claims) {
    if (judgement->verdict != Verdict::not_tried) continue;
    if (by_answer.empty() || by_answer.back().first != answer) by_answer.push_back({answer, {}});
    by_answer.back().second.push_back(judgement->claim);
  }
  Table table = {"where", "on", "not tried"};
  for (const auto& [answer, untried] : by_answer)
    table.rows.push_back({link_to(*answer->item), stream_of(*answer), join(untried, "; ")});
  return table;
}

// Says how many claims hold, by origin, and lists those of the paper.
std::string overview(const std::vector<Answer>& answers) {
  const std::vector<ClaimMade> claims = claims_of(answers);
  std::string text = "## Which claims hold\n\n" +
                     count_text(claims, Origin::paper, "of the paper, as we read them") +
                     " What counts as reproduced is stated with each item. An order that the seeds "
                     "do not show counts as not reproduced. A claim is not tried if runs are "
                     "missing or cannot decide it. Counted separately:\n\n";
  for (const auto& [origin, whose] :
       {std::pair{Origin::other_stream, "of the paper on another stream than the paper's"},
        std::pair{Origin::other_reading, "of the paper under another reading"},
        std::pair{Origin::ours, "of our own"}}) {
    text += fmt::format("- {}\n", count_text(claims, origin, whose));
  }
  std::vector<ClaimMade> papers;
  std::copy_if(claims.begin(), claims.end(), std::back_inserter(papers),
               [](const ClaimMade& each) { return each.judgement->origin != Origin::ours; });
  for (const Table& table : {judged(papers), not_judged(papers)}) {
    if (!table.is_empty()) text += fmt::format("\n{}", markdown_table(table));
  }
  return text;
}

}  // namespace

Format format_from(const std::string& name) {
  static const std::vector<std::pair<std::string, Format>> known = {{"text", Format::text},
                                                                    {"md", Format::md},
                                                                    {"csv", Format::csv},
                                                                    {"latex", Format::latex},
                                                                    {"json", Format::json}};
  std::vector<std::string> names;
  for (const auto& [each, format] : known) names.push_back(each);
  check_is_one_of("format", name, names);
  return std::find_if(known.begin(), known.end(),
                      [&](const auto& each) { return each.first == name; })
      ->second;
}

std::string rendered(const std::vector<Answer>& answers, Format format) {
  if (format == Format::json) {
    nlohmann::json all = nlohmann::json::array();
    for (const Answer& answer : answers) all.push_back(as_json(answer));
    return all.dump(1) + "\n";
  }
  std::string text;
  for (const Answer& answer : answers) {
    if (!text.empty()) text += "\n";
    text += rendered(answer, format);
  }
  return text;
}

std::string command_for(const Question& question, const Item& item) {
  std::string command = "gpscl reproduce " + item.name;
  if (question.benchmark != item.defaults.front()) command += " --benchmarks " + question.benchmark;
  if (question.scale != Scale::reduced)
    command += fmt::format(" --scale {}", name_of(question.scale));
  if (question.seeds != default_seeds(question.scale))
    command += fmt::format(" --seeds {}", question.seeds);
  return command;
}

std::string document(const std::vector<Answer>& all, const Notes& notes) {
  std::vector<Answer> answers;
  std::copy_if(all.begin(), all.end(), std::back_inserter(answers), says_something);
  std::string text = note_of(notes, "intro") + "\n" + overview(answers);
  std::vector<std::string> missing;
  for (const Item& item : item_catalog()) {
    std::vector<const Answer*> own;
    for (const Answer& answer : answers) {
      if (answer.item == &item) own.push_back(&answer);
    }
    if (own.empty()) {
      missing.push_back(fmt::format("`{}` ({})", item.name, item.where));
      continue;
    }
    text += fmt::format("\n<a id=\"{}\"></a>\n\n## {} ({})\n", item.name, item.title, item.where);
    if (!item.about.empty()) text += "\n" + item.about + "\n";
    for (const Answer* answer : own) {
      text += fmt::format("\n### {}\n\n```sh\n{}\n```\n", setting_of(*answer),
                          command_for(answer->question, item));
      for (const Section& section : answer->finding.sections)
        text += fmt::format("\n{}:\n\n{}", section.title, markdown_table(section.table));
      text += fmt::format("\n{}", markdown_table(verdict_table(answer->finding.judgements)));
    }
    const std::string note = note_of(notes, item.name);
    if (!note.empty()) text += "\n" + note;
  }
  if (!missing.empty()) {
    text += "\n## Not tried\n\nThe store has no runs, or only runs that other items share, for " +
            join(missing) + ". No claim of the paper about them is confirmed or denied here.\n";
  }
  const std::string outro = note_of(notes, "outro");
  return outro.empty() ? text : text + "\n" + outro;
}

std::size_t tried_claims(const Finding& finding) {
  return static_cast<std::size_t>(std::count_if(
      finding.judgements.begin(), finding.judgements.end(),
      [](const Judgement& judgement) { return judgement.verdict != Verdict::not_tried; }));
}

}  // namespace gps
