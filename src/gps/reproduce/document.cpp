#include "gps/reproduce/document.h"

#include <fmt/format.h>

#include <algorithm>

#include "gps/core/errors.h"
#include "gps/core/text.h"
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
  Table table = {{"claim", "verdict", "by", "rule"}};
  for (const Judgement& each : judgements)
    table.push_back({each.claim, name_of(each.verdict), each.numbers, each.rule});
  return table;
}

std::string setting_of(const Question& question) {
  return fmt::format("{}, {} scale, {} seed{}", paper_name(question.benchmark),
                     name_of(question.scale), question.seeds, question.seeds == 1 ? "" : "s");
}

std::string heading(const Answer& answer) {
  return fmt::format("{}: {} ({}); {}", answer.item->name, answer.item->title, answer.item->where,
                     setting_of(answer.question));
}

nlohmann::json as_json(const Answer& answer) {
  nlohmann::json sections = nlohmann::json::array();
  for (const Section& section : answer.finding.sections)
    sections.push_back({{"title", section.title}, {"rows", section.data}});
  nlohmann::json claims = nlohmann::json::array();
  for (const Judgement& each : answer.finding.judgements) {
    claims.push_back({{"claim", each.claim},
                      {"verdict", name_of(each.verdict)},
                      {"numbers", each.numbers},
                      {"rule", each.rule}});
  }
  return {{"item", answer.item->name},
          {"title", answer.item->title},
          {"where", answer.item->where},
          {"benchmark", answer.question.benchmark},
          {"scale", name_of(answer.question.scale)},
          {"seeds", answer.question.seeds},
          {"tables", sections},
          {"claims", claims}};
}

// A comment in the language of the format, on a line of its own.
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

std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z')
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

// Notes lie in a folder beside the document: their links lead up from there.
std::string note_of(const Notes& notes, const std::string& name) {
  const auto at = notes.find(name);
  if (at == notes.end()) return "";
  std::string text = at->second + (at->second.ends_with('\n') ? "" : "\n");
  for (std::size_t up = text.find("](../"); up != std::string::npos; up = text.find("](../", up))
    text.erase(up + 2, 3);
  return text;
}

bool is_paper_s(const Item& item) { return item.where != "not in the paper"; }

// How many claims of the paper hold, and which ones.
std::string overview(const std::vector<Answer>& answers) {
  std::map<Verdict, std::size_t> counts;
  Table table = {{"where", "claim", "on", "verdict", "by"}};
  for (const Answer& answer : answers) {
    if (!is_paper_s(*answer.item)) continue;
    for (const Judgement& each : answer.finding.judgements) {
      ++counts[each.verdict];
      std::string verdict = name_of(each.verdict);
      if (each.verdict == Verdict::not_reproduced) verdict = fmt::format("**{}**", verdict);
      std::string on = paper_name(answer.question.benchmark);
      if (answer.question.scale != Scale::full)
        on += fmt::format(", {}", name_of(answer.question.scale));
      table.push_back({fmt::format("[{}](#{})", answer.item->where, answer.item->name), each.claim,
                       on, verdict, each.numbers});
    }
  }
  return fmt::format(
      "## Which claims hold\n\nOf {} claims of the paper, as we read them, {} are reproduced, {} "
      "are not, and {} were not tried. What counts as reproduced is stated with each item.\n\n{}",
      counts[Verdict::reproduced] + counts[Verdict::not_reproduced] + counts[Verdict::not_tried],
      counts[Verdict::reproduced], counts[Verdict::not_reproduced], counts[Verdict::not_tried],
      markdown_table(table));
}

}  // namespace

Format format_from(const std::string& name) {
  static const std::vector<std::pair<std::string, Format>> known = {{"text", Format::text},
                                                                    {"md", Format::md},
                                                                    {"csv", Format::csv},
                                                                    {"latex", Format::latex},
                                                                    {"json", Format::json}};
  for (const auto& [each, format] : known) {
    if (each == name) return format;
  }
  throw UsageError(fmt::format("unknown --format '{}'; known: text, md, csv, latex, json", name));
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

std::string document(const std::vector<Answer>& answers, const Notes& notes) {
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
      text += fmt::format("\n### {}\n\n```sh\n{}\n```\n", capitalised(setting_of(answer->question)),
                          command_for(answer->question, item));
      for (const Section& section : answer->finding.sections)
        text += fmt::format("\n{}:\n\n{}", section.title, markdown_table(section.table));
      text += fmt::format("\n{}", markdown_table(verdict_table(answer->finding.judgements)));
    }
    const std::string note = note_of(notes, item.name);
    if (!note.empty()) text += "\n" + note;
  }
  if (!missing.empty()) {
    text += "\n## Not tried\n\nNothing is there for " + join(missing) +
            ". No claim of the paper about them is confirmed or denied here.\n";
  }
  const std::string outro = note_of(notes, "outro");
  return outro.empty() ? text : text + "\n" + outro;
}

bool is_tried(const Finding& finding) {
  return std::any_of(
      finding.judgements.begin(), finding.judgements.end(),
      [](const Judgement& judgement) { return judgement.verdict != Verdict::not_tried; });
}

}  // namespace gps
